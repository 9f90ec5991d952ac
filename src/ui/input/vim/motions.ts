/** Targets of motions. Pure; positions are between 0 and the number of units. */
import { lineEnd, lineStart, type Unit } from '../units.ts';
import type { Motion } from './parseVim.ts';

/** The target of a motion, and how far an operator extends: up to it, including its character, or whole lines. */
interface Reach {
  readonly to: number;
  readonly kind: 'exclusive' | 'inclusive' | 'linewise';
}

/** Undefined if there is no target; the whole command is then cancelled. */
export function reach(
  units: readonly Unit[],
  cursor: number,
  { name, character }: Motion,
  count: number | undefined,
  find: Motion | undefined,
): Reach | undefined {
  const times = count ?? 1;
  const start = lineStart(units, cursor);
  const end = lineEnd(units, cursor);
  const exclusive = (to: number): Reach => ({ to, kind: 'exclusive' });
  const inclusive = (to: number): Reach => ({ to, kind: 'inclusive' });
  switch (name) {
    case 'h':
    case 'backspace':
      return exclusive(Math.max(start, cursor - times));
    case 'l':
    case ' ':
      return exclusive(Math.min(end, cursor + times));
    case 'j':
    case '+':
      return linesAway(units, cursor, times, name === '+');
    case 'k':
    case '-':
      return linesAway(units, cursor, -times, name === '-');
    case 'w':
    case 'W':
      return exclusive(repeat(times, cursor, (at) => nextWord(units, at, name === 'W')));
    case 'b':
    case 'B':
      return exclusive(repeat(times, cursor, (at) => wordBefore(units, at, name === 'B')));
    case 'e':
    case 'E':
      return inclusive(repeat(times, cursor, (at) => wordEnd(units, at, name === 'E')));
    case 'ge':
    case 'gE':
      return inclusive(repeat(times, cursor, (at) => endBefore(units, at, name === 'gE')));
    case '0':
      return exclusive(start);
    case '|':
      return exclusive(Math.min(end, start + times - 1));
    case '^':
      return exclusive(firstNonBlank(units, cursor));
    case '_':
      return times === 1
        ? { to: firstNonBlank(units, cursor), kind: 'linewise' }
        : linesAway(units, cursor, times - 1, true);
    case '$': {
      const line = linesAway(units, cursor, times - 1, false);
      return line && inclusive(Math.max(lineEnd(units, line.to) - 1, lineStart(units, line.to)));
    }
    case 'g_': {
      let at = end;
      while (at > start && /^\s/.test(String(units[at - 1]))) at--;
      return inclusive(Math.max(start, at - 1));
    }
    case 'gg':
      return { to: firstNonBlank(units, nthLine(units, times)), kind: 'linewise' };
    case 'G':
      return {
        to: firstNonBlank(units, count === undefined ? units.length : nthLine(units, count)),
        kind: 'linewise',
      };
    case '}':
      return exclusive(repeat(times, cursor, (at) => paragraphAfter(units, at)));
    case '{':
      return exclusive(repeat(times, cursor, (at) => paragraphBefore(units, at)));
    case '%': {
      const to = matchingBracket(units, cursor);
      return to === undefined ? undefined : inclusive(to);
    }
    case 'f':
    case 'F':
    case 't':
    case 'T':
      return findCharacter(units, cursor, { name, character: character ?? '' }, times, false);
    case ';':
    case ',':
      if (find === undefined) return undefined;
      return findCharacter(units, cursor, name === ';' ? find : turned(find), times, true);
    default:
      return undefined;
  }
}

/** The first non-blank character of the line. */
export function firstNonBlank(units: readonly Unit[], cursor: number): number {
  const end = lineEnd(units, cursor);
  let at = lineStart(units, cursor);
  while (at < end && typeof units[at] === 'string' && /^\s/.test(String(units[at]))) at++;
  return at === end && at > lineStart(units, cursor) ? at - 1 : at;
}

function repeat(times: number, from: number, step: (at: number) => number): number {
  let at = from;
  for (let done = 0; done < times; done++) {
    const next = step(at);
    if (next === at) return at;
    at = next;
  }
  return at;
}

/** The same column `by` lines down (or up); undefined if there are not that many lines. */
function linesAway(units: readonly Unit[], cursor: number, by: number, toText: boolean): Reach | undefined {
  const column = cursor - lineStart(units, cursor);
  let at = cursor;
  for (let left = Math.abs(by); left > 0; left--) {
    const edge = by > 0 ? lineEnd(units, at) : lineStart(units, at) - 1;
    if (edge < 0 || edge >= units.length) return undefined;
    at = by > 0 ? edge + 1 : edge;
  }
  const start = lineStart(units, at);
  const to = toText ? firstNonBlank(units, at) : Math.min(start + column, lineEnd(units, at));
  return { to, kind: 'linewise' };
}

