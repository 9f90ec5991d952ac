/** The commands that are one key, and what begins writing. Pure. */
import { applyEdit, type TextBuffer } from '../textBuffer.ts';
import type { Unit } from '../units.ts';
import { lineEnd, lineStart } from '../words.ts';
import { firstNonBlank } from './motions.ts';
import { caseOf, type Operated, operate, place, replace } from './operate.ts';
import type { Register } from './types.ts';

/** What a key does to the text; undefined for keys that do none of this. */
export function simpleCommand(
  buffer: TextBuffer,
  name: string,
  { count = 1, character = '', register }: { count?: number; character?: string; register: Register },
): Operated | undefined {
  const { units, cursor } = buffer;
  const end = lineEnd(units, cursor);
  const start = lineStart(units, cursor);
  const stretchTo = (to: number) => ({ from: cursor, to: Math.min(to, end) });
  switch (name) {
    case 'x':
      return operate(buffer, 'd', stretchTo(cursor + count));
    case 'X':
      return operate(buffer, 'd', { from: Math.max(start, cursor - count), to: cursor });
    case 's':
      return operate(buffer, 'c', stretchTo(cursor + count));
    case 'S':
      return operate(buffer, 'c', { from: cursor, to: linesOn(units, end, count - 1), isLinewise: true });
    case 'D':
      return operate(buffer, 'd', stretchTo(end));
    case 'C':
      return operate(buffer, 'c', stretchTo(end));
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

/** Puts the register back: lines below (or above) the line, other text after (or before) the cursor. */
export function put(
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

/** Copies that one `p` makes at most. */
const MAX_PUTS = 100;

/** Only where there are that many characters on the line. */
function replaced(buffer: TextBuffer, character: string, count: number): Operated {
  const { units, cursor } = buffer;
  if (cursor + count > lineEnd(units, cursor) || character === '') return { buffer };
  const units_: Unit[] = character === '\n' ? ['\n'] : Array<Unit>(count).fill(character);
  const next = replace(buffer, cursor, cursor + count, units_);
  return { buffer: character === '\n' ? next : place(next, next.cursor - 1) };
}

/** Lines become one, a space between them where there is none. */
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
