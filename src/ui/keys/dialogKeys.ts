/** From a stroke to what it means in a dialog: one of the actions of the place, an edit of its text field, or text. Pure. */
import type { Edit } from '../input/textBuffer.ts';
import type { WritingContext } from './actions.ts';
import type { DialogActionName, DialogContext } from './dialogActions.ts';
import { candidatesOf, defaultKeymap, type Keymap } from './keymap.ts';
import { isText } from './notation.ts';
import type { Stroke } from './strokes.ts';

/** What may have a key: Ctrl+C and Ctrl+D mean the same in every dialog, and the transcript has a screen of its own. */
export type PlaceAction = DialogActionName | (typeof everywhere)[number] | (typeof onOwnScreen)[number];

/** Where the key is pressed. */
export interface DialogPlace {
  /** Innermost first. */
  readonly contexts: readonly DialogContext[];
  /**
   * What a character is. `keys`: each is a key of its own. `answer`: a key only when it came alone, so that nothing
   * pasted or typed ahead answers. `text`: text of a field. `start`: text of a field that is empty; the first may be
   * a key of the innermost context.
   */
  readonly typing: 'keys' | 'answer' | 'text' | 'start';
}

export type DialogKey =
  /** `typed`: the character that was the key. */
  | { readonly type: 'action'; readonly name: PlaceAction; readonly typed?: string }
  | { readonly type: 'text'; readonly text: string }
  /** Only where there is a field. */
  | { readonly type: 'edit'; readonly edit: Edit }
  /** A key that means nothing here. */
  | { readonly type: 'other' };

const everywhere = ['app:interrupt', 'app:exit'] as const;
const onOwnScreen = ['app:toggleTranscript', 'app:redraw'] as const;

/** Reads a stroke, and gives back the text behind its first character where that was a key of its own. */
export function readDialogKey(
  keymap: Keymap,
  stroke: Stroke,
  place: DialogPlace,
): { readonly key: DialogKey; readonly rest: string } {
  if (stroke.type === 'text') return readText(keymap, stroke.text, place);
  const name = actionOf(keymap, place.contexts, candidatesOf(stroke.key));
  if (name !== undefined) return { key: { type: 'action', name }, rest: '' };
  const edit = hasField(place) ? editOf(keymap, stroke.key) : undefined;
  return { key: edit === undefined ? { type: 'other' } : { type: 'edit', edit }, rest: '' };
}

/** Whether typed characters are text. */
export function hasField({ typing }: DialogPlace): boolean {
  return typing === 'text' || typing === 'start';
}

function readText(
  keymap: Keymap,
  text: string,
  place: DialogPlace,
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
): PlaceAction | undefined {
  for (const key of candidates) {
    for (const context of contexts) {
      const action = keymap[context].get(key);
      // In contexts of dialogs stand no other actions.
      if (action !== undefined) return action.name as DialogActionName;
    }
    const name = isText(key) ? undefined : keymap.Global.get(key)?.name;
    const global = contexts.includes('Transcript') ? [...everywhere, ...onOwnScreen] : everywhere;
    const same = global.find((one) => one === name);
    if (same !== undefined) return same;
  }
  return undefined;
}

/** A capital is its small letter where the built-in keys do not tell them apart. */
function lettersOf(character: string, contexts: readonly DialogContext[]): readonly string[] {
  if (character === ' ') return ['space'];
  const small = character.toLowerCase();
  const isOwn = contexts.some((context) => defaultKeymap[context].has(character));
  return small === character || isOwn ? [character] : [character, small];
}

const writing: readonly WritingContext[] = ['Chat', 'Global'];

/** The keys of the line editor: the user's, and where those mean something else, the built-in ones. */
function editOf(keymap: Keymap, key: string): Edit | undefined {
  for (const candidate of candidatesOf(key))
    for (const map of [keymap, defaultKeymap])
      for (const context of writing) {
        const command = map[context].get(candidate)?.command;
        if (command?.type === 'edit') return command.edit;
      }
  return undefined;
}
