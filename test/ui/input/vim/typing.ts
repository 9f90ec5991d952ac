/** Types keys into a composer without a screen. In texts, `|` is the cursor; in keys, `<esc>` and the like are keys. */

import { type ComposerKeyContext, handleKey } from '../../../../src/ui/input/composerKeys.ts';
import {
  type ComposerState,
  createComposerState,
  type Outcome,
} from '../../../../src/ui/input/composerState.ts';
import { abbreviate, segment, unitsOf } from '../../../../src/ui/input/units.ts';
import { startVim, type VimState } from '../../../../src/ui/input/vim/parseVim.ts';
import { defaultKeymap, type Keymap } from '../../../../src/ui/keys/keymap.ts';
import type { Stroke } from '../../../../src/ui/keys/strokes.ts';

export const around = (keymap: Keymap = defaultKeymap): ComposerKeyContext => ({
  width: 80,
  keymap,
  suggest: () => undefined,
  popQueued: () => undefined,
});

/** A composer in vim mode, in the given state. */
export function vimComposer(text: string, mode: VimState['mode'] = 'normal'): ComposerState {
  const at = text.indexOf('|');
  const bare = text.replace('|', '');
  const state = createComposerState(bare);
  const cursor = at === -1 ? 0 : unitsOf(bare.slice(0, at)).length;
  return { ...state, buffer: { ...state.buffer, cursor }, vim: { ...startVim, mode } };
}

const named: Readonly<Record<string, string>> = {
  esc: 'escape',
  cr: 'enter',
  bs: 'backspace',
  'c-r': 'ctrl+r',
  left: 'left',
  right: 'right',
};

export function strokesOfKeys(keys: string): readonly Stroke[] {
  return keys.split(/(<[a-z-]+>)/).flatMap((part): readonly Stroke[] => {
    const name = named[part.slice(1, -1)];
    if (/^<[a-z-]+>$/.test(part) && name !== undefined) return [{ type: 'key', key: name }];
    return segment(part).map((text) => ({ type: 'text', text }));
  });
}

/** Types and returns every outcome. */
export function typeAll(
  state: ComposerState,
  strokes: readonly Stroke[],
  keymap?: Keymap,
): readonly Outcome[] {
  const outcomes: Outcome[] = [];
  let now = state;
  for (const stroke of strokes) {
    const outcome = handleKey(now, stroke, around(keymap));
    outcomes.push(outcome);
    now = outcome.state;
  }
  return outcomes;
}

export function typed(state: ComposerState, keys: string): ComposerState {
  return typeAll(state, strokesOfKeys(keys)).at(-1)?.state ?? state;
}

/** The text with the cursor in it. */
export function shown({ buffer }: ComposerState): string {
  const { units, cursor } = buffer;
  return `${abbreviate(units.slice(0, cursor))}|${abbreviate(units.slice(cursor))}`;
}
