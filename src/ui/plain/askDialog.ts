/** A dialog in plain mode: read out once, answered with a number, a letter or a name. */

import type { Controller } from '../controller/types.ts';
import type { Block, Choice, ChoiceDialog } from '../dialog/choices.ts';
import type { ListDialog, TextDialog } from '../dialog/dialog.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';

/** Maximum items read out; the name of any other item is also a valid answer. */
const MAX_LISTED = 40;

/** The reply to a line that would have granted something but was typed before the question. */
export const TYPED_TOO_EARLY =
  'That line was typed before the question, so it was ignored. Please answer now.';

/** Turns a dialog into text and an answer handler. */
export function dialogueOf<A>(
  dialog: ChoiceDialog<A> | ListDialog<A> | TextDialog<A>,
  onAnswer: (answer: A) => void,
): Dialogue {
  const cancel = (): void => onAnswer(dialog.quit ?? dialog.cancel);
  if (dialog.type === 'text') return { ...textDialogue(dialog, onAnswer), cancel };
  return dialog.type === 'list'
    ? { ...listDialogue(dialog, onAnswer), cancel }
    : { ...choiceDialogue(dialog, onAnswer), cancel };
}

function textDialogue<A>(
  { title, body, label, initial, read, cancel }: TextDialog<A>,
  onAnswer: (answer: A) => void,
): Omit<Dialogue, 'cancel'> {
  return {
    tell: [
      `Question: ${shownLine(title)}`,
      ...body.flatMap(blockWords),
      `${label.replace(/: *$/, '')}, now ${shownLine(initial) || 'empty'}. Type a new value. An empty line goes back.`,
    ],
    answer(text) {
      const given = text === '' ? { answer: cancel } : read(text);
      if ('problem' in given) return given.problem;
      onAnswer(given.answer);
      return undefined;
    },
  };
}

function choiceDialogue<A>(
  { body, choices }: ChoiceDialog<A>,
  onAnswer: (answer: A) => void,
): Omit<Dialogue, 'cancel'> {
  return {
    tell: [
      ...body.flatMap(blockWords),
      ...choices.map(choiceText),
      `Answer with a number, 1 to ${choices.length}.`,
    ],
    answer(text, isHeard = true) {
      const chosen = choices[choiceOf(choices, text) ?? -1];
      if (chosen === undefined)
        return `${JSON.stringify(sanitizeLine(text))} is not one of the choices. Answer with a number, 1 to ${choices.length}.`;
      if (chosen.isLasting === true && !isHeard) return TYPED_TOO_EARLY;
      onAnswer(chosen.answer);
      return undefined;
    },
  };
}

function listDialogue<A>(
  { items, noun, introduction, canSkip = false, cancel }: ListDialog<A>,
  onAnswer: (answer: A) => void,
): Omit<Dialogue, 'cancel'> {
  const listed = items.slice(0, MAX_LISTED);
  return {
    tell: [
      introduction(listed.length),
      ...listed.map(({ label }, index) => `${index + 1}. ${inWords(label)}`),
      `Answer with a number or a name.${canSkip ? ' An empty line cancels.' : ''}`,
    ],
    answer(text) {
      const named = items.find(({ name }) => name === text);
      const chosen = named ?? (/^\d+$/.test(text) ? items[Number(text) - 1] : undefined);
      if (chosen === undefined && !(canSkip && text === ''))
        return `There is no ${noun} ${JSON.stringify(sanitizeLine(text))} in the list.`;
      onAnswer(chosen === undefined ? cancel : chosen.answer);
      return undefined;
    },
  };
}

function blockWords(block: Block): readonly string[] {
  if (block.only === 'screen') return [];
  if (block.type === 'list') return block.items.map(({ sign, text }) => `- ${signs[sign]}${shownLine(text)}`);
  const text = shownLine(block.text);
  return [block.type === 'text' && block.tone === 'error' ? `Error: ${text}` : text];
}

const signs = { does: '', added: 'New: ', removed: 'Gone: ' } as const;

/** Returns text such as "2, or a: Yes, and don't ask again (saved to …)". */
export function choiceText({ label, detail, letter }: Choice, index: number): string {
  const more = detail === undefined ? '' : ` (${inWords(detail)})`;
  return `${index + 1}${letter === undefined ? '' : `, or ${letter}`}: ${shownLine(label)}${more}`;
}

const inWords = (text: string): string => shownLine(text).replaceAll(' · ', ', ');

/** Accepts a number, the letter, or a word for it (yes, no, always). */
export function choiceOf(choices: readonly Choice[], text: string): number | undefined {
  const wanted = text.trim().replace(/[.)]$/, '').toLowerCase();
  const letter = { yes: 'y', no: 'n', always: 'a' }[wanted] ?? wanted;
  const index = choices.findIndex((choice, at) => wanted === String(at + 1) || letter === choice.letter);
  return index === -1 ? undefined : index;
}

/** A question in plain mode, and the handler of its answer. */
export interface Dialogue {
  /** The lines read out when it is asked. */
  readonly tell: readonly string[];
  /** True if typed text must not be shown. */
  readonly isSecret?: boolean;
  /**
   * `text` is trimmed. `isHeard` is true if it was typed after the whole question was read out; otherwise it grants
   * nothing lasting. Returns undefined if the text was an answer, otherwise a reply to print while the question stays
   * open.
   */
  answer(text: string, isHeard?: boolean): string | undefined;
  /** Called on Ctrl+C and at the end of the input. */
  cancel(): void;
}

export interface DialoguePorts {
  readonly controller: Controller;
  /** Asks the next question. */
  readonly ask: (dialogue: Dialogue) => void;
  readonly tell: (...lines: readonly string[]) => void;
  /** True if the terminal has echoed the answers, which cannot be undone. */
  readonly showsAnswers: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
