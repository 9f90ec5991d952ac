import { trustWords } from '../../components/trustWords.ts';
import type { Phase } from '../../controllerTypes.ts';
import { revealLine } from '../../print/sanitize.ts';
import { choose } from './choose.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** What the folder's settings would do, and whether they may. */
export function trust(
  { question, answer }: Extract<Phase, { type: 'trust' }>,
  { controller }: DialoguePorts,
): Dialogue {
  const { heading, introduction, items, choices } = trustWords(question);
  const onAnswer = (isTrusted: boolean): void => controller.advance(answer(isTrusted));
  return choose(
    [
      `Question: ${heading.charAt(0).toLowerCase()}${heading.slice(1)} ${revealLine(question.folder)}`,
      ...(introduction === undefined ? [] : [introduction]),
      ...items.map(({ sign, text }) => `- ${signs[sign]}${revealLine(text)}`),
    ],
    choices,
    (index) => onAnswer(index === 0),
    () => onAnswer(false),
  );
}

const signs = { does: '', added: 'New: ', removed: 'Gone: ' } as const;
