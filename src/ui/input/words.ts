import type { Unit } from './units.ts';

const wordCharacter = /[\p{L}\p{N}\p{M}_]/u;

/** Start of the line (between newlines) that holds the position. */
export function lineStart(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && units[at - 1] !== '\n') at--;
  return at;
}

/** End of the line that holds the position, before its newline. */
export function lineEnd(units: readonly Unit[], position: number): number {
  let at = position;
  while (at < units.length && units[at] !== '\n') at++;
  return at;
}

/** Readline's backward-word: over what is no word, then to the start of the word. A fold is a word of its own. */
export function wordLeft(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && !isWord(units[at - 1])) at--;
  if (typeof units[at - 1] === 'object') return at - 1;
  while (at > 0 && isWord(units[at - 1]) && typeof units[at - 1] === 'string') at--;
  return at;
}

/** Readline's forward-word: over what is no word, then to the end of the word. */
export function wordRight(units: readonly Unit[], position: number): number {
  let at = position;
  while (at < units.length && !isWord(units[at])) at++;
  if (typeof units[at] === 'object') return at + 1;
  while (at < units.length && isWord(units[at]) && typeof units[at] === 'string') at++;
  return at;
}

/** Readline's unix-word-rubout: words are what stands between white space. */
export function blankWordLeft(units: readonly Unit[], position: number): number {
  let at = position;
  while (at > 0 && isBlank(units[at - 1])) at--;
  while (at > 0 && !isBlank(units[at - 1])) at--;
  return at;
}

const isWord = (unit: Unit | undefined): boolean =>
  typeof unit === 'object' || (unit !== undefined && wordCharacter.test(unit));

const isBlank = (unit: Unit | undefined): boolean => typeof unit === 'string' && /^\s/.test(unit);
