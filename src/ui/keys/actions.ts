/**
 * Every action that a key can be bound to: its name (the one that other coding agents use in `keybindings.json`, if
 * they have it), its default keys, and its command for the composer. The keys page, `/keys`, `?` and docs/keys.md are
 * generated from this table.
 */
import type { Edit, Move } from '../input/textBuffer.ts';
import { type DialogContext, dialogActions } from './dialogActions.ts';

/** Where a binding applies. */
export type KeyContext = WritingContext | DialogContext;

/** The contexts in which the composer has the keys. */
export type WritingContext = 'Global' | 'Chat' | 'Autocomplete' | 'HistorySearch';

export interface Action {
  readonly name: string;
  readonly context: KeyContext;
  /** Canonical names, as returned by `parseKeys`. */
  readonly keys: readonly string[];
  /** What it does, in a few words. */
  readonly description: string;
  /** The command for the composer; absent if the name is enough, as in dialogs. */
  readonly command?: Command;
  /** True if its keys cannot be changed: without them there might be no way out. */
  readonly isFixed?: boolean;
  /** True for obvious keys: left out of `?`, where space is scarce. */
  readonly isPlain?: boolean;
}

const moves: Readonly<Record<Move, string>> = {
  left: 'left',
  right: 'right',
  word_left: 'to the start of the word',
  word_right: 'to the end of the word',
  line_start: 'to the start of the line',
  line_end: 'to the end of the line',
  start: 'to the very start',
  end: 'to the very end',
};

export const actions: readonly Action[] = [
  fixed(
    'app:interrupt',
    'Global',
    ['ctrl+c'],
    'interrupt, or clear the line; twice quits',
    intent('clear_or_exit'),
  ),
  fixed('app:exit', 'Global', ['ctrl+d'], 'delete the next character; twice on an empty line quits', {
    type: 'delete_or_eof',
  }),
  action('app:help', 'Global', ['?'], 'show keyboard shortcuts', intent('help')),
  action('app:suspend', 'Global', ['ctrl+z'], 'suspend; fg resumes', intent('suspend')),
  action('app:toggleTodos', 'Global', ['ctrl+t'], 'show or hide the todo list', intent('todos')),
  action('app:toggleTranscript', 'Global', ['ctrl+o'], 'full transcript', intent('transcript')),
  action('app:redraw', 'Global', ['ctrl+l'], 'redraw the screen', intent('redraw')),
  action('history:search', 'Global', ['ctrl+r'], 'search earlier prompts', { type: 'history_search' }),

  fixed('chat:cancel', 'Chat', ['escape'], 'interrupt; twice clears the line or rewinds', {
    type: 'escape',
  }),
  action('chat:submit', 'Chat', ['enter'], 'send', { type: 'enter' }),
  action(
    'chat:newline',
    'Chat',
    ['ctrl+j', 'shift+enter', 'alt+enter', 'ctrl+enter'],
    'new line (\\ and Enter too)',
    {
      type: 'newline',
    },
  ),
  action('chat:cycleMode', 'Chat', ['shift+tab'], 'next permission mode', intent('cycle_mode')),
  action('chat:modelPicker', 'Chat', ['alt+p'], 'choose a model', intent('pick_model')),
  action('chat:cycleEffort', 'Chat', ['alt+shift+t'], 'reason more, then less again', intent('cycle_effort')),
  action('chat:thinkingToggle', 'Chat', ['alt+t'], 'show or hide reasoning', intent('toggle_reasoning')),
  action(
    'chat:externalEditor',
    'Chat',
    ['ctrl+g', 'ctrl+x ctrl+e'],
    'edit the prompt in $EDITOR',
    intent('edit_draft'),
  ),
  action(
    'task:background',
    'Chat',
    ['ctrl+b'],
    'move the running command to the background (/tasks)',
    intent('background'),
  ),
  action('chat:imagePaste', 'Chat', ['ctrl+v', 'alt+v'], 'paste an image', intent('paste_image')),
  action('chat:stash', 'Chat', ['ctrl+s'], 'stash the draft; on an empty line restore it', {
    type: 'stash',
  }),
  action('history:previous', 'Chat', ['up', 'ctrl+p'], 'row up, then earlier prompts; edits queued ones', {
    type: 'up',
  }),
  action('history:next', 'Chat', ['down', 'ctrl+n'], 'row down, then later prompts', { type: 'down' }),
  action('chat:complete', 'Chat', ['tab'], 'accept the suggestion', { type: 'tab' }),
  action('chat:vimToggle', 'Chat', [], 'toggle vim mode', intent('toggle_vim')),
  edit('chat:undo', ['ctrl+_', 'ctrl+-', 'ctrl+/'], 'undo', 'undo'),

  move('edit:left', ['left'], 'left', true),
  move('edit:right', ['right', 'ctrl+f'], 'right', true),
  move('edit:wordLeft', ['alt+b', 'ctrl+left', 'alt+left'], 'word_left'),
  move('edit:wordRight', ['alt+f', 'ctrl+right', 'alt+right'], 'word_right'),
  move('edit:lineStart', ['ctrl+a', 'home'], 'line_start'),
  move('edit:lineEnd', ['ctrl+e', 'end'], 'line_end'),
  move('edit:start', ['alt+<', 'ctrl+home', 'alt+home'], 'start'),
  move('edit:end', ['alt+>', 'ctrl+end', 'alt+end'], 'end'),
  edit('edit:deleteBackward', ['backspace'], 'delete_backward', 'delete the previous character', true),
  edit('edit:deleteForward', ['delete'], 'delete_forward', 'delete the next character', true),
  edit('edit:killLineStart', ['ctrl+u'], 'kill_to_line_start', 'cut to the start of the line'),
  edit('edit:killLineEnd', ['ctrl+k'], 'kill_to_line_end', 'cut to the end of the line'),
  edit('edit:killBlankWord', ['ctrl+w'], 'kill_blank_word_backward', 'cut back to whitespace'),
  edit(
    'edit:killWordBackward',
    ['alt+backspace', 'ctrl+backspace'],
    'kill_word_backward',
    'cut the previous word',
  ),
  edit(
    'edit:killWordForward',
    ['alt+d', 'alt+delete', 'ctrl+delete'],
    'kill_word_forward',
    'cut the next word',
  ),
  edit('edit:yank', ['ctrl+y'], 'yank', 'paste the last cut'),
  edit('edit:yankPop', ['alt+y'], 'yank_pop', 'then: paste an earlier cut'),

  action('autocomplete:accept', 'Autocomplete', ['tab'], 'accept the suggestion', { type: 'tab' }),
  fixed('autocomplete:dismiss', 'Autocomplete', ['escape'], 'close the suggestions', { type: 'escape' }),
  action('autocomplete:previous', 'Autocomplete', ['up', 'ctrl+p'], 'previous suggestion', { type: 'up' }),
  action('autocomplete:next', 'Autocomplete', ['down', 'ctrl+n'], 'next suggestion', { type: 'down' }),

  search('historySearch:next', ['ctrl+r', 'up'], 'older', 'older match'),
  search('historySearch:previous', ['down'], 'newer', 'newer match'),
  search('historySearch:scope', ['ctrl+s'], 'scope', 'this session, this project, all projects'),
  search('historySearch:accept', ['tab', 'right', 'left', 'home', 'end'], 'take', 'edit it in the composer'),
  { ...search('historySearch:dismiss', ['escape'], 'take', 'edit it in the composer'), isFixed: true },
  search('historySearch:execute', ['enter'], 'send', 'send it'),
  { ...search('historySearch:leave', ['ctrl+c'], 'cancel', 'cancel and keep the draft'), isFixed: true },
  search('historySearch:cancel', ['ctrl+g'], 'cancel', 'cancel and keep the draft'),

  ...dialogActions,
];

