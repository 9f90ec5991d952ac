/** What vim calls words: runs of one kind of character; in its `W` sense, whatever stands between blanks. Pure. */
import type { Unit } from '../units.ts';

/** The kind of a unit; a folded paste is a word of its own, an empty line one too. */
export function kindOf(units: readonly Unit[], at: number, isBig: boolean): string {
  const unit = units[at];
  if (unit === undefined) return 'end';
  if (typeof unit !== 'string') return isBig ? 'word' : `fold ${at}`;
  if (/^\s/.test(unit)) return 'blank';
  if (isBig) return 'word';
  if (/^\p{Script=Han}/u.test(unit)) return 'han';
  if (/^[\p{Script=Hiragana}\p{Script=Katakana}ー]/u.test(unit)) return 'kana';
  if (/^[\p{L}\p{N}\p{M}_]/u.test(unit)) return 'word';
  return /^\p{Extended_Pictographic}/u.test(unit) ? 'emoji' : 'sign';
}

/** `w`: the start of the next word. */
export function nextWord(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from;
  const kind = kindOf(units, at, isBig);
  if (kind !== 'blank') while (at < units.length && kindOf(units, at, isBig) === kind) at++;
  while (at < units.length && kindOf(units, at, isBig) === 'blank') {
    at++;
    if (isEmptyLine(units, at)) return at;
  }
  return at;
}

/** `b`: the start of the word before. */
export function wordBefore(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from - 1;
  while (at > 0 && kindOf(units, at, isBig) === 'blank' && !isEmptyLine(units, at)) at--;
  if (at <= 0) return 0;
  if (isEmptyLine(units, at)) return at;
  const kind = kindOf(units, at, isBig);
  while (at > 0 && kindOf(units, at - 1, isBig) === kind) at--;
  return at;
}

/** `e`: the last character of this word, or of the next where the cursor is there already. */
export function wordEnd(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from + 1;
  while (at < units.length && kindOf(units, at, isBig) === 'blank') at++;
  const kind = kindOf(units, at, isBig);
  while (at + 1 < units.length && kindOf(units, at + 1, isBig) === kind) at++;
  return Math.min(at, Math.max(units.length - 1, 0));
}

/** `ge`: the last character of the word before. */
export function endBefore(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from;
  const kind = kindOf(units, at, isBig);
  if (kind !== 'blank') while (at > 0 && kindOf(units, at, isBig) === kind) at--;
  else at--;
  while (at > 0 && kindOf(units, at, isBig) === 'blank' && !isEmptyLine(units, at)) at--;
  return Math.max(at, 0);
}

export function isEmptyLine(units: readonly Unit[], at: number): boolean {
  return units[at] === '\n' && (at === 0 || units[at - 1] === '\n');
}
