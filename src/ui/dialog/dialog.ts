/**
 * A dialog as data: what is asked, and what each answer is. `DialogView.tsx` draws it, `linear/askDialog.ts`
 * tells it in lines; neither knows what it is about. Pure.
 */

import type { DialogKey } from '../keys/keymap.ts';
import { type ChoiceDialog, choiceOfKey, type DialogBase, movedChoice } from './choices.ts';
import type { StrayWord } from './useAnswers.ts';

export type Dialog<A> = ChoiceDialog<A> | ListDialog<A> | WaitDialog<A>;

/** Many rows, of which one is taken: filtered by typing on the screen, taken by number or name in lines. */
export interface ListDialog<A> extends DialogBase<A> {
  readonly type: 'list';
  readonly items: readonly {
    /** As it is drawn, and what typing filters by. */
    readonly label: string;
    /** What lines accept beside the number. */
    readonly name: string;
    readonly answer: A;
  }[];
  /** What an item is: "model". */
  readonly noun: string;
  /** Said when there is nothing to choose from. */
  readonly empty?: string;
  /** How lines introduce the list, which shows so many of its items. */
  readonly introduction: (shown: number) => string;
  /** An empty line cancels. */
  readonly canSkip?: boolean;
}

/** Something takes a moment. */
export interface WaitDialog<A> extends DialogBase<A> {
  readonly type: 'wait';
  readonly text: string;
  /** The same in lines. */
  readonly plainText: string;
}

/** What a key did to a dialog of choices. */
export type ChoiceStep<A> =
  | { readonly type: 'none' }
  | { readonly type: 'select'; readonly index: number }
  | { readonly type: 'answer'; readonly answer: A };

/** Tells answers from keys that were meant for something else; not asked where the answer is the safe one. */
export interface KeyGuards {
  /** Whether the key was pressed after the dialog was there to be read. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
}

/** One key in a dialog of choices. */
export function pressChoice<A>(
  dialog: ChoiceDialog<A>,
  selected: number,
  key: DialogKey,
  { counts, stray }: KeyGuards,
): ChoiceStep<A> {
  const { choices, cancel } = dialog;
  const action = key.type === 'action' ? key.name : undefined;
  if (quits(dialog, key)) return { type: 'answer', answer: dialog.quit ?? cancel };
  // Where quitting is another answer, Esc goes somewhere: then it has to be meant.
  if (action === 'confirm:cancel' && dialog.quit === undefined) return { type: 'answer', answer: cancel };
  const isTyped = key.type === 'text' || (key.type === 'action' && key.typed !== undefined);
  if (!counts() || stray.holds(isTyped || action === 'confirm:accept')) return { type: 'none' };
  if (action === 'confirm:cancel') return { type: 'answer', answer: cancel };
  const index = movedChoice(selected, choices.length, key);
  if (index !== undefined) return { type: 'select', index };
  if (action === 'confirm:accept') return answerOf(choices[selected]);
  const found = choiceOfKey(choices, key);
  if (found === undefined && key.type === 'text') stray.begin();
  if (found === undefined) return { type: 'none' };
  const isDigit = key.type === 'text' && /^\d$/.test(key.text);
  return choices[found]?.isLasting === true && !isDigit
    ? { type: 'select', index: found }
    : answerOf(choices[found]);
}

function answerOf<A>(choice: { readonly answer: A } | undefined): ChoiceStep<A> {
  return choice === undefined ? { type: 'none' } : { type: 'answer', answer: choice.answer };
}

/** Ctrl+C; and Ctrl+D where leaving is an answer of its own. */
export function quits<A>({ quit }: DialogBase<A>, key: DialogKey): boolean {
  if (key.type !== 'action') return false;
  return key.name === 'app:interrupt' || (key.name === 'app:exit' && quit !== undefined);
}

/** The row that stays selected when choices turn up later and push the others down; the first stays the first. */
export function keptChoice<A>(before: ChoiceDialog<A>, now: ChoiceDialog<A>, selected: number): number {
  if (before.id !== now.id || selected === 0) return 0;
  const label = before.choices[selected]?.label;
  if (now.choices[selected]?.label === label) return selected;
  return Math.max(
    0,
    now.choices.findIndex((choice) => choice.label === label),
  );
}

/** Another text is another question: keys that were meant for the one before are no answers. */
export function questionOf<A>({ id, choices }: ChoiceDialog<A>): string {
  return [id, ...choices.map(({ label }) => label)].join('\n');
}
