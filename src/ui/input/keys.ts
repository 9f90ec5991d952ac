import type { Edit } from './textBuffer.ts';

/**
 * What a key asks of whoever owns the composer; what each does is in `ui/controller/reduce.ts`, which keys they have in
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
