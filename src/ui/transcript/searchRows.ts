/** Finding words in laid-out rows, across the ends of rows, and marking them. Pure. */
import { stripVTControlCharacters } from 'node:util';

/** A piece of a match on one row; columns are characters of the plain row. */
export interface MarkedRange {
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

/** A match: one range for each row that it runs over. */
export type Match = readonly MarkedRange[];

/** What means something in a pattern. */
const syntax = /[\^$\\.*+?()[\]{}|/]/g;

/** Matches of one part that are told apart. */
const MOST_MATCHES = 10_000;

/** Small letters find both; undefined for nothing to look for. */
export function searchPattern(query: string): RegExp | undefined {
  const characters = [...query.trim().replace(/\s+/g, ' ')];
  if (characters.length === 0) return undefined;
  // A row may end anywhere in what was one word; the next begins with its indent.
  const source = characters
    .map((one) => (one === ' ' ? '\\s+' : one.replace(syntax, '\\$&')))
    .join('(?:\\n *)?');
  return new RegExp(source, /\p{Lu}/u.test(query) ? 'gu' : 'giu');
}

export function findInRows(rows: readonly string[], pattern: RegExp): Match[] {
  const plain = rows.map((row) => stripVTControlCharacters(row));
  const text = plain.join('\n');
  const matches: Match[] = [];
  const starts: number[] = [];
  let start = 0;
  for (const row of plain) {
    starts.push(start);
    start += row.length + 1;
  }
  let row = 0;
  for (const found of text.matchAll(pattern)) {
    if (matches.length >= MOST_MATCHES || found[0] === '') break;
    const end = found.index + found[0].length;
    while ((starts[row + 1] ?? Infinity) <= found.index) row += 1;
    const ranges: MarkedRange[] = [];
    for (let at = row; (starts[at] ?? Infinity) < end; at += 1) {
      const begin = starts[at] ?? 0;
      const length = plain[at]?.length ?? 0;
      const skipped = at === row ? 0 : (/^ */.exec(plain[at] ?? '')?.[0].length ?? 0);
      const from = Math.max(found.index - begin, skipped);
      const to = Math.min(end - begin, length);
      if (to > from) ranges.push({ row: at, from, to });
    }
    matches.push(ranges);
  }
  return matches;
}

/** A painted row with ranges of its plain text inverted; the one that is looked at is underlined too. */
export function markRow(
  painted: string,
  ranges: readonly { readonly from: number; readonly to: number; readonly isCurrent: boolean }[],
): string {
  if (ranges.length === 0) return painted;
  const sorted = [...ranges].sort((a, b) => a.from - b.from);
  let out = '';
  let column = 0;
  let next = 0;
  for (const piece of painted.split(/(\u001B\[[\d;:]*m)/)) {
    if (piece.startsWith('\u001B')) {
      out += piece;
      continue;
    }
    let at = 0;
    while (at < piece.length) {
      const range = sorted[next];
      if (range === undefined || range.from >= column + piece.length - at) {
        out += piece.slice(at);
        column += piece.length - at;
        break;
      }
      const begin = Math.max(at, at + range.from - column);
      const stop = Math.min(piece.length, at + range.to - column);
      const [on, off] = range.isCurrent ? ['\u001B[7;4m', '\u001B[27;24m'] : ['\u001B[7m', '\u001B[27m'];
      out += piece.slice(at, begin) + (stop > begin ? on + piece.slice(begin, stop) + off : '');
      column += Math.max(begin, stop) - at;
      at = Math.max(begin, stop);
      if (column >= range.to) next += 1;
    }
  }
  return out;
}
