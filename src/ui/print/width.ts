/** Columns of text in a terminal. Plain ASCII never reaches string-width, whose first call costs ~20 ms. */
import fullStringWidth from 'string-width';

const ascii = /^[\x20-\x7e]*$/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// biome-ignore lint/complexity/useRegexLiterals: an escape in a literal would hide what it matches
const styles = new RegExp('\\u001b\\[[\\d;]*m', 'g');

/** Columns that `text` takes on one line; style sequences have no width. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  const known = widths.get(text);
  if (known !== undefined) return known;
  const bare = text.includes('\u001b') ? text.replace(styles, '') : text;
  const width = ascii.test(bare) ? bare.length : fullStringWidth(bare);
  if (text.length <= MAX_KNOWN_LENGTH) remember(text, width);
  return width;
}

/** Cache of character widths: breaking text anywhere measures each character, and most repeat. */
const widths = new Map<string, number>();
const MAX_KNOWN = 5000;
const MAX_KNOWN_LENGTH = 16;

function remember(text: string, width: number): void {
  if (widths.size >= MAX_KNOWN) widths.clear();
  widths.set(text, width);
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
