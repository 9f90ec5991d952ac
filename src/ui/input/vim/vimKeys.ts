/** Keystrokes with vim keys: decides what vim handles and what goes to the keymap. Pure. */
import type { Stroke } from '../../keys/strokes.ts';
import {
  type ComposerContext,
  type ComposerState,
  closed,
  isEmpty,
  type Outcome,
  press,
} from '../composerState.ts';
import type { TextBuffer } from '../textBuffer.ts';
import { lineEnd, lineStart, segment } from '../units.ts';
import { reach } from './motions.ts';
import { type Operated, operate, place, replace, simpleCommand } from './operators.ts';
import { parseVim, startVim, type VimCommand, type VimState } from './parseVim.ts';
import { objectAt, rangeFor, selectionOf } from './textObjects.ts';

/** Handles a keystroke with the keymap. */
type Plain = (state: ComposerState, stroke: Stroke) => Outcome;

/** Handles a keystroke while vim keys are on. */
export function handleVimKey(
  state: ComposerState,
  vim: VimState,
  stroke: Stroke,
  around: ComposerContext,
  plain: Plain,
): Outcome {
  if (stroke.type === 'key') return handleKeyName(state, vim, stroke, around, plain);
  if (vim.mode === 'insert') return adjustForVim(plain(state, stroke));
  // Text that arrives in one chunk is read as commands, and after a command that enters insert mode, as text.
  let next: Outcome = { state };
  const typed = segment(stroke.text);
  for (const [at, key] of typed.entries()) {
    const { vim: now } = next.state;
    if (now === undefined || next.state.search !== undefined || next.effect !== undefined) return next;
    if (now.mode === 'insert')
      return adjustForVim(plain(next.state, { type: 'text', text: typed.slice(at).join('') }));
    next = commandKey(next.state, now, key, around, plain);
  }
  return next;
}

/** Vim names of terminal keys. */
const named: Readonly<Record<string, string>> = { backspace: 'backspace', delete: 'x', 'ctrl+r': 'ctrl+r' };

function handleKeyName(
  state: ComposerState,
  vim: VimState,
  stroke: Extract<Stroke, { type: 'key' }>,
  around: ComposerContext,
  plain: Plain,
): Outcome {
  const { key } = stroke;
  if (vim.mode === 'insert') {
    if (key !== 'escape') return adjustForVim(plain(state, stroke));
    return { state: { ...closed(state), ...leaveInsert(state.buffer, vim) } };
  }
  if (key === 'escape' && vim.keys.length > 0) return { state: withVim(state, { ...vim, keys: [] }) };
  if (key === 'escape' && vim.mode !== 'normal') return { state: withVim(state, { ...vim, mode: 'normal' }) };
  // `r` followed by Enter breaks the line.
  if (key === 'enter' && vim.keys.at(-1) === 'r') return commandKey(state, vim, '\n', around, plain);
  const name = named[key];
  if (name !== undefined) return commandKey(state, vim, name, around, plain);
  return adjustForVim(plain(withVim(state, { ...vim, keys: [] }), stroke));
}

function commandKey(
  state: ComposerState,
  vim: VimState,
  key: string,
  around: ComposerContext,
  plain: Plain,
): Outcome {
  const keys = [...vim.keys, key];
  if (keys.length === 1 && key === '/') return press(state, { type: 'history_search' }, around);
  if (keys.length === 1 && key === '?' && isEmpty(state)) return plain(state, { type: 'text', text: key });
  const parsed = parseVim(keys, vim.mode !== 'normal');
  if (parsed.type !== 'command')
    return { state: withVim(state, { ...vim, keys: parsed.type === 'invalid' ? [] : keys }) };
  const { command } = parsed;
  if (
    command.type === 'motion' &&
    vim.mode === 'normal' &&
    (command.motion.name === 'j' || command.motion.name === 'k')
  ) {
    const type = command.motion.name === 'j' ? 'down' : 'up';
    let next: Outcome = { state: withVim(state, { ...vim, keys: [] }) };
    for (let left = Math.min(command.count ?? 1, MAX_ROWS); left > 0; left--)
      next = press(next.state, { type }, around);
    return adjustForVim(next);
  }
  return { state: { ...closed(state), ...runVim(state.buffer, vim, command) } };
}

