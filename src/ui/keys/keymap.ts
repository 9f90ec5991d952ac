/** Finds the action of a key, in the composer and in dialogs: the tables of actions with the user's changes. Pure. */
import type { Edit } from '../input/textBuffer.ts';
import { type Action, actions, type Command, type KeyContext, type WritingContext } from './actions.ts';
import type { DialogActionName, DialogContext } from './dialogActions.ts';
import { isText, type Stroke } from './strokes.ts';

/** The action of each key or chord (`ctrl+x ctrl+e`), per context. */
export type Keymap = Readonly<Record<KeyContext, ReadonlyMap<string, Action>>>;

/** One change: binds a key in a context to an action, or unbinds it (null). */
export interface Binding {
  readonly context: KeyContext;
  readonly keys: string;
  readonly action: Action | null;
}

/** Builds the default keymap with the user's changes. */
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

/** Every context, in display order. */
export const contextNames: readonly KeyContext[] = [...new Set(actions.map(({ context }) => context))];

export const defaultKeymap: Keymap = createKeymap();

/** The meaning of a key in the composer. */
type Reading =
  | { readonly type: 'command'; readonly command: Command }
  /** The start of a chord. */
  | { readonly type: 'pending'; readonly keys: string }
  /** A key without a meaning here. */
  | { readonly type: 'nothing' }
  | { readonly type: 'text'; readonly text: string };

/** The contexts that apply, innermost first, and the keys of a chord pressed so far. */
interface ReadingPlace {
  readonly contexts: readonly KeyContext[];
  readonly pending?: string | undefined;
  /** True if the line is empty: only then can a single character be a key. */
  readonly isEmpty: boolean;
}

/** Looks up one key. A key that continues no chord ends the pending one and is dropped with it. */
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

/** The keys of an action in this keymap. */
export function keysOfAction(keymap: Keymap, name: string): readonly string[] {
  return contextNames.flatMap((context) =>
    [...keymap[context]].filter(([, bound]) => bound.name === name).map(([keys]) => keys),
  );
}

/** The possible continuations of a chord: the remaining keys, and the action. */
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

/** Only some terminals report Shift, so a key with Shift is also tried without it. */
function candidatesOf(key: string): readonly string[] {
  return key.includes('shift+') ? [key, key.replace('shift+', '')] : [key];
}

// Keys in dialogs: an action of the place, an edit of its text field, or text. Pure.

/**
 * Actions that may have a key: Ctrl+C and Ctrl+D mean the same in every dialog, and the transcript has a separate
 * screen.
 */
export type DialogFocusAction = DialogActionName | (typeof everywhere)[number] | (typeof onOwnScreen)[number];

/** The part of a dialog that has the keys. */
export interface DialogFocus {
  /** Innermost first. */
  readonly contexts: readonly DialogContext[];
  /**
   * How characters are read. `keys`: each is a key. `answer`: a key only if it arrived alone, so that pasted or
   * typed-ahead text answers nothing. `text`: text of a field. `start`: text of an empty field; the first character may
   * be a key of the innermost context.
   */
  readonly typing: 'keys' | 'answer' | 'text' | 'start';
}

export type DialogKey =
  /** `typed`: the character that was pressed. */
  | { readonly type: 'action'; readonly name: DialogFocusAction; readonly typed?: string }
  | { readonly type: 'text'; readonly text: string }
  /** Only if the place has a field. */
  | { readonly type: 'edit'; readonly edit: Edit }
  /** A key without a meaning here. `typed`: `ERASED` for Backspace. */
  | { readonly type: 'other'; readonly typed?: string };

/** What Backspace types where something else has the keyboard. */
export const ERASED = '\u007F';

const everywhere = ['app:interrupt', 'app:exit'] as const;
const onOwnScreen = ['app:toggleTranscript', 'app:redraw'] as const;

/** Reads a key. If only the first character of a text was a key, returns the rest of the text. */
export function readDialogKey(
  keymap: Keymap,
  stroke: Stroke,
  place: DialogFocus,
): { readonly key: DialogKey; readonly rest: string } {
  if (stroke.type === 'text') return readText(keymap, stroke.text, place);
  const name = actionOf(keymap, place.contexts, candidatesOf(stroke.key));
  if (name !== undefined) return { key: { type: 'action', name }, rest: '' };
  const edit = hasField(place) ? editOf(keymap, stroke.key) : undefined;
  if (edit !== undefined) return { key: { type: 'edit', edit }, rest: '' };
  return { key: { type: 'other', ...(stroke.key === 'backspace' && { typed: ERASED }) }, rest: '' };
}

/** True if typed characters are text. */
export function hasField({ typing }: DialogFocus): boolean {
  return typing === 'text' || typing === 'start';
}

function readText(
  keymap: Keymap,
  text: string,
  place: DialogFocus,
): { readonly key: DialogKey; readonly rest: string } {
  const { contexts, typing } = place;
  const whole = { key: { type: 'text', text }, rest: '' } as const;
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0);
  const rest = text.slice(first.length);
  if (typing === 'text' || (typing === 'answer' && rest !== '')) return whole;
  const from = typing === 'start' ? contexts.slice(0, 1) : contexts;
  const name = actionOf(keymap, from, lettersOf(first, from));
  if (name !== undefined) return { key: { type: 'action', name, typed: first }, rest };
  return typing === 'keys' ? { key: { type: 'text', text: first }, rest } : whole;
}

function actionOf(
  keymap: Keymap,
  contexts: readonly DialogContext[],
  candidates: readonly string[],
): DialogFocusAction | undefined {
  for (const key of candidates) {
    for (const context of contexts) {
      const action = keymap[context].get(key);
      // Dialog contexts contain no other actions.
      if (action !== undefined) return action.name as DialogActionName;
    }
    const name = isText(key) ? undefined : keymap.Global.get(key)?.name;
    const global = contexts.includes('Transcript') ? [...everywhere, ...onOwnScreen] : everywhere;
    const same = global.find((one) => one === name);
    if (same !== undefined) return same;
  }
  return undefined;
}

/** A capital also matches its lower-case key, unless the built-in keys distinguish the two. */
function lettersOf(character: string, contexts: readonly DialogContext[]): readonly string[] {
  if (character === ' ') return ['space'];
  const small = character.toLowerCase();
  const isOwn = contexts.some((context) => defaultKeymap[context].has(character));
  return small === character || isOwn ? [character] : [character, small];
}

const writing: readonly WritingContext[] = ['Chat', 'Global'];

/** The editing command of a key: the user's, or the built-in one if the user bound the key to something else. */
function editOf(keymap: Keymap, key: string): Edit | undefined {
  for (const candidate of candidatesOf(key))
    for (const map of [keymap, defaultKeymap])
      for (const context of writing) {
        const command = map[context].get(candidate)?.command;
        if (command?.type === 'edit') return command.edit;
      }
  return undefined;
}
