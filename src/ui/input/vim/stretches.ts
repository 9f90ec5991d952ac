/** The stretch that an operator works on: what a motion passes over, a text object, lines, the selection. Pure. */
import type { TextBuffer } from '../textBuffer.ts';
import { lineEnd, lineStart } from '../words.ts';
import { reach } from './motions.ts';
import { objectAt, type Stretch } from './textObjects.ts';
import type { Operator, Target, VimState } from './types.ts';
import { kindOf, nextWord, wordEnd } from './vimWords.ts';

/** Undefined where there is none: the command does nothing then. */
export function stretchFor(
  { units, cursor }: TextBuffer,
  vim: VimState,
  operator: Operator,
  target: Target,
  count: number | undefined,
): Stretch | undefined {
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
      // A paragraph's end is before the empty line, not on it.
      const isParagraph = motion.name === '}' || motion.name === '{';
      const isWhole = isParagraph && to > from && to < units.length && to === lineStart(units, to);
      return isWhole ? { from, to: to - 1, isLinewise: from === lineStart(units, from) } : { from, to };
    }
  }
}

/** What is selected; in the linewise mode whole lines. */
export function selectionOf(cursor: number, { anchor, mode }: VimState, length: number): Stretch {
  const from = Math.min(anchor, cursor);
  const to = Math.min(Math.max(anchor, cursor) + 1, length);
  return mode === 'visual_line' ? { from, to: Math.max(anchor, cursor), isLinewise: true } : { from, to };
}

/** `$` on an empty line takes nothing. */
function onLine(units: TextBuffer['units'], from: number, to: number, motion: string): Stretch {
  return motion === '$' ? { from, to: Math.min(to, lineEnd(units, Math.max(from, to - 1))) } : { from, to };
}

/** `cw` ends where the word ends; `dw` of a line's last word does not take the newline. */
function words(
  { units, cursor }: Pick<TextBuffer, 'units' | 'cursor'>,
  operator: Operator,
  isBig: boolean,
  count: number,
): Stretch {
  if (operator === 'c' && kindOf(units, cursor, isBig) !== 'blank') {
    // The last character of a word is its end already.
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
