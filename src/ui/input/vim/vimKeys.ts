/** Keystrokes with vim keys: decides what vim handles and what goes to the keymap. Pure. */

import type { Stroke } from '../../keys/strokes.ts';
import {
  type ComposerState,
  closed,
  isEmpty,
  type Outcome,
  press,
  type Surroundings,
} from '../composerState.ts';
import { segment } from '../units.ts';
import { parseVim, startVim, type VimState } from './parseVim.ts';
import { leaveInsert, runVim, withCursorOnCharacter } from './runVim.ts';

/** Handles a keystroke with the keymap. */
type Plain = (state: ComposerState, stroke: Stroke) => Outcome;

/** Handles a keystroke while vim keys are on. */
export function handleVimKey(
  state: ComposerState,
  vim: VimState,
  stroke: Stroke,
  around: Surroundings,
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
  around: Surroundings,
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
  around: Surroundings,
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
