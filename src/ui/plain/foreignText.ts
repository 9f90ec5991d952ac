/**
 * Keeps commands, diffs, output, names and other text that ClawdCode did not write from passing for its own lines: such
 * text follows words of ours, or is on a row that begins with the mark, which our own lines never do. Pure.
 */
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { drawnWidth } from '../print/width.ts';
import { asciiSymbols } from './asciiSymbols.ts';

const MARK = '> ';

/** What the terminal can show. */
export interface Room {
  readonly columns: number;
  /** False if it can only show ASCII: symbols are spelled out, and other characters appear as their bytes. */
  readonly isUtf8: boolean;
}

/** The lines of a text that is not ours, which the caller has sanitized. */
export function quoted(text: string): readonly string[] {
  return text.split('\n').map((line) => withoutTrailing(`${MARK}${line}`, ' '));
}

/**
 * The rows of a line that begins with our words or the mark. All later rows, which come from a line break in a name or
 * from the terminal's width, also get the mark, so that the terminal has nothing left to wrap.
 */
export function rowsOf(line: string, { columns, isUtf8 }: Room): readonly string[] {
  const shown = isUtf8 ? line : asciiSymbols(line);
  const most = Math.max(MARK.length, columns - MARK.length);
  const [first, text] = shown.startsWith(MARK) ? [MARK, shown.slice(MARK.length)] : ['', shown];
  const rows = text.split('\n').flatMap((part) => {
    if (mostColumns(part, isUtf8) <= most) return [part];
    // Leaves some room for symbols, so that few rows have to be cut.
    return wrapText(part, most - Math.floor(most / 12)).flatMap((row) => cutRow(row, most, isUtf8));
  });
  return prefixLines(rows, first, MARK).map((row) => withoutTrailing(row, ' '));
}

/** Cuts a row that a terminal could draw wider than `most` columns. */
function cutRow(row: string, most: number, isUtf8: boolean): readonly string[] {
  if (mostColumns(row, isUtf8) <= most) return [row];
  const rows: string[] = [];
  let [open, used] = ['', 0];
  for (const character of row) {
    const columns = mostColumns(character, isUtf8);
    if (used + columns > most) {
      rows.push(open);
      [open, used] = ['', 0];
    }
    open += character;
    used += columns;
  }
  return [...rows, open];
}

/** Terminals agree on the width of letters, but not of symbols, emoji and their joiners. */
function mostColumns(text: string, isUtf8: boolean): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  if (!isUtf8) return Buffer.byteLength(text);
  let columns = 0;
  for (const character of text)
    columns += /[ -~\p{M}]/u.test(character) ? 1 : /\p{L}/u.test(character) ? drawnWidth(character) : 2;
  return columns;
}
