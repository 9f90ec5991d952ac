import type { Phase } from '../../controllerTypes.ts';
import { reveal, revealLine } from '../../print/sanitize.ts';
import { choose } from './choose.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** What the folder's settings would do, and whether they may. */
export function trust(
  { question, answer }: Extract<Phase, { type: 'trust' }>,
  { controller }: DialoguePorts,
): Dialogue {
  const { folder, effects } = question;
  const onAnswer = (isTrusted: boolean): void => controller.advance(answer(isTrusted));
  return choose(
    [
      `Question: do you trust this folder? ${revealLine(folder)}`,
      ...(effects.length === 0 ? [] : ['Its settings would:']),
      ...effects.map((effect) => `- ${reveal(effect)}`),
    ],
    [
      { label: 'Yes, I trust this folder', letter: 'y' },
      { label: 'No, go on without its settings', letter: 'n' },
    ],
    (index) => onAnswer(index === 0),
    () => onAnswer(false),
  );
}