/** Maximum rows and prompts that one `j` or `k` passes. */
const MAX_ROWS = 500;

/** After a prompt is sent, starts in insert mode again; otherwise moves the cursor to where the mode allows. */
export function adjustForVim(outcome: Outcome): Outcome {
  const { state, effect } = outcome;
  const { vim } = state;
  if (vim === undefined) return outcome;
  if (effect?.type === 'submit') {
    const { register, change, find } = vim;
    return { ...outcome, state: withVim(state, { ...startVim, register, change, find }) };
  }
  return { ...outcome, state: { ...state, ...withCursorOnCharacter(state.buffer, vim) } };
}

const withVim = (state: ComposerState, vim: VimState): ComposerState => ({ ...state, vim });

// Executes one vim command on the text. Pure.

/** The text and the vim state; the cursor is at a position that the mode allows. */
interface VimOutcome {
  readonly buffer: TextBuffer;
  readonly vim: VimState;
}

function runVim(buffer: TextBuffer, before: VimState, command: VimCommand): VimOutcome {
  const vim = { ...before, keys: [] };
  switch (command.type) {
    case 'motion': {
      const { motion, count } = command;
      const found = reach(buffer.units, buffer.cursor, motion, count, vim.find);
      const find = motion.character === undefined ? vim.find : motion;
      if (found === undefined) return { buffer, vim };
      return withCursorOnCharacter(place(buffer, found.to), { ...vim, find });
    }
    case 'select': {
      const found = objectAt(buffer.units, buffer.cursor, command.object);
      if (found === undefined || found.to <= found.from) return { buffer, vim };
      return withCursorOnCharacter(place(buffer, found.to - 1), { ...vim, anchor: found.from });
    }
    case 'operator': {
      const { operator, target, count } = command;
      const range = rangeFor(buffer, vim, operator, target, count);
      if (range === undefined) return { buffer, vim: leaveVisual(vim) };
      const find =
        target.type === 'motion' && target.motion.character !== undefined ? target.motion : vim.find;
      return after(buffer, operate(buffer, operator, range), { ...vim, find }, command);
    }
    case 'simple':
      return simple(buffer, vim, command);
  }
}

/** Leaves insert mode: the whole insertion becomes one undo step, and the change that `.` repeats. */
function leaveInsert(buffer: TextBuffer, before: VimState): VimOutcome {
  const { insertion, ...vim } = before;
  const normal: VimState = { ...vim, mode: 'normal', keys: [] };
  if (insertion === undefined) return withCursorOnCharacter(place(buffer, backOne(buffer)), normal);
  const { command, from, before: snapshot, undoDepth } = insertion;
  const typed = buffer.cursor > from ? buffer.units.slice(from, buffer.cursor) : [];
  let next = buffer;
  // 3ix writes x three times.
  const again = command.type === 'simple' ? Math.min((command.count ?? 1) - 1, MAX_REPEATS) : 0;
  if ('iaIAoO'.includes(command.type === 'simple' ? command.name : '-') && typed.length > 0)
    for (let left = again; left > 0; left--) next = replace(next, next.cursor, next.cursor, typed);
  const undo = [...next.undo.slice(0, undoDepth), snapshot];
  const isChanged = next.units !== snapshot.units;
  const joined = isChanged && next.undo.length >= undoDepth ? { ...next, undo } : next;
  return withCursorOnCharacter(place(joined, backOne(joined)), { ...normal, change: { command, typed } });
}

const MAX_REPEATS = 100;

function simple(
  buffer: TextBuffer,
  vim: VimState,
  command: Extract<VimCommand, { type: 'simple' }>,
): VimOutcome {
  const { name, count, character } = command;
  if (vim.mode !== 'normal') return onSelection(buffer, vim, command);
  if (name === 'v' || name === 'V')
    return { buffer, vim: { ...vim, mode: name === 'v' ? 'visual' : 'visual_line', anchor: buffer.cursor } };
  if (name === '.') return repeat(buffer, vim, count);
  const parts = { count, character, register: vim.register };
  const defined = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
  const done = simpleCommand(buffer, name, { register: vim.register, ...defined });
  if (done === undefined) return { buffer, vim };
  if (name === 'u' || name === 'ctrl+r') return withCursorOnCharacter(done.buffer, vim);
  return after(buffer, done, vim, command);
}

