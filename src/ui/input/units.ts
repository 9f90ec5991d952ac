import stringWidth from 'string-width';

/** A paste that is displayed as `label` and sent as `text`. */
export type PastedText = { readonly label: string; readonly text: string };

/**
 * One step of the cursor: a grapheme or a folded paste. A fold is an object, so that typed text cannot be mistaken for
 * it, and deleting, killing, yanking or undoing it carries its text along.
 */
export type Unit = string | PastedText;

/** Splits text into units; creates no folds. */
export function unitsOf(text: string): Unit[] {
  return segment(text);
}

/** The full text, with folded pastes expanded. */
export function expand(units: readonly Unit[]): string {
  return units.map((unit) => (typeof unit === 'string' ? unit : unit.text)).join('');
}

/** The text as displayed, with folded pastes as labels. */
export function abbreviate(units: readonly Unit[]): string {
  return units.map((unit) => (typeof unit === 'string' ? unit : unit.label)).join('');
}

/**
 * Replaces `units[from..to)` and returns the position after the inserted units. If new neighbors combine (an accent
 * and its letter, two halves of a flag) the text around them is segmented again, so that units are always graphemes.
 */
export function splice(
  units: readonly Unit[],
  from: number,
  to: number,
  inserted: readonly Unit[],
): { units: readonly Unit[]; cursor: number } {
  const spliced = [...units.slice(0, from), ...inserted, ...units.slice(to)];
  const cursor = from + inserted.length;
  if (keepsApart(spliced, from) && keepsApart(spliced, cursor)) return { units: spliced, cursor };
  return divideAfresh(spliced, from, cursor);
}

/** True if the units on both sides of a position cannot combine. */
function keepsApart(units: readonly Unit[], position: number): boolean {
  const [before, after] = [units[position - 1], units[position]];
  const apart = (unit: Unit | undefined): boolean => typeof unit !== 'string' || unit === '\n';
  if (apart(before) || apart(after)) return true;
  return typeof before === 'string' && typeof after === 'string' && isPlain(before) && isPlain(after);
}

function divideAfresh(
  units: readonly Unit[],
  from: number,
  cursor: number,
): { units: readonly Unit[]; cursor: number } {
  const isEnd = (unit: Unit | undefined): boolean => typeof unit !== 'string' || unit === '\n';
  let start = from;
  while (start > 0 && !isEnd(units[start - 1])) start--;
  let end = cursor;
  while (end < units.length && !isEnd(units[end])) end++;

  const region = units.slice(start, end);
  const divided: Unit[] = [];
  let newCursor = start;
  let offset = 0;
  const cursorOffset = lengthOf(region.slice(0, cursor - start));
  for (const unit of divide(region)) {
    // A cursor inside a newly formed grapheme moves to its end.
    if (offset < cursorOffset) newCursor = start + divided.length + 1;
    offset += lengthOf([unit]);
    divided.push(unit);
  }
  return { units: [...units.slice(0, start), ...divided, ...units.slice(end)], cursor: newCursor };
}

/** Segments the text between folds; folds are kept. */
function divide(region: readonly Unit[]): Unit[] {
  const divided: Unit[] = [];
  let run = '';
  for (const unit of region) {
    if (typeof unit === 'string') {
      run += unit;
      continue;
    }
    divided.push(...segment(run), unit);
    run = '';
  }
  divided.push(...segment(run));
  return divided;
}

const lengthOf = (units: readonly Unit[]): number =>
  units.reduce((sum, unit) => sum + (typeof unit === 'string' ? unit.length : 1), 0);

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[\n\t\x20-\x7E]*$/;

/** Columns of a tab; terminals disagree on tab stops inside a box. */
export const tabWidth = 4;

/** Splits text into graphemes: an emoji family, a flag or a letter with accents is one. */
export function segment(text: string): string[] {
  return plain.test(text) ? text.split('') : Array.from(segmenter.segment(text), (part) => part.segment);
}

/** True for a character that never combines with its neighbors. */
function isPlain(grapheme: string): boolean {
  return grapheme.length === 1 && plain.test(grapheme);
}

/** Columns of one grapheme in a terminal. ASCII bypasses `string-width`, whose first call takes 20 ms. */
export function cellWidth(grapheme: string): number {
  if (grapheme === '\t') return tabWidth;
  return isPlain(grapheme) ? 1 : stringWidth(grapheme);
}

/**
 * Makes text safe to display and send: line ends become `\n`, control characters are removed so that escape sequences
 * have no effect, and lone surrogates, which are invalid UTF-8, become U+FFFD. Tabs are kept.
 */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0B-\x1F\x7F-\x9F]/g, '')
    .toWellFormed();
}

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

/** Start of the line (between newlines) that contains the position. */
export function lineStart(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && units[at - 1] !== '\n') at--;
  return at;
}

/** End of the line that contains the position, before its newline. */
export function lineEnd(units: readonly Unit[], position: number): number {
  let at = position;
  while (at < units.length && units[at] !== '\n') at++;
  return at;
}

/** Readline's backward-word: skips non-word characters, then moves to the start of the word. A fold is its own word. */
export function wordLeft(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && !isWord(units[at - 1])) at--;
  if (typeof units[at - 1] === 'object') return at - 1;
  while (at > 0 && isWord(units[at - 1]) && typeof units[at - 1] === 'string') at--;
  return at;
}

/** Readline's forward-word: skips non-word characters, then moves to the end of the word. */
export function wordRight(units: readonly Unit[], position: number): number {
  let at = position;
  while (at < units.length && !isWord(units[at])) at++;
  if (typeof units[at] === 'object') return at + 1;
  while (at < units.length && isWord(units[at]) && typeof units[at] === 'string') at++;
  return at;
}

/** Readline's unix-word-rubout: words are separated by white space only. */
export function blankWordLeft(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && isBlank(units[at - 1])) at--;
  while (at > 0 && !isBlank(units[at - 1])) at--;
  return at;
}

const isWord = (unit: Unit | undefined): boolean =>
  typeof unit === 'object' || (unit !== undefined && wordCharacter.test(unit));

const isBlank = (unit: Unit | undefined): boolean => typeof unit === 'string' && /^\s/.test(unit);
