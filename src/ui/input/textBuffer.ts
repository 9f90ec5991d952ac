/**
 * The edited text and its cursor, with kill ring and undo: immutable data and pure functions. Invariant: units are
 * whole graphemes or folds, and the cursor is between two of them.
 */
import { layOut, positionAt } from './layout.ts';
import {
  blankWordLeft,
  clean,
  lineEnd,
  lineStart,
  splice,
  type Unit,
  unitsOf,
  wordLeft,
  wordRight,
} from './units.ts';

/** The state that undo restores. */
type Snapshot = { readonly units: readonly Unit[]; readonly cursor: number };

/** The full state of the editor. */
export type TextBuffer = Snapshot & {
  /** The target column of consecutive ↑ and ↓. */
  readonly goalColumn?: number | undefined;
  /** Killed ranges, newest first. */
  readonly killRing: readonly (readonly Unit[])[];
  /** Newest last. */
  readonly undo: readonly Snapshot[];
  /** Undone states, newest last; cleared by the next change. */
  readonly redo?: readonly Snapshot[] | undefined;
  /** Type of the newest edit: consecutive typing is undone as one, consecutive kills are yanked as one. */
  readonly last?: 'typing' | 'kill' | undefined;
  /** Set right after a yank: the state before it, and the index in the kill ring that it used. */
  readonly yank?: { readonly before: Snapshot; readonly index: number } | undefined;
};

/** Destinations of cursor keys; ↑ and ↓ depend on the width: see `moveVertically`. */
export type Move =
  | 'left'
  | 'right'
  | 'word_left'
  | 'word_right'
  | 'line_start'
  | 'line_end'
  | 'start'
  | 'end';

/** One editing step. */
export type Edit =
  | { readonly type: 'insert'; readonly text: string }
  | { readonly type: 'insert_units'; readonly units: readonly Unit[] }
  | { readonly type: 'replace'; readonly from: number; readonly to: number; readonly text: string }
  | {
      readonly type: 'replace_units';
      readonly from: number;
      readonly to: number;
      readonly units: readonly Unit[];
    }
  | { readonly type: 'set'; readonly units: readonly Unit[] }
  /** Moves the cursor to a position. */
  | { readonly type: 'place'; readonly to: number }
  | { readonly type: 'move'; readonly to: Move }
  | { readonly type: 'delete_backward' | 'delete_forward' }
  | { readonly type: 'kill_to_line_start' | 'kill_to_line_end' }
  | { readonly type: 'kill_word_backward' | 'kill_word_forward' | 'kill_blank_word_backward' }
  | { readonly type: 'yank' | 'yank_pop' | 'undo' | 'redo' };

const maxUndo = 200;
const maxKills = 30;

/** Creates a buffer with `text` and the cursor at its end. */
export function createBuffer(text = ''): TextBuffer {
  const units = unitsOf(clean(text));
  return { units, cursor: units.length, killRing: [], undo: [] };
}

/** Applies one edit. An edit without effect returns an equal text and is not recorded for undo. */
export function applyEdit(buffer: TextBuffer, edit: Edit): TextBuffer {
  const { units, cursor } = buffer;
  switch (edit.type) {
    case 'insert':
      return type(buffer, clean(edit.text));
    case 'insert_units':
      return change(buffer, cursor, cursor, edit.units);
    case 'replace':
      return change(buffer, edit.from, edit.to, unitsOf(clean(edit.text)));
    case 'replace_units':
      return change(buffer, edit.from, edit.to, edit.units);
    case 'place':
      return withoutGoalColumn(buffer, { units, cursor: Math.max(0, Math.min(edit.to, units.length)) });
    case 'set':
      return change(buffer, 0, units.length, edit.units);
    case 'move':
      return withoutGoalColumn(buffer, { units, cursor: destination(buffer, edit.to) });
    case 'delete_backward':
      return change(buffer, Math.max(cursor - 1, 0), cursor, []);
    case 'delete_forward':
      return change(buffer, cursor, Math.min(cursor + 1, units.length), []);
    case 'kill_to_line_start':
      return kill(buffer, orNewlineBefore(lineStart(units, cursor), cursor), cursor);
    case 'kill_to_line_end':
      return kill(buffer, cursor, orNewlineAfter(lineEnd(units, cursor), cursor, units.length));
    case 'kill_word_backward':
      return kill(buffer, wordLeft(units, cursor), cursor);
    case 'kill_word_forward':
      return kill(buffer, cursor, wordRight(units, cursor));
    case 'kill_blank_word_backward':
      return kill(buffer, blankWordLeft(units, cursor), cursor);
    case 'yank':
      return yank(buffer, snapshot(buffer), 0);
    case 'yank_pop':
      return buffer.yank === undefined ? buffer : yank(buffer, buffer.yank.before, buffer.yank.index + 1);
    case 'undo':
      return undo(buffer);
    case 'redo':
      return redo(buffer);
  }
}

