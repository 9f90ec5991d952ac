/**
 * The actions of keys outside the composer: in lists, questions, forms and the transcript. A dialog asks
 * `readDialogKey` for the action and never compares keys itself. Names are those that other coding agents use in
 * `keybindings.json`, if they have them.
 */

/** Where such a key applies. A list's own keys take precedence over those of `Select`, which all lists share. */
export type DialogContext =
  | 'Select'
  | 'Sessions'
  | 'Items'
  | 'Tasks'
  | 'Rewind'
  | 'Confirmation'
  | 'Question'
  | 'Form'
  | 'Transcript';

/** The contexts of lists: `Select` actions may have keys in them, too. */
export const listContexts: readonly DialogContext[] = ['Sessions', 'Items', 'Tasks', 'Rewind'];

export const dialogActions = [
  on('Select', 'select:previous', ['up', 'ctrl+p'], 'previous row'),
  on('Select', 'select:next', ['down', 'ctrl+n'], 'next row'),
  on('Select', 'select:pageUp', ['pageup'], 'page up'),
  on('Select', 'select:pageDown', ['pagedown'], 'page down'),
  on('Select', 'select:first', ['home', 'g'], 'first row'),
  on('Select', 'select:last', ['end', 'G'], 'last row'),
  on('Select', 'select:accept', ['enter'], 'choose the row'),
  on('Select', 'select:variant', ['tab'], 'in the model list: its effort'),
  fixed('Select', 'select:cancel', ['escape'], 'back, then close'),

  on('Sessions', 'sessions:scope', ['tab', 'shift+tab'], 'this project, all projects'),
  on('Sessions', 'sessions:search', ['ctrl+f', '/'], 'search all content; again: titles'),
  on('Sessions', 'sessions:preview', ['ctrl+o'], 'larger preview'),
  on('Sessions', 'sessions:rename', ['ctrl+r'], 'rename'),
  on('Sessions', 'sessions:fork', ['ctrl+g'], 'fork: continue in a copy'),
  on('Sessions', 'sessions:archive', ['ctrl+t'], 'archive or unarchive'),
  on('Sessions', 'sessions:delete', ['ctrl+x'], 'delete, with confirmation'),
  on('Sessions', 'sessions:undo', ['ctrl+z'], 'undo the last rename or archive'),
  on('Sessions', 'sessions:help', ['?'], 'show these keys'),

  on('Items', 'items:pin', ['p'], 'pin or unpin'),
  on('Items', 'items:drop', ['d'], 'drop'),
  on('Items', 'items:restore', ['r'], 'restore'),
  on('Items', 'items:filter', ['/'], 'filter'),

  on('Tasks', 'tasks:open', ['right'], 'show the output'),
  on('Tasks', 'tasks:back', ['left'], 'back to the list'),
  on('Tasks', 'tasks:stop', ['x', 'k'], 'stop it, with confirmation'),
  on('Tasks', 'tasks:close', ['q'], 'back, then close'),

  on('Rewind', 'rewind:undo', ['u'], 'undo the last rewind'),

  on('Confirmation', 'confirm:previous', ['up', 'ctrl+p'], 'previous answer'),
  on('Confirmation', 'confirm:next', ['down', 'ctrl+n'], 'next answer'),
  on('Confirmation', 'confirm:accept', ['enter'], 'choose the answer'),
  on('Confirmation', 'confirm:yes', ['y'], 'yes'),
  on('Confirmation', 'confirm:always', ['a'], 'select “yes, and don’t ask again”'),
  on('Confirmation', 'confirm:sandbox', ['s'], 'select “yes, and run every command in the sandbox”'),
  on('Confirmation', 'confirm:no', ['n'], 'no'),
  on('Confirmation', 'confirm:comment', ['tab'], 'no, and say what to do instead'),
  on('Confirmation', 'confirm:cycleMode', ['shift+tab'], 'yes, and accept edits, if that is offered'),
  on('Confirmation', 'confirm:pageUp', ['pageup'], 'scroll the preview up'),
  on('Confirmation', 'confirm:pageDown', ['pagedown'], 'scroll the preview down'),
  fixed('Confirmation', 'confirm:cancel', ['escape'], 'no, or back'),

  on('Question', 'question:previous', ['up', 'ctrl+p'], 'previous answer'),
  on('Question', 'question:next', ['down', 'ctrl+n'], 'next answer'),
  on('Question', 'question:toggle', ['space'], 'select or deselect the answer'),
  on('Question', 'question:accept', ['enter'], 'choose the answer and continue'),
  on('Question', 'question:back', ['left', 'shift+tab'], 'previous question'),
  on('Question', 'question:forward', ['right', 'tab'], 'next question'),
  on('Question', 'question:pageUp', ['pageup'], 'scroll up'),
  on('Question', 'question:pageDown', ['pagedown'], 'scroll down'),
  fixed('Question', 'question:cancel', ['escape'], 'decline to answer'),

  on('Form', 'form:previous', ['shift+tab', 'up', 'ctrl+p'], 'previous field'),
  on('Form', 'form:next', ['tab', 'down', 'ctrl+n'], 'next field'),
  on('Form', 'form:submit', ['enter'], 'continue'),
  fixed('Form', 'form:cancel', ['escape'], 'back'),

  on('Transcript', 'scroll:lineUp', ['up', 'ctrl+p', 'k'], 'line up'),
  on('Transcript', 'scroll:lineDown', ['down', 'ctrl+n', 'enter', 'j'], 'line down'),
  on('Transcript', 'scroll:pageUp', ['pageup', 'ctrl+b', 'b'], 'page up'),
  on('Transcript', 'scroll:pageDown', ['pagedown', 'ctrl+f', 'space', 'f'], 'page down'),
  on('Transcript', 'scroll:halfPageUp', ['ctrl+u', 'u'], 'half a page up'),
  on('Transcript', 'scroll:halfPageDown', ['ctrl+d', 'd'], 'half a page down'),
  on('Transcript', 'scroll:top', ['g', 'home'], 'start of the session'),
  on('Transcript', 'scroll:bottom', ['G', 'end'], 'end of the session'),
  on('Transcript', 'transcript:search', ['/'], 'search forward'),
  on('Transcript', 'transcript:searchBack', ['?'], 'search backward'),
  on('Transcript', 'transcript:searchNext', ['n'], 'next match'),
  on('Transcript', 'transcript:searchPrevious', ['N'], 'previous match'),
  on('Transcript', 'transcript:previousPrompt', ['{'], 'previous prompt'),
  on('Transcript', 'transcript:nextPrompt', ['}'], 'next prompt'),
  on('Transcript', 'transcript:exit', ['q'], 'close'),
  fixed('Transcript', 'transcript:cancel', ['escape'], 'end the search, or close'),
];

/** The names in the table. */
export type DialogActionName = (typeof dialogActions)[number]['name'];

interface DialogAction<Name extends string> {
  readonly name: Name;
  readonly context: DialogContext;
  readonly keys: readonly string[];
  readonly description: string;
  /** True if its keys cannot be taken away; more can be added. */
  readonly isFixed?: boolean;
}

function on<Name extends string>(
  context: DialogContext,
  name: Name,
  keys: readonly string[],
  description: string,
): DialogAction<Name> {
  return { name, context, keys, description };
}

function fixed<Name extends string>(
  context: DialogContext,
  name: Name,
  keys: readonly string[],
  description: string,
): DialogAction<Name> {
  return { ...on(context, name, keys, description), isFixed: true };
}
