import type { Choice } from '../../components/choices.ts';
import { reveal, sanitizeLine } from '../../print/sanitize.ts';
import type { Dialogue } from './types.ts';

/** Numbered choices below some lines; the number or the letter takes one. */
export function choose(
  head: readonly string[],
  choices: readonly Choice[],
  onPick: (index: number) => void,
  onCancel: () => void,
): Dialogue {
  return {
    tell: [...head, ...choices.map(choiceWords), `Answer with a number, 1 to ${choices.length}.`],
    answer(text) {
      const index = choiceOf(choices, text);
      if (index === undefined)
        return `${JSON.stringify(sanitizeLine(text))} is not one of the choices. Answer with a number, 1 to ${choices.length}.`;
      onPick(index);
      return undefined;
    },
    cancel: onCancel,
  };
}

/** E.g. "2, or a: Yes, and don't ask again (saved to …)". */
function choiceWords({ label, detail, letter }: Choice, index: number): string {
  const more = detail === undefined ? '' : ` (${sanitizeLine(reveal(detail)).replaceAll(' · ', ', ')})`;
  return `${index + 1}${letter === undefined ? '' : `, or ${letter}`}: ${sanitizeLine(reveal(label))}${more}`;
}

/** A number, the letter, or the word that the letter begins (yes, no, always). */
export function choiceOf(choices: readonly Choice[], text: string): number | undefined {
  const wanted = text.trim().replace(/[.)]$/, '').toLowerCase();
  const letter = { yes: 'y', no: 'n', always: 'a' }[wanted] ?? wanted;
  const index = choices.findIndex((choice, at) => wanted === String(at + 1) || letter === choice.letter);
  return index === -1 ? undefined : index;
}
