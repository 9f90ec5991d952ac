/** What operators do to a stretch of the text. Pure. */
import { applyEdit, type TextBuffer } from '../textBuffer.ts';
import type { Unit } from '../units.ts';
import { lineEnd, lineStart } from '../words.ts';
import { firstNonBlank } from './motions.ts';
import type { Stretch } from './textObjects.ts';
import type { Operator, Register } from './types.ts';

/** The text after an operator, what it took into the register, and whether writing begins. */
export interface Operated {
  readonly buffer: TextBuffer;
  readonly register?: Register;
  readonly begins?: boolean;
}

/** Cells that `>` and `<` move by. */
const INDENT = 2;

/** Applies an operator to a stretch; of a linewise one, to the whole lines that it touches. */
export function operate(buffer: TextBuffer, operator: Operator, stretch: Stretch): Operated {
  const lines = wholeLines(buffer.units, stretch);
  const { from, to } = stretch.isLinewise === true ? lines : stretch;
  const taken = buffer.units.slice(from, to);
  const register = { units: taken, isLinewise: stretch.isLinewise === true };
  switch (operator) {
    case 'y':
      return { buffer: place(buffer, stretch.isLinewise === true ? stretch.from : from), register };
    case 'd':
      if (stretch.isLinewise !== true)
        return { buffer: place(replace(buffer, from, to, []), from), register };
      return { buffer: deleteLines(buffer, from, to), register };
    case 'c':
      return { buffer: place(replace(buffer, from, to, []), from), register, begins: true };
    case '>':
    case '<':
      return { buffer: indent(buffer, lines, operator === '>') };
    case '~':
    case 'u':
    case 'U': {
      const changed = replace(buffer, from, to, taken.map(caseOf(operator)));
      return { buffer: place(changed, from) };
    }
  }
}

/** The same units with other capitals; folded pastes stay. */
export function caseOf(how: '~' | 'u' | 'U'): (unit: Unit) => Unit {
  return (unit) => {
    if (typeof unit !== 'string') return unit;
    const [lower, upper] = [unit.toLowerCase(), unit.toUpperCase()];
    const turned = how === 'u' ? lower : how === 'U' ? upper : unit === lower ? upper : lower;
    // ß becomes two letters: one unit stays one.
    return [...turned].length === [...unit].length ? turned : unit;
  };
}

export function replace(buffer: TextBuffer, from: number, to: number, units: readonly Unit[]): TextBuffer {
  return applyEdit(buffer, { type: 'replace_units', from, to, units });
}

export function place(buffer: TextBuffer, to: number): TextBuffer {
  return applyEdit(buffer, { type: 'place', to });
}

/** From the first line's start to the last line's end, its newline left out. */
function wholeLines(units: readonly Unit[], { from, to, isLinewise }: Stretch): Stretch {
  const last = isLinewise === true ? to : Math.max(from, to - 1);
  return { from: lineStart(units, from), to: lineEnd(units, last) };
}

/** Lines go with one newline: the one after them, or before where they are the last. */
function deleteLines(buffer: TextBuffer, from: number, to: number): TextBuffer {
  const isLast = to === buffer.units.length;
  const changed = isLast ? replace(buffer, Math.max(from - 1, 0), to, []) : replace(buffer, from, to + 1, []);
  const at = isLast ? lineStart(changed.units, changed.units.length) : from;
  return place(changed, firstNonBlank(changed.units, at));
}

function indent(buffer: TextBuffer, { from, to }: Stretch, isDeeper: boolean): TextBuffer {
  const lines: Unit[][] = [[]];
  for (const unit of buffer.units.slice(from, to))
    if (unit === '\n') lines.push([]);
    else lines.at(-1)?.push(unit);
  const moved = lines.map((line): Unit[] => {
    if (isDeeper) return line.length === 0 ? line : [...Array<Unit>(INDENT).fill(' '), ...line];
    let blanks = 0;
    while (blanks < INDENT && line[blanks] === ' ') blanks++;
    return line.slice(line[0] === '\t' ? 1 : blanks);
  });
  const units = moved.flatMap((line, at): Unit[] => (at === 0 ? line : ['\n', ...line]));
  const changed = replace(buffer, from, to, units);
  return place(changed, firstNonBlank(changed.units, from));
}