function action(
  name: string,
  context: WritingContext,
  keys: readonly string[],
  description: string,
  command: Command,
): Action {
  return { name, context, keys, description, command };
}

function fixed(...[name, context, keys, description, command]: Parameters<typeof action>): Action {
  return { name, context, keys, description, command, isFixed: true };
}

function edit(
  name: string,
  keys: readonly string[],
  type: EditName,
  description: string,
  isPlain = false,
): Action {
  return { ...action(name, 'Chat', keys, description, { type: 'edit', edit: { type } }), isPlain };
}

function move(name: string, keys: readonly string[], to: Move, isPlain = false): Action {
  const description = moves[to];
  return {
    ...action(name, 'Chat', keys, description, { type: 'edit', edit: { type: 'move', to } }),
    isPlain,
  };
}

function search(
  name: string,
  keys: readonly string[],
  step: Extract<Command, { type: 'search' }>['step'],
  description: string,
): Action {
  return action(name, 'HistorySearch', keys, description, { type: 'search', step });
}

function intent(name: Intent): Command {
  return { type: 'intent', intent: name };
}

/**
 * A request from a key to the owner of the composer. `ui/controller/reduce.ts` carries them out. `eof`: Ctrl+D on an
 * empty composer.
 */
export type Intent =
  | 'clear_or_exit'
  | 'cycle_mode'
  | 'cycle_effort'
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

/** Edits without parameters. */
type EditName = Exclude<Edit, { text: string } | { units: unknown } | { to: unknown }>['type'];

/** The meaning of a key in the composer; suggestions, history and the text decide what it does. */
export type Command =
  | { readonly type: 'edit'; readonly edit: Edit }
  | { readonly type: 'enter' | 'newline' | 'up' | 'down' | 'tab' | 'escape' }
  /** Ctrl+D: deletes the next character, or quits if the composer is empty. */
  | { readonly type: 'delete_or_eof' }
  | { readonly type: 'history_search' | 'stash' }
  /** In the history search. */
  | { readonly type: 'search'; readonly step: 'older' | 'newer' | 'scope' | 'take' | 'send' | 'cancel' }
  | { readonly type: 'intent'; readonly intent: Intent };
