/** The lines of keys below dialogs, as the keys are mapped. Pure. */
import type { DialogActionName } from './dialogActions.ts';
import { type DialogPlace, hasField } from './dialogKeys.ts';
import type { Keymap } from './keymap.ts';
import { isText, showKeys } from './notation.ts';

/** Names keys of a place; undefined for what has none. */
export interface KeyHints {
  /** The first key of an action, as people read it. */
  key(action: DialogActionName): string | undefined;
  /** The first keys of several, such as `↑↓` and `PgUp PgDn`. */
  keys(...actions: readonly DialogActionName[]): string | undefined;
  /** Key and words, such as `Esc leaves`. */
  does(action: DialogActionName, words: string): string | undefined;
}

export function keyHints(keymap: Keymap, place: DialogPlace): KeyHints {
  const key = (action: DialogActionName): string | undefined => {
    const found = keysIn(keymap, place, action)[0];
    return found === undefined ? undefined : showKeys(found);
  };
  return {
    key,
    keys: (...actions) => {
      const named = actions.flatMap((action) => key(action) ?? []);
      // Arrows read well without a space between them.
      return named.length === 0 ? undefined : named.join(' ').replace(/(?<=[↑↓←→]) (?=[↑↓←→](?: |$))/gu, '');
    },
    does: (action, words) => {
      const named = key(action);
      return named === undefined ? undefined : `${named} ${words}`;
    },
  };
}

/** Keys of an action that reach it in this place. */
export function keysIn(keymap: Keymap, place: DialogPlace, action: DialogActionName): readonly string[] {
  const { contexts, typing } = place;
  return contexts.flatMap((context, depth) =>
    [...keymap[context]].flatMap(([keys, bound]) => {
      const isOutside = contexts.slice(0, depth).some((inner) => keymap[inner].has(keys));
      const isTyped = isText(keys) && hasField(place) && (typing === 'text' || depth > 0);
      return bound.name === action && !isOutside && !isTyped ? [keys] : [];
    }),
  );
}

/** What there is of these, with dots in between. */
export function dotted(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' · ');
}