/** Single-key commands of the visual modes. */
function onSelection(
  buffer: TextBuffer,
  vim: VimState,
  command: Extract<VimCommand, { type: 'simple' }>,
): VimOutcome {
  const { name, character } = command;
  if (name === 'o')
    return withCursorOnCharacter(place(buffer, vim.anchor), { ...vim, anchor: buffer.cursor });
  if (name === 'v' || name === 'V') {
    const mode = name === 'v' ? 'visual' : 'visual_line';
    return { buffer, vim: mode === vim.mode ? leaveVisual(vim) : { ...vim, mode } };
  }
  const range = selectionOf(buffer.cursor, vim, buffer.units.length);
  if (name === 'J') {
    const lines = buffer.units.slice(range.from, range.to).filter((unit) => unit === '\n').length + 1;
    const done = simpleCommand(place(buffer, range.from), 'J', { count: lines, register: vim.register });
    return withCursorOnCharacter(done?.buffer ?? buffer, leaveVisual(vim));
  }
  if (name === 'r' && character !== undefined) {
    const { from, to } = range;
    const units = buffer.units.slice(from, to).map((unit) => (unit === '\n' ? unit : character));
    return withCursorOnCharacter(place(replace(buffer, from, to, units), from), leaveVisual(vim));
  }
  if (name === 'p' || name === 'P') {
    const { buffer: emptied, register } = operate(buffer, 'c', range);
    const { units } = vim.register;
    const next = replace(emptied, emptied.cursor, emptied.cursor, units);
    return withCursorOnCharacter(place(next, next.cursor - 1), {
      ...leaveVisual(vim),
      register: register ?? vim.register,
    });
  }
  return { buffer, vim: leaveVisual(vim) };
}

/** `.`: repeats the last change at the cursor. */
function repeat(buffer: TextBuffer, vim: VimState, count: number | undefined): VimOutcome {
  const { change } = vim;
  if (change === undefined) return { buffer, vim };
  const command =
    count === undefined || change.command.type === 'select' ? change.command : { ...change.command, count };
  const done = runVim(buffer, vim, command);
  if (done.vim.mode !== 'insert') return done;
  const { cursor } = done.buffer;
  const typed = change.typed.length === 0 ? done.buffer : replace(done.buffer, cursor, cursor, change.typed);
  return leaveInsert(typed, done.vim);
}

function after(before: TextBuffer, done: Operated, vim: VimState, command: VimCommand): VimOutcome {
  const { register = vim.register, begins } = done;
  const next = { ...leaveVisual(vim), register };
  if (begins === true) {
    const { units, cursor, undo } = before;
    const insertion = {
      command,
      from: done.buffer.cursor,
      before: { units, cursor },
      undoDepth: undo.length,
    };
    return { buffer: done.buffer, vim: { ...next, mode: 'insert', insertion } };
  }
  const isChanged = done.buffer.units !== before.units && !isOfSelection(command);
  return withCursorOnCharacter(done.buffer, isChanged ? { ...next, change: { command, typed: [] } } : next);
}

const isOfSelection = (command: VimCommand): boolean =>
  command.type === 'operator' && command.target.type === 'selection';

const leaveVisual = (vim: VimState): VimState =>
  vim.mode === 'insert' ? vim : { ...vim, mode: 'normal', keys: [] };

function backOne({ units, cursor }: TextBuffer): number {
  return cursor > lineStart(units, cursor) ? cursor - 1 : cursor;
}

/** Outside insert mode the cursor is on a character, not after the last one of a line. */
function withCursorOnCharacter(buffer: TextBuffer, vim: VimState): VimOutcome {
  const { units, cursor } = buffer;
  const isBehind = cursor === lineEnd(units, cursor) && cursor > lineStart(units, cursor);
  const anchor = Math.min(vim.anchor, units.length);
  // Consecutive j and k keep their column across a short line.
  const { goalColumn } = buffer;
  const moved = isBehind && vim.mode !== 'insert' ? { ...place(buffer, cursor - 1), goalColumn } : buffer;
  return { buffer: moved, vim: { ...vim, anchor } };
}
