/** Columns of text in a terminal. Plain ASCII never reaches string-width, whose first call costs ~20 ms. */
import fullStringWidth from 'string-width';

const ascii = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// biome-ignore lint/complexity/useRegexLiterals: an escape in a literal would hide what it matches
const styles = new RegExp('\\u001b\\[[\\d;]*m', 'g');

/**
 * The most columns that `text` takes on one line in a common terminal, so that a line of this width never takes two rows.
 * Many terminals add up characters: an emoji family takes eight columns there, and a syllable of forty Hangul letters
 * eighty. Style sequences have no width.
 */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  const bare = text.includes('\u001b') ? text.replace(styles, '') : text;
  if (single.test(bare)) return drawnWidth(bare);
  let columns = 0;
  for (const { segment } of segmenter.segment(bare)) columns += cached(most, segment, mostOfGrapheme);
  return columns;
}

/** Like `textWidth`, in a terminal that draws graphemes as Unicode has them: where the cursor is after `text`. */
export function drawnWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  return cached(drawn, text, (styled) => {
    const bare = styled.replace(styles, '');
    return ascii.test(bare) ? bare.length : fullStringWidth(bare);
  });
}

/** Characters that combine with no other: Latin, Greek, Cyrillic, arrows, boxes, Chinese, Japanese, Korean syllables. */
const single =
  /^[ -~\xa1-\xac\xae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]*$/;

function mostOfGrapheme(grapheme: string): number {
  let sum = 0;
  for (const character of grapheme) sum += columnsAlone(character);
  return Math.max(drawnWidth(grapheme), sum);
}

function columnsAlone(character: string): number {
  if (wideInSome.test(character)) return 2;
  return oneInSome.test(character) ? 1 : drawnWidth(character);
}

/** Hangul fillers, circled numbers of the GNU C library, and characters that a newer terminal may know as emoji. */
const wideInSome = /[\u115f\u3164\u3248-\u324f\p{Cn}]/u;

/**
 * Half a flag, and characters that are marks only since Unicode 6 or for few scripts: terminals with older tables, such
 * as xterm.js unless it is told otherwise, give each a column.
 */
const oneInSome =
  /\p{RI}|[\u0487\u0616-\u061a\u065f\u070f\u07fd\u0816-\u0900\u093a\u0955-\u0957\u09fe\u0a51\u0a75\u0afa-\u0aff\u0b44\u0b55\u0b62\u0b63\u0c00\u0c04\u0c3c\u0c62\u0c63\u0c81\u0d00\u0d01\u0d3b\u0d3c\u0d44\u0d62\u0d63\u0d81\u0eba\u0ece\u0f8d-\u0f8f\uffa0\u{13430}-\u{1343f}]|(?![\u20d0-\u20ef\u302a-\u302f\u3099\u309a]|[\ufe00-\ufe23])[\u1000-\u{dffff}](?<=[\p{Mn}\p{Me}])/u;

/** Caches of widths: breaking text anywhere measures each character, and most repeat. */
const drawn = new Map<string, number>();
const most = new Map<string, number>();
const MAX_KNOWN = 5000;
const MAX_KNOWN_LENGTH = 16;

function cached(known: Map<string, number>, text: string, measure: (text: string) => number): number {
  const before = known.get(text);
  if (before !== undefined) return before;
  const width = measure(text);
  if (text.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, width);
  }
  return width;
}

/** True for printable ASCII only: one character, one column. */
export function isAscii(text: string): boolean {
  return ascii.test(text);
}

/** Splits `text` into graphemes. */
export function graphemes(text: string): string[] {
  if (ascii.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), (part) => part.segment);
}

/** Cuts plain text to at most `columns`, with `…` in place of the cut part; `cut: 'start'` keeps the end. */
export function truncate(text: string, columns: number, cut: 'end' | 'start' = 'end'): string {
  if (columns <= 0) return '';
  // Text with more than four characters per column is cut without measuring all of it.
  if (text.length <= columns * 4 && textWidth(text) <= columns) return text;
  if (columns === 1) return '…';
  return cut === 'end' ? `${takeColumns(text, columns - 1)}…` : `…${takeLast(text, columns - 1)}`;
}

/** The longest prefix of plain text that fits into `columns`. */
export function takeColumns(text: string, columns: number): string {
  if (columns <= 0) return '';
  const head = text.slice(0, columns);
  if (ascii.test(head) && (text.length <= columns || text.charCodeAt(columns) < 0x80)) return head;
  let taken = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const width = textWidth(segment);
    if (used + width > columns) break;
    taken += segment;
    used += width;
  }
  return taken;
}

/** Pads with spaces up to `columns`; wider text is returned unchanged. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - textWidth(text)));
}

/** Like `padEnd`, but with the spaces before the text. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - textWidth(text))) + text;
}

function takeLast(text: string, columns: number): string {
  const all = graphemes(text.slice(-columns * 16));
  let used = 0;
  let from = all.length;
  while (from > 0) {
    const width = textWidth(all[from - 1] ?? '');
    if (used + width > columns) break;
    used += width;
    from -= 1;
  }
  return all.slice(from).join('');
}