function nthLine(units: readonly Unit[], number: number): number {
  let at = 0;
  for (let line = 1; line < number; line++) {
    const end = lineEnd(units, at);
    if (end === units.length) return at;
    at = end + 1;
  }
  return at;
}

function paragraphAfter(units: readonly Unit[], from: number): number {
  let at = from;
  while (at < units.length && isEmptyLine(units, at)) at++;
  while (at < units.length && !isEmptyLine(units, at)) at++;
  return at;
}

function paragraphBefore(units: readonly Unit[], from: number): number {
  let at = from - 1;
  while (at > 0 && isEmptyLine(units, at)) at--;
  while (at > 0 && !isEmptyLine(units, at)) at--;
  return Math.max(at, 0);
}

function findCharacter(
  units: readonly Unit[],
  cursor: number,
  { name, character = '' }: Motion,
  times: number,
  isAgain: boolean,
): Reach | undefined {
  const isForward = name === 'f' || name === 't';
  const isTill = name === 't' || name === 'T';
  const step = isForward ? 1 : -1;
  // Repeating "till" must skip the adjacent character, otherwise it would not move.
  let at = cursor + (isTill && isAgain ? step : 0);
  for (let left = times; left > 0; left--) {
    at += step;
    while (at >= 0 && at < units.length && units[at] !== character && units[at] !== '\n') at += step;
    if (units[at] !== character) return undefined;
  }
  const to = isTill ? at - step : at;
  return { to, kind: isForward ? 'inclusive' : 'exclusive' };
}

const turned = (find: Motion): Motion => ({
  ...find,
  name: find.name === find.name.toLowerCase() ? find.name.toUpperCase() : find.name.toLowerCase(),
});

// Words as defined by vim: runs of characters of one kind; for `W`, everything between spaces. Pure.

/** The kind of a unit; a folded paste and an empty line are separate words. */
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

/** `b`: the start of the previous word. */
function wordBefore(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from - 1;
  while (at > 0 && kindOf(units, at, isBig) === 'blank' && !isEmptyLine(units, at)) at--;
  if (at <= 0) return 0;
  if (isEmptyLine(units, at)) return at;
  const kind = kindOf(units, at, isBig);
  while (at > 0 && kindOf(units, at - 1, isBig) === kind) at--;
  return at;
}

/** `e`: the last character of this word, or of the next one if the cursor is already there. */
export function wordEnd(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from + 1;
  while (at < units.length && kindOf(units, at, isBig) === 'blank') at++;
  const kind = kindOf(units, at, isBig);
  while (at + 1 < units.length && kindOf(units, at + 1, isBig) === kind) at++;
  return Math.min(at, Math.max(units.length - 1, 0));
}

/** `ge`: the last character of the previous word. */
function endBefore(units: readonly Unit[], from: number, isBig: boolean): number {
  let at = from;
  const kind = kindOf(units, at, isBig);
  if (kind !== 'blank') while (at > 0 && kindOf(units, at, isBig) === kind) at--;
  else at--;
  while (at > 0 && kindOf(units, at, isBig) === 'blank' && !isEmptyLine(units, at)) at--;
  return Math.max(at, 0);
}

function isEmptyLine(units: readonly Unit[], at: number): boolean {
  return units[at] === '\n' && (at === 0 || units[at - 1] === '\n');
}

// Matching brackets. Pure.

const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** `%`: the counterpart of the bracket at the cursor, or of the first bracket after it on the line. */
function matchingBracket(units: readonly Unit[], cursor: number): number | undefined {
  const end = lineEnd(units, cursor);
  for (let at = cursor; at < end; at++) {
    const unit = String(units[at]);
    const close = pairs[unit];
    const open = opening[unit];
    if (close !== undefined) return partner(units, at, unit, close, 1);
    if (open !== undefined) return partner(units, at, unit, open, -1);
  }
  return undefined;
}

/** The innermost brackets around a position, or at it. */
export function bracketsAround(
  units: readonly Unit[],
  cursor: number,
  open: string,
  close: string,
): { readonly from: number; readonly to: number } | undefined {
  const from =
    units[cursor] === open ? cursor : partner(units, cursor, close, open, -1, units[cursor] !== close);
  if (from === undefined) return undefined;
  const to = partner(units, from, open, close, 1);
  return to === undefined ? undefined : { from, to };
}

/** Searches for `wanted` in one direction, skipping nested pairs. */
function partner(
  units: readonly Unit[],
  start: number,
  same: string,
  wanted: string,
  step: 1 | -1,
  fromInside = false,
): number | undefined {
  let depth = fromInside ? 1 : 0;
  for (let at = start; at >= 0 && at < units.length; at += step) {
    if (units[at] === same) depth++;
    else if (units[at] === wanted && --depth === 0) return at;
  }
  return undefined;
}
