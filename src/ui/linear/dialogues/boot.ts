/** Trust, and the first key: the same questions as on the screen, a line each. */
import type { Phase } from '../../controllerTypes.ts';
import { reveal } from '../../print/sanitize.ts';
import type { OnboardingResult } from '../../types.ts';
import { choose } from './choose.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

export function trust(
  { question, answer }: Extract<Phase, { type: 'trust' }>,
  { controller }: DialoguePorts,
): Dialogue {
  const { folder, effects } = question;
  const onAnswer = (isTrusted: boolean): void => controller.advance(answer(isTrusted));
  return choose(
    [
      `Question: do you trust this folder? ${reveal(folder)}`,
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

const OFFICIAL_URL = 'https://api.openai.com/v1';

interface Field {
  readonly question: string;
  readonly isSecret?: boolean;
  /** Why it cannot be that, ready to tell. */
  readonly problem: (text: string) => string | undefined;
}

const endpoint: Field = {
  question: `Endpoint? An empty line takes ${OFFICIAL_URL}`,
  problem: (text) =>
    text === '' || /^https?:\/\/\S+$/i.test(text)
      ? undefined
      : `The endpoint is a URL such as ${OFFICIAL_URL}.`,
};
const key: Field = {
  question: 'Key? It is not shown while you type; an empty line for none.',
  isSecret: true,
  problem: (text) => (/\s/.test(text) ? 'A key holds no spaces: was more than the key pasted?' : undefined),
};
const model: Field = {
  question: 'Model? An empty line takes one that the endpoint offers.',
  problem: () => undefined,
};

/** With nothing configured: endpoint, key and model one after the other, or the demo model, or leave. */
export function onboarding(phase: Extract<Phase, { type: 'onboarding' }>, ports: DialoguePorts): Dialogue {
  const done = (result: OnboardingResult): void => ports.controller.advance(phase.answer(result));
  const ask = ({ question, isSecret = false, problem }: Field, next: (text: string) => void): void =>
    ports.ask({
      tell: [question],
      isSecret,
      answer(text) {
        const wrong = problem(text);
        if (wrong === undefined) next(text);
        return wrong === undefined ? undefined : `${wrong} ${question}`;
      },
      cancel: () => done({ type: 'quit' }),
    });
  const askAll = (): void =>
    ask(endpoint, (url) =>
      ask(key, (apiKey) =>
        ask(model, (id) =>
          done({ type: 'credentials', baseUrl: url === '' ? OFFICIAL_URL : url, apiKey, model: id }),
        ),
      ),
    );
  return choose(
    [
      ...(phase.message === undefined ? [] : [`Error: ${phase.message}`]),
      'Question: how do you want to begin?',
    ],
    [
      { label: 'Enter a key and an endpoint', detail: 'any OpenAI-compatible server, local ones included' },
      { label: 'Try the demo model', detail: 'built in, no network, no key; does a few things for real' },
      { label: 'Quit' },
    ],
    (index) => {
      if (index === 0) askAll();
      else done({ type: index === 1 ? 'demo' : 'quit' });
    },
    () => done({ type: 'quit' }),
  );
}
