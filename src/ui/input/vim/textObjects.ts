/** Ranges of text objects such as `iw`, `a"` and `i(`. Pure. */
import type { TextBuffer } from '../textBuffer.ts';
import { lineEnd, lineStart, type Unit } from '../units.ts';
import { bracketsAround, kindOf, nextWord, reach, wordEnd } from './motions.ts';
import type { Operator, Target, TextObject, VimState } from './parseVim.ts';

/** A range of units; `to` is exclusive. A linewise range ends anywhere on its last line. */
export interface TextRange {
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
): TextRange | undefined {
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
): TextRange | undefined {
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
): TextRange | undefined {
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

/** Consecutive non-empty lines; with `isAround`, including the empty lines after them. */
function paragraph(units: readonly Unit[], cursor: number, isAround: boolean): TextRange {
  const isEmpty = (at: number): boolean => lineStart(units, at) === lineEnd(units, at);
  const kind = isEmpty(cursor);
  let from = lineStart(units, cursor);
  while (from > 0 && isEmpty(from - 1) === kind) from = lineStart(units, from - 1);
  let to = lineEnd(units, cursor);
  while (to < units.length && isEmpty(to + 1) === kind) to = lineEnd(units, to + 1);
  if (isAround) while (to < units.length && isEmpty(to + 1) !== kind) to = lineEnd(units, to + 1);
  return { from, to, isLinewise: true };
}

// The range of an operator: the text that a motion passes, a text object, lines, or the selection. Pure.

/** Undefined if there is none; the command then does nothing. */
export function rangeFor(
  { units, cursor }: TextBuffer,
  vim: VimState,
  operator: Operator,
  target: Target,
  count: number | undefined,
): TextRange | undefined {
  switch (target.type) {
    case 'selection':
      return selectionOf(cursor, vim, units.length);
    case 'object':
      return objectAt(units, cursor, target.object);
    case 'lines': {
      let end = lineEnd(units, cursor);
      for (let left = (count ?? 1) - 1; left > 0 && end < units.length; left--) end = lineEnd(units, end + 1);
      return { from: cursor, to: end, isLinewise: true };
    }
    case 'motion': {
      const { motion } = target;
      const isWord = motion.name === 'w' || motion.name === 'W';
      if (isWord) return words({ units, cursor }, operator, motion.name === 'W', count ?? 1);
      const found = reach(units, cursor, motion, count, vim.find);
      if (found === undefined) return undefined;
      const [from, to] = [Math.min(cursor, found.to), Math.max(cursor, found.to)];
      if (found.kind === 'linewise') return { from, to, isLinewise: true };
      if (found.kind === 'inclusive') return onLine(units, from, to + 1, motion.name);
      // A paragraph ends before the empty line, not on it.
      const isParagraph = motion.name === '}' || motion.name === '{';
      const isWhole = isParagraph && to > from && to < units.length && to === lineStart(units, to);
      return isWhole ? { from, to: to - 1, isLinewise: from === lineStart(units, from) } : { from, to };
    }
  }
}

/** The selection; whole lines in linewise mode. */
export function selectionOf(cursor: number, { anchor, mode }: VimState, length: number): TextRange {
  const from = Math.min(anchor, cursor);
  const to = Math.min(Math.max(anchor, cursor) + 1, length);
  return mode === 'visual_line' ? { from, to: Math.max(anchor, cursor), isLinewise: true } : { from, to };
}

/** `$` on an empty line selects nothing. */
function onLine(units: TextBuffer['units'], from: number, to: number, motion: string): TextRange {
  return motion === '$' ? { from, to: Math.min(to, lineEnd(units, Math.max(from, to - 1))) } : { from, to };
}

/** `cw` ends at the end of the word; `dw` on the last word of a line keeps the newline. */
function words(
  { units, cursor }: Pick<TextBuffer, 'units' | 'cursor'>,
  operator: Operator,
  isBig: boolean,
  count: number,
): TextRange {
  if (operator === 'c' && kindOf(units, cursor, isBig) !== 'blank') {
    // The last character of a word already is its end.
    let at = cursor - 1;
    for (let left = count; left > 0; left--) at = wordEnd(units, at, isBig);
    return { from: cursor, to: Math.min(at + 1, units.length) };
  }
  let at = cursor;
  for (let left = count; left > 0; left--) {
    const next = nextWord(units, at, isBig);
    const end = lineEnd(units, at);
    at = left === 1 && next > end && end > cursor ? end : next;
  }
  return { from: cursor, to: at };
}
