/**
 * Dialogs as data: the question and the value of each answer. `DialogView.tsx` draws a dialog, `plain/askDialog.ts`
 * prints it as lines; neither knows its topic. Pure.
 */

import type { DialogKey } from '../keys/keymap.ts';
import { type Block, type ChoiceDialog, choiceOfKey, type DialogBase, movedChoice } from './choices.ts';
import { isUnmeantKey, type StrayWord } from './useAnswers.ts';

export type Dialog<A> = ChoiceDialog<A> | ListDialog<A> | TextDialog<A> | WaitDialog<A>;

/** Picks one of many rows: filtered by typing on the screen, chosen by number or name in plain mode. */
export interface ListDialog<A> extends DialogBase<A> {
  readonly type: 'list';
  readonly items: readonly {
    /** The text that is drawn and filtered. */
    readonly label: string;
    /** Accepted in plain mode in addition to the number. */
    readonly name: string;
    /** Lines about it: below the list while it is selected; only on the screen. */
    readonly detail?: readonly string[];
    readonly answer: A;
    /** The answer in several variants, the first one to begin with: a key on the screen chooses the next one. */
    readonly variants?: readonly { readonly text: string; readonly answer: A }[];
  }[];
  /** What a variant is about, such as "effort". */
  readonly variant?: string;
  /** Index of the row that is selected first; 0 if absent. */
  readonly start?: number;
  /** Singular name of an item, e.g. "model". */
  readonly noun: string;
  /** Shown when there is nothing to choose from. */
  readonly empty?: string;
  /** Introduces the list in plain mode; `shown` is the number of items printed. */
  readonly introduction: (shown: number) => string;
  /** True if an empty line cancels. */
  readonly canSkip?: boolean;
  /** What Esc does, for the line of keys; "Esc closes" if absent. */
  readonly escape?: string;
}

/** One line to type. */
export interface TextDialog<A> extends DialogBase<A> {
  readonly type: 'text';
  readonly body: readonly Block[];
  readonly label: string;
  /** The text to start with. */
  readonly initial: string;
  /** The answer for a text, or why it is not accepted. */
  readonly read: (text: string) => { readonly answer: A } | { readonly problem: string };
}

/** Shown while something takes a moment. */
export interface WaitDialog<A> extends DialogBase<A> {
  readonly type: 'wait';
  readonly text: string;
  readonly plainText: string;
}

/** Result of a key press in a choice dialog. */
type ChoiceStep<A> =
  | { readonly type: 'none' }
  | { readonly type: 'select'; readonly index: number }
  | { readonly type: 'answer'; readonly answer: A };

/** Tell answers from keys that were meant for something else. Not consulted if the answer is the safe one. */
interface KeyGuards {
  /** True if the key was pressed after the dialog could be read. */
  readonly counts: () => boolean;
  readonly stray: StrayWord;
  /** True while the question is not on the screen in full: a lasting choice needs that. */
  readonly isUnread?: boolean;
}

/** Handles one key press in a choice dialog. */
export function pressChoice<A>(
  dialog: ChoiceDialog<A>,
  selected: number,
  key: DialogKey,
  { counts, stray, isUnread = false }: KeyGuards,
): ChoiceStep<A> {
  const { choices, cancel } = dialog;
  const take = (choice: (typeof choices)[number] | undefined): ChoiceStep<A> =>
    isUnread && choice?.isLasting === true ? { type: 'none' } : answerOf(choice);
  const action = key.type === 'action' ? key.name : undefined;
  if (quits(dialog, key)) return { type: 'answer', answer: dialog.quit ?? cancel };
  // Esc cancels unguarded only if it means the same as quitting; otherwise it must be deliberate.
  if (action === 'confirm:cancel' && dialog.quit === undefined) return { type: 'answer', answer: cancel };
  if (isUnmeantKey(key, !counts(), stray)) return { type: 'none' };
  if (action === 'confirm:cancel') return { type: 'answer', answer: cancel };
  const index = movedChoice(selected, choices.length, key);
  if (index !== undefined) return { type: 'select', index };
  if (action === 'confirm:accept') return take(choices[selected]);
  const found = choiceOfKey(choices, key);
  if (found === undefined && key.type === 'text') stray.begin();
  if (found === undefined) return { type: 'none' };
  const isDigit = key.type === 'text' && /^\d$/.test(key.text);
  return choices[found]?.isLasting === true && !isDigit
    ? { type: 'select', index: found }
    : take(choices[found]);
}

function answerOf<A>(choice: { readonly answer: A } | undefined): ChoiceStep<A> {
  return choice === undefined ? { type: 'none' } : { type: 'answer', answer: choice.answer };
}

/** True for Ctrl+C, and for Ctrl+D if the dialog has a separate `quit` answer. */
export function quits<A>({ quit }: DialogBase<A>, key: DialogKey): boolean {
  if (key.type !== 'action') return false;
  return key.name === 'app:interrupt' || (key.name === 'app:exit' && quit !== undefined);
}

/** Keeps the selected row when choices are inserted later; if the first row was selected, it stays the first. */
export function keptChoice<A>(before: ChoiceDialog<A>, now: ChoiceDialog<A>, selected: number): number {
  if (before.id !== now.id || selected === 0) return 0;
  const label = before.choices[selected]?.label;
  if (now.choices[selected]?.label === label) return selected;
  return Math.max(
    0,
    now.choices.findIndex((choice) => choice.label === label),
  );
}

/** Identifies the question: keys that were meant for a previous text do not answer it. */
export function questionOf<A>({ id, choices }: ChoiceDialog<A>): string {
  return [id, ...choices.map(({ label }) => label)].join('\n');
}