/** Moves one visual row up or down; undefined at the first or last row, where the key has another meaning. */
export function moveVertically(buffer: TextBuffer, by: -1 | 1, width: number): TextBuffer | undefined {
  const layout = layOut(buffer.units, width);
  const row = layout.rowOf[buffer.cursor] ?? 0;
  const goalColumn = buffer.goalColumn ?? layout.columnOf[buffer.cursor] ?? 0;
  for (let target = row + by; target >= 0 && target < layout.rows.length; target += by) {
    const cursor = positionAt(layout, target, goalColumn);
    // A row entirely inside a fold has no cursor position.
    if (cursor !== undefined && cursor !== buffer.cursor) {
      return { ...withoutGoalColumn(buffer, { units: buffer.units, cursor }), goalColumn };
    }
  }
  return undefined;
}

function destination({ units, cursor }: TextBuffer, to: Move): number {
  switch (to) {
    case 'left':
      return Math.max(cursor - 1, 0);
    case 'right':
      return Math.min(cursor + 1, units.length);
    case 'word_left':
      return wordLeft(units, cursor);
    case 'word_right':
      return wordRight(units, cursor);
    case 'line_start':
      return lineStart(units, cursor);
    case 'line_end':
      return lineEnd(units, cursor);
    case 'start':
      return 0;
    case 'end':
      return units.length;
  }
}

/** Inserts typed text. It joins the preceding run, so that undo removes words instead of letters. */
function type(buffer: TextBuffer, text: string): TextBuffer {
  if (text === '') return buffer;
  const next = change(buffer, buffer.cursor, buffer.cursor, unitsOf(text));
  const continues = buffer.last === 'typing' && !/^\s/.test(text);
  return { ...next, undo: continues ? buffer.undo : next.undo, last: text === '\n' ? undefined : 'typing' };
}

function kill(buffer: TextBuffer, from: number, to: number): TextBuffer {
  if (from === to) return withoutGoalColumn(buffer, snapshot(buffer));
  const killed = buffer.units.slice(from, to);
  const [newest = [], ...older] = buffer.killRing;
  const joined = to === buffer.cursor ? [...killed, ...newest] : [...newest, ...killed];
  const killRing = buffer.last === 'kill' ? [joined, ...older] : [killed, ...buffer.killRing];
  return { ...change(buffer, from, to, []), killRing: killRing.slice(0, maxKills), last: 'kill' };
}

function yank(buffer: TextBuffer, before: Snapshot, index: number): TextBuffer {
  const at = index % Math.max(buffer.killRing.length, 1);
  const killed = buffer.killRing[at];
  if (killed === undefined) return withoutGoalColumn(buffer, snapshot(buffer));
  const undoBefore = buffer.yank === undefined ? buffer.undo : buffer.undo.slice(0, -1);
  const next = change({ ...buffer, ...before, undo: undoBefore }, before.cursor, before.cursor, killed);
  return { ...next, yank: { before, index: at } };
}

function undo(buffer: TextBuffer): TextBuffer {
  const before = buffer.undo.at(-1);
  if (before === undefined) return withoutGoalColumn(buffer, snapshot(buffer));
  const redo = [...(buffer.redo ?? []), snapshot(buffer)];
  return { ...withoutGoalColumn(buffer, before), undo: buffer.undo.slice(0, -1), redo };
}

function redo(buffer: TextBuffer): TextBuffer {
  const after = buffer.redo?.at(-1);
  if (after === undefined) return withoutGoalColumn(buffer, snapshot(buffer));
  const undo = [...buffer.undo, snapshot(buffer)].slice(-maxUndo);
  return { ...withoutGoalColumn(buffer, after), undo, redo: buffer.redo?.slice(0, -1) };
}

function change(buffer: TextBuffer, from: number, to: number, inserted: readonly Unit[]): TextBuffer {
  if (from === to && inserted.length === 0) return withoutGoalColumn(buffer, snapshot(buffer));
  const undo = [...buffer.undo, snapshot(buffer)].slice(-maxUndo);
  return { ...withoutGoalColumn(buffer, splice(buffer.units, from, to, inserted)), undo, redo: undefined };
}

/** Sets text and cursor, and ends any run of typing, kills, yanks or vertical moves. */
function withoutGoalColumn(buffer: TextBuffer, { units, cursor }: Snapshot): TextBuffer {
  const { killRing, undo, redo } = buffer;
  return redo === undefined ? { units, cursor, killRing, undo } : { units, cursor, killRing, undo, redo };
}

const snapshot = ({ units, cursor }: TextBuffer): Snapshot => ({ units, cursor });

/** At the edge of a line, killing to that edge removes the newline. */
const orNewlineBefore = (start: number, cursor: number): number =>
  start === cursor ? Math.max(cursor - 1, 0) : start;
const orNewlineAfter = (end: number, cursor: number, length: number): number =>
  end === cursor ? Math.min(cursor + 1, length) : end;
