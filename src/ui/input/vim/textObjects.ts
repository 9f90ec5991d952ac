/** What `iw`, `a"`, `i(` stand for. Pure. */
import type { Unit } from '../units.ts';
import { lineEnd, lineStart } from '../words.ts';
import { bracketsAround } from './brackets.ts';
import type { TextObject } from './types.ts';
import { kindOf } from './vimWords.ts';

/** A stretch of units, its end not included; a linewise one ends somewhere on its last line. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly isLinewise?: boolean;
}

const brackets: Readonly<Record<string, readonly [string, string]>> = {
  '(': ['(', ')'],
  ')': ['(', ')'],
  b: ['(', ')'],
  '{': ['{', '}'],
  '}': ['{', '}'],
  B: ['{', '}'],
  '[': ['[', ']'],
  ']': ['[', ']'],
  '<': ['<', '>'],
  '>': ['<', '>'],
};

export function objectAt(
  units: readonly Unit[],
  cursor: number,
  { name, isAround }: TextObject,
): Stretch | undefined {
  if (name === 'w' || name === 'W') return word(units, cursor, name === 'W', isAround);
  if (name === 'p') return paragraph(units, cursor, isAround);
  const pair = brackets[name];
  if (pair === undefined) return quoted(units, cursor, name, isAround);
  const found = bracketsAround(units, cursor, ...pair);
  if (found === undefined) return undefined;
  return isAround ? { from: found.from, to: found.to + 1 } : { from: found.from + 1, to: found.to };
}

function word(
  units: readonly Unit[],
  cursor: number,
  isBig: boolean,
  isAround: boolean,
): Stretch | undefined {
  const [start, end] = [lineStart(units, cursor), lineEnd(units, cursor)];
  if (cursor >= end) return undefined;
  const run = (at: number): readonly [number, number] => {
    const kind = kindOf(units, at, isBig);
    let [from, to] = [at, at + 1];
    while (from > start && kindOf(units, from - 1, isBig) === kind) from--;
    while (to < end && kindOf(units, to, isBig) === kind) to++;
    return [from, to];
  };
  const [from, to] = run(cursor);
  if (!isAround) return { from, to };
  if (to < end && kindOf(units, cursor, isBig) === 'blank') return { from, to: run(to)[1] };
  if (to < end && kindOf(units, to, isBig) === 'blank') return { from, to: run(to)[1] };
  const before = from > start && kindOf(units, from - 1, isBig) === 'blank' ? run(from - 1)[0] : from;
  return { from: before, to };
}

function quoted(
  units: readonly Unit[],
  cursor: number,
  quote: string,
  isAround: boolean,
): Stretch | undefined {
  const [start, end] = [lineStart(units, cursor), lineEnd(units, cursor)];
  const places: number[] = [];
  for (let at = start; at < end; at++) {
    if (units[at] === '\\') at++;
    else if (units[at] === quote) places.push(at);
  }
  for (let pair = 0; pair + 1 < places.length; pair += 2) {
    const [from = 0, to = 0] = places.slice(pair, pair + 2);
    if (cursor > to) continue;
    if (!isAround) return { from: from + 1, to };
    let after = to + 1;
    while (after < end && units[after] === ' ') after++;
    return { from, to: after };
  }
  return undefined;
}

/** Lines up to the next empty one; around it, the empty ones after it too. */
function paragraph(units: readonly Unit[], cursor: number, isAround: boolean): Stretch {
  const isEmpty = (at: number): boolean => lineStart(units, at) === lineEnd(units, at);
  const kind = isEmpty(cursor);
  let from = lineStart(units, cursor);
  while (from > 0 && isEmpty(from - 1) === kind) from = lineStart(units, from - 1);
  let to = lineEnd(units, cursor);
  while (to < units.length && isEmpty(to + 1) === kind) to = lineEnd(units, to + 1);
  if (isAround) while (to < units.length && isEmpty(to + 1) !== kind) to = lineEnd(units, to + 1);
  return { from, to, isLinewise: true };
}
