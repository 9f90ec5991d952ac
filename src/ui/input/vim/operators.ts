/** Effects of operators on a range of text. Pure. */
import { applyEdit, type TextBuffer } from '../textBuffer.ts';
import { lineEnd, lineStart, type Unit } from '../units.ts';
import { firstNonBlank } from './motions.ts';
import type { Operator, Register } from './parseVim.ts';
import type { TextRange } from './textObjects.ts';

/** The text after an operator, the text it stored in the register, and whether insert mode begins. */
export interface Operated {
  readonly buffer: TextBuffer;
  readonly register?: Register;
  readonly begins?: boolean;
}

/** Columns that `>` and `<` shift by. */
const INDENT = 2;

/** Applies an operator to a range; if linewise, to all lines that it touches. */
export function operate(buffer: TextBuffer, operator: Operator, range: TextRange): Operated {
  const lines = wholeLines(buffer.units, range);
  const { from, to } = range.isLinewise === true ? lines : range;
  const taken = buffer.units.slice(from, to);
  const register = { units: taken, isLinewise: range.isLinewise === true };
  switch (operator) {
    case 'y':
      return { buffer: place(buffer, range.isLinewise === true ? range.from : from), register };
    case 'd':
      if (range.isLinewise !== true) return { buffer: place(replace(buffer, from, to, []), from), register };
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

/** Changes the case of a unit; folded pastes stay unchanged. */
function caseOf(how: '~' | 'u' | 'U'): (unit: Unit) => Unit {
  return (unit) => {
    if (typeof unit !== 'string') return unit;
    const [lower, upper] = [unit.toLowerCase(), unit.toUpperCase()];
    const turned = how === 'u' ? lower : how === 'U' ? upper : unit === lower ? upper : lower;
    // ß would become two letters, but one unit must stay one.
    return [...turned].length === [...unit].length ? turned : unit;
  };
}

export function replace(buffer: TextBuffer, from: number, to: number, units: readonly Unit[]): TextBuffer {
  return applyEdit(buffer, { type: 'replace_units', from, to, units });
}

export function place(buffer: TextBuffer, to: number): TextBuffer {
  return applyEdit(buffer, { type: 'place', to });
}

/** From the start of the first line to the end of the last one, without its newline. */
function wholeLines(units: readonly Unit[], { from, to, isLinewise }: TextRange): TextRange {
  const last = isLinewise === true ? to : Math.max(from, to - 1);
  return { from: lineStart(units, from), to: lineEnd(units, last) };
}

/** Deletes lines with one newline: the following one, or for the last line the preceding one. */
function deleteLines(buffer: TextBuffer, from: number, to: number): TextBuffer {
  const isLast = to === buffer.units.length;
  const changed = isLast ? replace(buffer, Math.max(from - 1, 0), to, []) : replace(buffer, from, to + 1, []);
  const at = isLast ? lineStart(changed.units, changed.units.length) : from;
  return place(changed, firstNonBlank(changed.units, at));
}

function indent(buffer: TextBuffer, { from, to }: TextRange, isDeeper: boolean): TextBuffer {
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

// Commands of a single key, and commands that enter insert mode. Pure.

/** Runs a single-key command; undefined for any other key. */
export function simpleCommand(
  buffer: TextBuffer,
  name: string,
  { count = 1, character = '', register }: { count?: number; character?: string; register: Register },
): Operated | undefined {
  const { units, cursor } = buffer;
  const end = lineEnd(units, cursor);
  const start = lineStart(units, cursor);
  const rangeTo = (to: number) => ({ from: cursor, to: Math.min(to, end) });
  switch (name) {
    case 'x':
      return operate(buffer, 'd', rangeTo(cursor + count));
    case 'X':
      return operate(buffer, 'd', { from: Math.max(start, cursor - count), to: cursor });
    case 's':
      return operate(buffer, 'c', rangeTo(cursor + count));
    case 'S':
      return operate(buffer, 'c', { from: cursor, to: linesOn(units, end, count - 1), isLinewise: true });
    case 'D':
      return operate(buffer, 'd', rangeTo(end));
    case 'C':
      return operate(buffer, 'c', rangeTo(end));
    case 'Y':
      return operate(buffer, 'y', { from: cursor, to: linesOn(units, end, count - 1), isLinewise: true });
    case 'p':
    case 'P':
      return { buffer: put(buffer, register, name === 'P', count) };
    case 'r':
      return replaced(buffer, character, count);
    case '~': {
      const to = Math.min(cursor + count, end);
      return { buffer: place(replace(buffer, cursor, to, units.slice(cursor, to).map(caseOf('~'))), to) };
    }
    case 'J':
      return { buffer: join(buffer, Math.max(count - 1, 1)) };
    case 'i':
      return { buffer, begins: true };
    case 'I':
      return { buffer: place(buffer, firstNonBlank(units, cursor)), begins: true };
    case 'a':
      return { buffer: place(buffer, Math.min(cursor + 1, end)), begins: true };
    case 'A':
      return { buffer: place(buffer, end), begins: true };
    case 'o':
      return { buffer: replace(buffer, end, end, ['\n']), begins: true };
    case 'O':
      return { buffer: place(replace(buffer, start, start, ['\n']), start), begins: true };
    case 'u':
    case 'ctrl+r':
      return { buffer: times(buffer, count, name === 'u' ? 'undo' : 'redo') };
    default:
      return undefined;
  }
}

/** Puts the register: lines below (or above) the current line, other text after (or before) the cursor. */
function put(
  buffer: TextBuffer,
  { units: text, isLinewise }: Register,
  isBefore: boolean,
  count: number,
): TextBuffer {
  if (text.length === 0 && !isLinewise) return buffer;
  const { units, cursor } = buffer;
  const many = Array.from({ length: Math.min(count, MAX_PUTS) }, () => text);
  if (isLinewise && isBefore) {
    const start = lineStart(units, cursor);
    const next = replace(
      buffer,
      start,
      start,
      many.flatMap((lines): Unit[] => [...lines, '\n']),
    );
    return place(next, firstNonBlank(next.units, start));
  }
  if (isLinewise) {
    const end = lineEnd(units, cursor);
    const next = replace(
      buffer,
      end,
      end,
      many.flatMap((lines): Unit[] => ['\n', ...lines]),
    );
    return place(next, firstNonBlank(next.units, end + 1));
  }
  const at = isBefore ? cursor : Math.min(cursor + 1, lineEnd(units, cursor));
  const next = replace(buffer, at, at, many.flat());
  return place(next, next.cursor - 1);
}

/** Maximum copies that one `p` inserts. */
const MAX_PUTS = 100;

/** Does nothing if the line has fewer than `count` characters left. */
function replaced(buffer: TextBuffer, character: string, count: number): Operated {
  const { units, cursor } = buffer;
  if (cursor + count > lineEnd(units, cursor) || character === '') return { buffer };
  const units_: Unit[] = character === '\n' ? ['\n'] : Array<Unit>(count).fill(character);
  const next = replace(buffer, cursor, cursor + count, units_);
  return { buffer: character === '\n' ? next : place(next, next.cursor - 1) };
}

/** Joins lines with a space between them unless there is one already. */
function join(buffer: TextBuffer, count: number): TextBuffer {
  let next = buffer;
  for (let left = count; left > 0; left--) {
    const { units } = next;
    const end = lineEnd(units, next.cursor);
    if (end === units.length) return next;
    let after = end + 1;
    while (units[after] === ' ' || units[after] === '\t') after++;
    const isBare = after === units.length || units[after] === '\n' || end === lineStart(units, end);
    const space = isBare || units[end - 1] === ' ' ? [] : [' '];
    next = place(replace(next, end, after, space), end);
  }
  return next;
}

function times(buffer: TextBuffer, count: number, type: 'undo' | 'redo'): TextBuffer {
  let next = buffer;
  for (let left = Math.min(count, 1000); left > 0; left--) next = applyEdit(next, { type });
  return next;
}

function linesOn(units: readonly Unit[], end: number, count: number): number {
  let at = end;
  for (let left = count; left > 0 && at < units.length; left--) at = lineEnd(units, at + 1);
  return at;
}
