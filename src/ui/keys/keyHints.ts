/** Keys for display: the hints below dialogs, and tables of keys. Pure. */
import { type Action, actions, type KeyContext } from './actions.ts';
import type { DialogActionName } from './dialogActions.ts';
import { contextNames, type DialogFocus, hasField, type Keymap, keysOfAction } from './keymap.ts';
import { isText, showKeys } from './strokes.ts';

/** Formats the keys of a place as they are mapped; undefined for actions without a key. */
export interface KeyHints {
  /** The first key of an action, for display. */
  key(action: DialogActionName): string | undefined;
  /** The first key of each action, such as `↑↓` or `PgUp PgDn`. */
  keys(...actions: readonly DialogActionName[]): string | undefined;
  /** Key and description, such as `Esc closes`. */
  does(action: DialogActionName, words: string): string | undefined;
}

export function keyHints(keymap: Keymap, place: DialogFocus): KeyHints {
  const key = (action: DialogActionName): string | undefined => {
    const found = keysIn(keymap, place, action)[0];
    return found === undefined ? undefined : showKeys(found);
  };
  return {
    key,
    keys: (...actions) => {
      const named = actions.flatMap((action) => key(action) ?? []);
      // Arrows need no space between them.
      return named.length === 0 ? undefined : named.join(' ').replace(/(?<=[↑↓←→]) (?=[↑↓←→](?: |$))/gu, '');
    },
    does: (action, words) => {
      const named = key(action);
      return named === undefined ? undefined : `${named} ${words}`;
    },
  };
}

/** The keys that trigger an action in this place. */
export function keysIn(keymap: Keymap, place: DialogFocus, action: DialogActionName): readonly string[] {
  const { contexts, typing } = place;
  return contexts.flatMap((context, depth) =>
    [...keymap[context]].flatMap(([keys, bound]) => {
      const isOutside = contexts.slice(0, depth).some((inner) => keymap[inner].has(keys));
      const isTyped = isText(keys) && hasField(place) && (typing === 'text' || depth > 0);
      return bound.name === action && !isOutside && !isTyped ? [keys] : [];
    }),
  );
}

/** Joins the non-empty parts with dots. */
export function joinWithDots(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}

/** A row of the tables in `?`, `/keys` and docs/keys.md. */
interface KeyRow {
  /** For display; empty if the action has no key. */
  readonly keys: readonly string[];
  readonly description: string;
  /** The name in `keybindings.json`. */
  readonly action: string;
  readonly isFixed: boolean;
}

interface KeyGroup {
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
  Question: 'Questions',
  Form: 'Forms',
  Transcript: 'Transcript',
};

/** Every action with its keys, grouped by context. */
export function keyGroups(keymap: Keymap): readonly KeyGroup[] {
  return contextNames.map((context) => ({
    title: titles[context],
    context,
    rows: actions.filter((action) => action.context === context).map((action) => rowOf(action, keymap)),
  }));
}

/** The rows for `?`: without obvious keys, and without actions that have no key. */
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
