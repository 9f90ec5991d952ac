import type { Unit } from './units.ts';

/** The word under the cursor that asks for completion: `/query` at the start, or `@query` anywhere. */
export type Trigger = {
  readonly kind: 'command' | 'file';
  /** What stands between the sign and the cursor, an opening quote left out. */
  readonly query: string;
  /** The units that an accepted suggestion replaces, sign included: from `from` up to `to`. */
  readonly from: number;
  readonly to: number;
};

/** Finds the completion asked for at the cursor, if any. */
export function findTrigger(units: readonly Unit[], cursor: number): Trigger | undefined {
  return commandAt(units, cursor) ?? fileAt(units, cursor);
}

function commandAt(units: readonly Unit[], cursor: number): Trigger | undefined {
  const query = textBetween(units, 1, cursor);
  // A second slash makes it a path, and a path is a prompt.
  if (units[0] !== '/' || cursor === 0 || query === undefined || /[\s/]/.test(query)) return undefined;
  return { kind: 'command', query, from: 0, to: endOfWord(units, cursor) };
}

function fileAt(units: readonly Unit[], cursor: number): Trigger | undefined {
  for (let from = cursor - 1; from >= 0; from--) {
    const unit = units[from];
    if (typeof unit !== 'string' || unit === '\n') return undefined;
    if (unit !== '@') continue;
    const before = units[from - 1];
    // An address such as me@example.org is no request; "看@src", without a space, is.
    if (typeof before === 'string' && /[\w.+-]/.test(before)) continue;
    const text = textBetween(units, from + 1, cursor) ?? '';
    if (text.startsWith('"')) {
      return text.includes('"', 1)
        ? undefined
        : { kind: 'file', query: text.slice(1), from, to: endOfQuote(units, cursor) };
    }
    if (/\s/.test(text)) return undefined;
    return { kind: 'file', query: text, from, to: endOfWord(units, cursor) };
  }
  return undefined;
}

/** The text between two positions; undefined if a folded paste stands there. */
function textBetween(units: readonly Unit[], from: number, to: number): string | undefined {
  let text = '';
  for (const unit of units.slice(from, to)) {
    if (typeof unit !== 'string') return undefined;
    text += unit;
  }
  return text;
}

function endOfWord(units: readonly Unit[], cursor: number): number {
  let end = cursor;
  while (end < units.length && typeof units[end] === 'string' && !/^\s/.test(String(units[end]))) end++;
  return end;
}

/** Behind the closing quote where there is one on this line, else at the cursor. */
function endOfQuote(units: readonly Unit[], cursor: number): number {
  for (let end = cursor; end < units.length && units[end] !== '\n'; end++) {
    if (units[end] === '"') return end + 1;
  }
  return cursor;
}
