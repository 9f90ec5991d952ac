/** What a stroke means where one writes: the table of actions, changed by the user's bindings. Pure. */
import type { Command } from '../input/keys.ts';
import { type Action, actions, type KeyContext } from './actions.ts';
import { isText } from './notation.ts';
import type { Stroke } from './strokes.ts';

/** The action of each key or chord (`ctrl+x ctrl+e`), per context. */
export type Keymap = Readonly<Record<KeyContext, ReadonlyMap<string, Action>>>;

/** One change: this key in this context, to an action or (null) to nothing. */
export interface Binding {
  readonly context: KeyContext;
  readonly keys: string;
  readonly action: Action | null;
}

/** The keymap as it comes, with the user's changes. */
export function createKeymap(changes: readonly Binding[] = []): Keymap {
  const keymap = Object.fromEntries(
    contextNames.map((context) => [context, new Map<string, Action>()]),
  ) as Record<KeyContext, Map<string, Action>>;
  for (const action of actions) for (const key of action.keys) keymap[action.context].set(key, action);
  for (const { context, keys, action } of changes) {
    if (action === null) keymap[context].delete(keys);
    else keymap[context].set(keys, action);
  }
  return keymap;
}

/** Every context, in the order in which they are listed. */
export const contextNames: readonly KeyContext[] = [...new Set(actions.map(({ context }) => context))];

export const defaultKeymap: Keymap = createKeymap();

/** What came of a stroke. */
export type Reading =
  | { readonly type: 'command'; readonly command: Command }
  /** The beginning of a chord. */
  | { readonly type: 'pending'; readonly keys: string }
  /** A key that means nothing here. */
  | { readonly type: 'nothing' }
  | { readonly type: 'text'; readonly text: string };

/** What a key is read in: the contexts that count, innermost first, and what has been pressed of a chord. */
export interface ReadingPlace {
  readonly contexts: readonly KeyContext[];
  readonly pending?: string | undefined;
  /** A single character is looked up only where it would begin a line. */
  readonly isEmpty: boolean;
}

/** Looks one stroke up. A chord that does not go on as any chord does is given up, its last key with it. */
export function readStroke(keymap: Keymap, stroke: Stroke, place: ReadingPlace): Reading {
  const { contexts, pending, isEmpty } = place;
  if (stroke.type === 'text' && pending === undefined && !isEmpty) return stroke;
  if (stroke.type === 'text' && !isText(stroke.text === ' ' ? 'space' : stroke.text)) return stroke;
  const key = stroke.type === 'key' ? stroke.key : stroke.text === ' ' ? 'space' : stroke.text;
  const before = pending === undefined ? '' : `${pending} `;
  for (const candidate of candidatesOf(key)) {
    const keys = before + candidate;
    const maps = contexts.map((context) => keymap[context]);
    for (const map of maps) {
      const action = map.get(keys);
      if (action?.command !== undefined) return { type: 'command', command: action.command };
    }
    if (maps.some((map) => beginsChord(map, keys))) return { type: 'pending', keys };
  }
  return stroke.type === 'text' && pending === undefined ? stroke : { type: 'nothing' };
}

/** Keys of an action in this keymap, as the table and then the user have them. */
export function keysOfAction(keymap: Keymap, name: string): readonly string[] {
  return contextNames.flatMap((context) =>
    [...keymap[context]].filter(([, bound]) => bound.name === name).map(([keys]) => keys),
  );
}

/** What may follow the beginning of a chord: the key that ends it, and what it does then. */
export function chordsAfter(
  keymap: Keymap,
  pending: string,
): readonly { readonly keys: string; readonly action: Action }[] {
  return contextNames.flatMap((context) =>
    [...keymap[context]]
      .filter(([keys]) => keys.startsWith(`${pending} `))
      .map(([keys, action]) => ({ keys: keys.slice(pending.length + 1), action })),
  );
}

function beginsChord(map: ReadonlyMap<string, Action>, keys: string): boolean {
  for (const bound of map.keys()) if (bound.startsWith(`${keys} `)) return true;
  return false;
}

/** Shift is reported only by some terminals: where it makes no difference, it is not asked for. */
export function candidatesOf(key: string): readonly string[] {
  return key.includes('shift+') ? [key, key.replace('shift+', '')] : [key];
}
