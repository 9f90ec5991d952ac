/** What keys mean in the picker. Letters are for the filter, so what acts on a session is a key with Control. */
import { type Command, commandsOf } from '../input/keys.ts';
import type { KeyEvent } from '../keys/strokes.ts';

export type PickerAct = 'search' | 'preview' | 'rename' | 'fork' | 'archive' | 'delete' | 'undo';

export type PickerKey =
  | Command
  | { readonly type: 'act'; readonly act: PickerAct }
  | { readonly type: 'page'; readonly by: 1 | -1 }
  | { readonly type: 'jump'; readonly to: 'first' | 'last' };

const acts: Readonly<Record<string, PickerAct>> = {
  f: 'search',
  o: 'preview',
  r: 'rename',
  g: 'fork',
  t: 'archive',
  x: 'delete',
  z: 'undo',
};

/** The keys of one input event; fast typing brings several in one piece. */
export function pickerKeysOf(input: string, key: KeyEvent): readonly PickerKey[] {
  if (key.eventType === 'release' || key.super || key.hyper) return [];
  if (key.pageUp || key.pageDown) return [{ type: 'page', by: key.pageUp ? -1 : 1 }];
  if (key.home || key.end) return [{ type: 'jump', to: key.home ? 'first' : 'last' }];
  if (key.ctrl) {
    const act = acts[input.toLowerCase()];
    return act === undefined ? commandsOf(input, key) : [{ type: 'act', act }];
  }
  if (input.length < 2 || !controls.test(input)) return commandsOf(input, key);
  return input.split(/([\u0001-\u001A])/).flatMap((part, index): readonly PickerKey[] => {
    if (part === '') return [];
    const letter = String.fromCharCode(part.charCodeAt(0) + 96);
    const act = index % 2 === 1 ? acts[letter] : undefined;
    return act === undefined ? commandsOf(part, {}) : [{ type: 'act', act }];
  });
}

const controls = /[\u0001-\u001A]/;
