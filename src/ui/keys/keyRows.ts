/** The keys as they are printed: what `?`, `/keys` and docs/keys.md show. Pure. */
import { type Action, actions, type KeyContext } from './actions.ts';
import { contextNames, type Keymap, keysOfAction } from './keymap.ts';
import { showKeys } from './notation.ts';

export interface KeyRow {
  /** As people read them; empty where the action has no key. */
  readonly keys: readonly string[];
  readonly description: string;
  /** Its name, for `keybindings.json`. */
  readonly action: string;
  readonly isFixed: boolean;
}

export interface KeyGroup {
  readonly title: string;
  readonly context: KeyContext;
  readonly rows: readonly KeyRow[];
}

const titles: Readonly<Record<KeyContext, string>> = {
  Global: 'Anywhere',
  Chat: 'Composer',
  Autocomplete: 'Suggestions',
  HistorySearch: 'Prompt search',
  Select: 'All lists',
  Sessions: 'Session list',
  Items: 'Context items',
  Tasks: 'Background tasks',
  Rewind: 'Rewind list',
  Confirmation: 'Approvals and other dialogs',
  Form: 'Forms',
  Transcript: 'Transcript',
};

/** Every action and its keys, grouped by where they count. */
export function keyGroups(keymap: Keymap): readonly KeyGroup[] {
  return contextNames.map((context) => ({
    title: titles[context],
    context,
    rows: actions.filter((action) => action.context === context).map((action) => rowOf(action, keymap)),
  }));
}

/** What `?` shows: what a person may not know, without what has no key. */
export function shortKeyRows(keymap: Keymap): readonly KeyRow[] {
  const shown = actions.filter(
    ({ context, isPlain }) => (context === 'Global' || context === 'Chat') && isPlain !== true,
  );
  return shown.map((action) => rowOf(action, keymap)).filter(({ keys }) => keys.length > 0);
}

function rowOf({ name, description, isFixed }: Action, keymap: Keymap): KeyRow {
  const keys = keysOfAction(keymap, name).map(showKeys);
  return { keys: [...new Set(keys)], description, action: name, isFixed: isFixed === true };
}
