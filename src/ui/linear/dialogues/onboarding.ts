/** The first minute in lines: the steps, choices and checks of the screen, asked one after the other. */

import { OFFICIAL_URL } from '../../../protocol/official.ts';
import { fieldText } from '../../components/field.ts';
import {
  checkForm,
  createForm,
  keyIn,
  MOVED,
  pastedText,
  withInsertion,
} from '../../components/onboardingForm.ts';
import type { Phase } from '../../controllerTypes.ts';
import { createBuffer } from '../../input/textBuffer.ts';
import type { Access, AccessField, AccessOutcome } from '../../onboarding/SetupPort.ts';
import { factsOf, foundText, offersOf, type SetupDeed, setupChoices } from '../../onboarding/setupChoices.ts';
import { refusedChoices, startingServers } from '../../onboarding/steps.ts';
import { sanitizeLine } from '../../print/sanitize.ts';
import type { OnboardingResult } from '../../types.ts';
import { choose } from './choose.ts';
import type { DialoguePorts } from './types.ts';

/** Models that are told at once; the name of any other is an answer too. */
const TOLD = 30;

/** Looks for local servers, then asks. */
export async function onboarding(
  { setup, message, canReread, answer }: Extract<Phase, { type: 'onboarding' }>,
  ports: DialoguePorts,
): Promise<void> {
  let isDone = false;
  const done = (result: OnboardingResult): void => {
    if (!isDone) ports.controller.advance(answer(result));
    isDone = true;
  };
  const quit = (): void => done({ type: 'quit' });
  const keep = (access: Access): void => done({ type: 'credentials', ...access });

  const begin = async (problem?: string): Promise<void> => {
    const found = await setup.search();
    if (isDone) return;
    const choices = setupChoices(found, canReread);
    const head = [
      ...(problem === undefined ? [] : [`Error: ${sanitizeLine(problem)}`]),
      sanitizeLine(foundText(found)),
      'Question: how do you want to start?',
    ];
    const take = (deed: SetupDeed): void => {
      if (deed.type === 'use') keepOffer(deed);
      else if (deed.type === 'choose') {
        const offers = offersOf(found);
        const named = offers.map(({ server, model }) => ({
          label: `${model.id}, ${server.name}, ${factsOf(model)}`,
        }));
        const pick = (index: number): void => keepOffer({ offer: offers[index] });
        ports.ask(choose(['Models on this machine:'], named, pick, quit));
      } else if (deed.type === 'endpoint') {
        const given = { baseUrl: deed.baseUrl, apiKey: '', model: '' };
        if (deed.isSure) void check(given);
        else askField('apiKey', given, (access) => void check(access));
      } else if (deed.type === 'form') askAll();
      else if (deed.type === 'help') {
        ports.tell(...startingServers);
        void begin();
      } else if (deed.type === 'again') void begin();
      else done({ type: deed.type });
    };
    const first = choose(head, choices, (index) => take(choices[index]?.deed ?? { type: 'quit' }), quit);
    ports.ask({
      ...first,
      answer(text) {
        const key = keyIn(text);
        if (key === undefined) return first.answer(text);
        tellMoved();
        askAll(key);
        return undefined;
      },
    });
  };
  /** What became of a key that was typed where answers are shown. */
  const tellMoved = (): void =>
    ports.tell(
      `${MOVED} It was not sent, and not kept as anything else.${ports.showsAnswers ? ' It still stands where it was typed: clear that where others can read it.' : ''}`,
    );
  const keepOffer = ({
    offer,
  }: {
    readonly offer: ReturnType<typeof offersOf>[number] | undefined;
  }): void => {
    if (offer !== undefined) keep({ baseUrl: offer.server.baseUrl, apiKey: '', model: offer.model.id });
  };

  const askField = (name: AccessField, access: Access, next: (access: Access) => void): void => {
    const usual = name === 'baseUrl' ? access.baseUrl : name === 'model' ? access.model : '';
    const question = `${questions[name]} ${emptyLine(name, usual)}`;
    ports.ask({
      tell: [question],
      isSecret: name === 'apiKey',
      answer(line) {
        const text = pastedText(line);
        const moved = withInsertion(createForm(access), name, text, createBuffer(text));
        if (moved.problem === MOVED) {
          tellMoved();
          const { apiKey, baseUrl } = moved.fields;
          askField(name, { ...access, apiKey: fieldText(apiKey), baseUrl: fieldText(baseUrl) }, next);
          return undefined;
        }
        const given = { ...access, [name]: text === '' ? usual : text };
        const checked = checkForm(createForm(given));
        if (checked.type === 'problem' && checked.field === name && name !== 'apiKey')
          return `${checked.message} ${question}`;
        next(given);
        return undefined;
      },
      cancel: quit,
    });
  };
  /** Asks for the key too, unless there is one already. */
  const askAll = (apiKey = ''): void => {
    const given = { baseUrl: '', model: '', ...setup.defaults, apiKey };
    const askRest = (keyed: Access): void => {
      // A key that says whose it is brings its endpoint along.
      const { fields } = createForm({ ...setup.defaults, apiKey: keyed.apiKey });
      const withUrl = { ...keyed, baseUrl: fieldText(fields.baseUrl) };
      askField('baseUrl', withUrl, (located) => askField('model', located, submit));
    };
    if (apiKey === '') askField('apiKey', given, askRest);
    else askRest(given);
  };
  const submit = (access: Access): void => {
    const checked = checkForm(createForm(access));
    if (checked.type === 'ok') void check(checked.access);
    else {
      ports.tell(`Error: ${checked.message}`);
      askField(checked.field, access, submit);
    }
  };

  const check = async (access: Access): Promise<void> => {
    ports.tell(`Asking ${sanitizeLine(access.baseUrl)}.`);
    const outcome = await setup.check(access, new AbortController().signal);
    if (!isDone) answered(access, outcome);
  };
  const answered = (access: Access, outcome: AccessOutcome): void => {
    if (outcome.type === 'accepted') keep(outcome.access);
    else if (outcome.type === 'refused') {
      const form = createForm(access);
      const choices = refusedChoices({ type: 'refused', access, form, refusal: outcome });
      const take = (index: number): void => {
        const deed = choices[index]?.deed ?? 'back';
        if (deed === 'correct') askField(outcome.field, access, submit);
        else if (deed === 'again') void check(access);
        else if (deed === 'keep') keep(access);
        else void begin();
      };
      ports.ask(choose([`Error: ${sanitizeLine(outcome.message)}`], choices, take, quit));
    } else {
      const listed = { ...access, baseUrl: outcome.baseUrl };
      const pick = (model: string): void => {
        if (outcome.isProven) keep({ ...listed, model });
        else void check({ ...listed, model });
      };
      const [only, ...others] = outcome.models;
      if (only !== undefined && others.length === 0) pick(only.id);
      else askModel(outcome, pick);
    }
  };
  const askModel = (
    { models }: Extract<AccessOutcome, { type: 'models' }>,
    pick: (model: string) => void,
  ): void =>
    ports.ask({
      tell: [
        `Question: which model?${models.length > TOLD ? ` The first ${TOLD} of ${models.length}:` : ''}`,
        ...models
          .slice(0, TOLD)
          .map((model, index) => `${index + 1}. ${sanitizeLine(model.id)}, ${factsOf(model)}`),
        'Answer with a number or a name.',
      ],
      answer(text) {
        const named =
          models.find(({ id }) => id === text) ?? (/^\d+$/.test(text) ? models[Number(text) - 1] : undefined);
        if (named === undefined && keyIn(text) !== undefined)
          return 'That looks like a key, and no model is called so.';
        if (named === undefined) return `There is no model ${JSON.stringify(text)} in the list.`;
        pick(named.id);
        return undefined;
      },
      cancel: quit,
    });

  await begin(message);
}

const questions: Readonly<Record<AccessField, string>> = {
  apiKey: 'Key? It is not shown while you type.',
  baseUrl: 'Endpoint?',
  model: 'Model?',
};

function emptyLine(name: AccessField, usual: string): string {
  if (name === 'apiKey') return 'An empty line for none, as most local servers need none.';
  if (usual !== '') return `An empty line takes ${sanitizeLine(usual)}`;
  return name === 'model' ? 'An empty line chooses from a list.' : `An address such as ${OFFICIAL_URL}`;
}
