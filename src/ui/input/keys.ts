import { defaultKeymap, readStroke } from '../keys/keymap.ts';
import { type KeyEvent, strokesOf } from '../keys/strokes.ts';
import type { Edit } from './textBuffer.ts';

/**
 * What a key asks of whoever owns the composer; what each does is in `ui/deeds`, which keys they have in
 * `ui/keys/actions.ts`. `eof` is Ctrl+D on an empty composer.
 */
export type Intent =
  | 'clear_or_exit'
  | 'cycle_mode'
  | 'eof'
  | 'redraw'
  | 'escape'
  | 'help'
  | 'suspend'
  | 'edit_draft'
  | 'pick_model'
  | 'background'
  | 'todos'
  | 'paste_image'
  | 'toggle_reasoning'
  | 'toggle_vim'
  | 'transcript';

/** Edits that need nothing but their name. */
export type EditName = Exclude<Edit, { text: string } | { units: unknown } | { to: unknown }>['type'];

/** What a key means in the composer, before popup, history and buffer decide what comes of it. */
export type Command =
  | { readonly type: 'edit'; readonly edit: Edit }
  | { readonly type: 'enter' | 'newline' | 'up' | 'down' | 'tab' | 'escape' }
  /** Ctrl+D deletes the next character, or ends an empty composer. */
  | { readonly type: 'delete_or_eof' }
  | { readonly type: 'history_search' | 'stash' }
  /** Inside the history search. */
  | { readonly type: 'search'; readonly step: 'older' | 'newer' | 'scope' | 'take' | 'send' | 'cancel' }
  | { readonly type: 'intent'; readonly intent: Intent };

/** Intents that a dialog takes as a wish to leave it; the others mean nothing there. */
const leavesDialog: readonly Intent[] = ['clear_or_exit', 'cycle_mode', 'eof', 'redraw', 'escape'];

/** Commands for one Ink input event in a dialog or a text field, where the keys are always the built-in ones. */
export function commandsOf(input: string, key: KeyEvent): readonly Command[] {
  return strokesOf(input, key).flatMap((stroke): readonly Command[] => {
    const reading = readStroke(defaultKeymap, stroke, { contexts: ['Chat', 'Global'], isEmpty: false });
    if (reading.type === 'text') return [{ type: 'edit', edit: { type: 'insert', text: reading.text } }];
    return reading.type === 'command' && countsInDialog(reading.command) ? [reading.command] : [];
  });
}

function countsInDialog(command: Command): boolean {
  if (command.type === 'intent') return leavesDialog.includes(command.intent);
  return command.type !== 'history_search' && command.type !== 'stash';
}
