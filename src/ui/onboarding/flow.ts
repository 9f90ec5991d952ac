/**
 * Onboarding: from the servers found on this machine to one that answers, or to the demo. A reducer decides, the full
 * screen and plain mode show its dialogs, and a small shell searches and tests. Nothing is saved untested, unless the
 * user insists.
 */
import type { ServedModel } from '../../protocol/models/server.ts';
import type { Choice, ChoiceDialog } from '../dialog/choices.ts';
import type { Dialog } from '../dialog/dialog.ts';
import type { OnboardingResult } from '../types.ts';
import { checkForm, createForm, type Form, fieldNames } from './accessForm.ts';
import type { Access, AccessField, AccessOutcome, FoundServer, SetupPort } from './SetupPort.ts';
import { factsOf, foundText, offersOf, type SetupPick, setupChoices } from './setupChoices.ts';

export type Step =
  | { readonly type: 'choices' }
  /** How to start a local server. */
  | { readonly type: 'help' }
  /** All models found on this machine. */
  | { readonly type: 'found' }
  /** `asks`: the fields that plain mode asks for, in this order; the full screen shows all. */
  | { readonly type: 'form'; readonly form: Form; readonly asks: readonly AccessField[] }
  | { readonly type: 'checking'; readonly access: Access; readonly form: Form }
  | {
      readonly type: 'refused';
      readonly access: Access;
      readonly form: Form;
      readonly refusal: Extract<AccessOutcome, { type: 'refused' }>;
    }
  /** The endpoint's models; unless the key is known to work, the chosen one is tested. */
  | {
      readonly type: 'models';
      readonly access: Access;
      readonly models: readonly ServedModel[];
      readonly isProven: boolean;
      readonly form: Form;
    };

interface SetupState {
  /** A new object for each question. */
  readonly step: Step;
  /** Undefined during the search. */
  readonly found: readonly FoundServer[] | undefined;
  /** The number of the current search; results of earlier ones are ignored. */
  readonly search: number;
  readonly isDone: boolean;
}

type SetupAction =
  | SetupPick
  | { readonly type: 'found'; readonly servers: readonly FoundServer[]; readonly search: number }
  /** A key or an address, pasted on the first screen. */
  | { readonly type: 'pasted'; readonly text: string }
  | { readonly type: 'edit'; readonly form: Form; readonly asks?: readonly AccessField[] }
  | { readonly type: 'submit'; readonly form: Form }
  | { readonly type: 'checked'; readonly access: Access; readonly outcome: AccessOutcome }
  | { readonly type: 'model'; readonly id: string }
  /** After a failed test: correct the form, try again, or save it anyway. */
  | { readonly type: 'correct' | 'retry' | 'keep' }
  /** Back to the first screen. */
  | { readonly type: 'home' }
  /** Esc: one step back; on the first screen, quits. */
  | { readonly type: 'back' };

type SetupEffect =
  | { readonly type: 'search'; readonly search: number }
  | { readonly type: 'check'; readonly access: Access }
  | { readonly type: 'done'; readonly result: OnboardingResult };

interface SetupStep {
  readonly state: SetupState;
  readonly effects: readonly SetupEffect[];
}

/** The state before the first search. */
export const startState: SetupState = {
  step: { type: 'choices' },
  found: undefined,
  search: 0,
  isDone: false,
};

export function reduceSetup(
  state: SetupState,
  action: SetupAction,
  defaults: SetupPort['defaults'],
): SetupStep {
  if (state.isDone) return { state, effects: [] };
  const { step } = state;
  const to = (next: Step): SetupStep => ({ state: { ...state, step: next }, effects: [] });
  const form = (next: Form, asks: readonly AccessField[] = fieldNames): SetupStep =>
    to({ type: 'form', form: next, asks });
  const done = (result: OnboardingResult): SetupStep => ({
    state: { ...state, isDone: true },
    effects: [{ type: 'done', result }],
  });
  const keep = (access: Access): SetupStep => done({ type: 'credentials', ...access });
  const check = (access: Access, from: Form): SetupStep => ({
    ...to({ type: 'checking', access, form: from }),
    effects: [{ type: 'check', access }],
  });
  const choose = (access: Access, model: string, isProven: boolean, from: Form): SetupStep =>
    isProven ? keep({ ...access, model }) : check({ ...access, model }, from);

  switch (action.type) {
    case 'found':
      if (action.search !== state.search) return { state, effects: [] };
      return { state: { ...state, found: action.servers }, effects: [] };
    case 'again': {
      const search = state.search + 1;
      return {
        state: { ...state, step: { type: 'choices' }, found: undefined, search },
        effects: [{ type: 'search', search }],
      };
    }
    case 'use':
      return keep({ baseUrl: action.offer.server.baseUrl, apiKey: '', model: action.offer.model.id });
    case 'choose':
      return to({ type: 'found' });
    case 'help':
      return to({ type: 'help' });
    case 'form':
      return form(createForm(defaults));
    case 'endpoint': {
      const { baseUrl, isSure } = action;
      const located = createForm({ baseUrl });
      return isSure ? check({ baseUrl, apiKey: '', model: '' }, located) : form(located, ['apiKey']);
    }
    case 'pasted': {
      const pasted = pastedForm(action.text, defaults);
      const isKey = fieldNames[pasted.active] === 'apiKey';
      return form(pasted, isKey ? ['baseUrl', 'model'] : fieldNames);
    }
    case 'edit':
      return form(action.form, action.asks ?? (step.type === 'form' ? step.asks : fieldNames));
    case 'submit': {
      const result = checkForm(action.form);
      if (result.type === 'ok') return check(result.access, action.form);
      const active = fieldNames.indexOf(result.field);
      return form({ ...action.form, active, problem: result.message }, [result.field]);
    }
    case 'checked': {
      // The result of a test that is no longer current.
      if (step.type !== 'checking' || step.access !== action.access) return { state, effects: [] };
      const { access, outcome } = action;
      if (outcome.type === 'accepted') return keep(outcome.access);
      if (outcome.type === 'refused')
        return to({ type: 'refused', access, form: step.form, refusal: outcome });
      const { baseUrl, models, isProven } = outcome;
      const listed = { ...access, baseUrl };
      const [only, ...others] = models;
      if (only !== undefined && others.length === 0) return choose(listed, only.id, isProven, step.form);
      return to({ type: 'models', access: listed, models, isProven, form: step.form });
    }
    case 'model':
      if (step.type !== 'models') return { state, effects: [] };
      return choose(step.access, action.id, step.isProven, step.form);
    case 'correct':
      return step.type === 'refused' ? corrected(step) : { state, effects: [] };
    case 'retry':
      return step.type === 'refused' ? check(step.access, step.form) : { state, effects: [] };
    case 'keep':
      return step.type === 'refused' ? keep(step.access) : { state, effects: [] };
    case 'home':
      return to({ type: 'choices' });
    case 'back':
      if (step.type === 'choices') return done({ type: 'quit' });
      if (step.type === 'checking' || step.type === 'models') return form(step.form);
      return step.type === 'refused' ? corrected(step) : to({ type: 'choices' });
    case 'demo':
    case 'reread':
    case 'quit':
      return done({ type: action.type });
  }

  /** Returns to the form, at the field to correct. */
  function corrected({ form: from, refusal }: Extract<Step, { type: 'refused' }>): SetupStep {
    const active = fieldNames.indexOf(refusal.field);
    return form({ ...from, active, problem: undefined }, [refusal.field]);
  }
}

/** A form with the pasted address or key. */
function pastedForm(text: string, defaults: Partial<Access>): Form {
  const isAddress = /^https?:\/\//i.test(text);
  const form = createForm({ ...defaults, ...(isAddress ? { baseUrl: text } : { apiKey: text }) });
  return isAddress ? { ...form, active: fieldNames.indexOf('baseUrl') } : form;
}

export const ONBOARDING_TITLE = 'Welcome to ClawdCode';

/**
 * The dialog of a step. `message`: the problem with the last answer; `canReread`: the problem is in the settings file.
 */
export function setupDialog(
  { step, found }: { readonly step: Exclude<Step, { type: 'form' }>; readonly found: SetupState['found'] },
  { message, canReread }: { readonly message?: string | undefined; readonly canReread?: boolean | undefined },
): Dialog<SetupAction> {
  const back = { type: 'back' } as const;
  const base = { cancel: back, quit: { type: 'quit' } } as const;
  switch (step.type) {
    case 'choices':
      return {
        ...choiceDialog('choices', ONBOARDING_TITLE),
        body: [
          ...(message === undefined ? [] : [{ type: 'text', text: message, tone: 'error' } as const]),
          { type: 'text', text: foundText(found), ...(found === undefined ? { tone: 'dim' } : {}) },
          { type: 'text', text: 'Question: how do you want to start?', only: 'lines' },
        ],
        choices: setupChoices(found, canReread),
      };
    case 'help':
      return {
        ...choiceDialog('help', 'Starting a local server'),
        body: startingServers.map((text) => ({ type: 'text', text })),
        choices: [
          { label: 'Look again', letter: 'r', answer: { type: 'again' } },
          { label: 'Back', letter: 'b', answer: back },
        ],
      };
    case 'found':
      return {
        ...base,
        type: 'list',
        id: 'found',
        title: 'Models on this machine',
        noun: 'model',
        escape: GOES_BACK,
        introduction: () => 'Models on this machine:',
        items: offersOf(found ?? []).map((offer) => ({
          label: `${offer.model.id} · ${offer.server.name} · ${factsOf(offer.model)}`,
          name: offer.model.id,
          answer: { type: 'use', offer },
        })),
      };
    case 'checking': {
      const { baseUrl, model } = step.access;
      const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
      const what = model === '' ? 'which models it has' : `whether ${model} answers`;
      return {
        ...base,
        type: 'wait',
        id: 'checking',
        title: ONBOARDING_TITLE,
        text: `Asking ${host} ${what}…`,
        plainText: `Asking ${baseUrl}.`,
      };
    }
    case 'refused':
      return {
        ...choiceDialog('refused', 'That did not work'),
        body: [{ type: 'text', text: step.refusal.message, tone: 'error' }],
        choices: refusedChoices(step),
      };
    case 'models': {
      const many = step.models.length;
      return {
        ...base,
        type: 'list',
        id: 'models',
        title: 'Which model?',
        noun: 'model',
        escape: GOES_BACK,
        introduction: (shown) =>
          `Question: which model?${shown < many ? ` The first ${shown} of ${many}:` : ''}`,
        items: step.models.map((model) => ({
          label: `${model.id} · ${factsOf(model)}`,
          name: model.id,
          answer: { type: 'model', id: model.id },
        })),
      };
    }
  }
}

const GOES_BACK = 'Esc goes back';

function choiceDialog(id: string, title: string): Omit<ChoiceDialog<SetupAction>, 'body' | 'choices'> {
  return {
    type: 'choices',
    id,
    title,
    hint: { escape: id === 'choices' ? 'Esc quits' : GOES_BACK, hasLetters: true },
    cancel: { type: 'back' },
    quit: { type: 'quit' },
  };
}

/** The choices after a failed test. Without a model there is nothing to save. */
function refusedChoices({
  access,
  refusal,
}: Extract<Step, { type: 'refused' }>): readonly (Choice & { readonly answer: SetupAction })[] {
  const canKeep = refusal.field !== 'model' || access.model !== '';
  return [
    { label: corrections[refusal.field], letter: 'c', answer: { type: 'correct' } },
    { label: 'Try again', letter: 't', answer: { type: 'retry' } },
    ...(canKeep ? [{ label: 'Keep it as is', letter: 'k', answer: { type: 'keep' } } as const] : []),
    { label: 'Back', letter: 'b', answer: { type: 'home' } },
  ];
}

const corrections = {
  apiKey: 'Change the key',
  baseUrl: 'Change the endpoint',
  model: 'Name a model',
} as const;

/** How to start each kind of local server. source: their own documentation. */
export const startingServers: readonly string[] = [
  'Ollama: "ollama serve", and a model with "ollama pull qwen3-coder". A window of 32k or more helps: OLLAMA_CONTEXT_LENGTH=32768 ollama serve',
  'LM Studio: load a model, then Developer → Start server, or "lms server start"',
  'llama.cpp: llama-server -m model.gguf --jinja -c 32768',
  'vLLM: vllm serve MODEL --enable-auto-tool-choice --tool-call-parser hermes',
];

interface Setup {
  snapshot(): SetupState;
  subscribe(listener: () => void): () => void;
  dispatch(action: SetupAction): void;
  /** Starts the search for servers. */
  start(): void;
  /** Cancels a running test. */
  dispose(): void;
}

/** Runs the reducer's effects. */
export function createSetup(port: SetupPort, onDone: (result: OnboardingResult) => void): Setup {
  const listeners = new Set<() => void>();
  let state = startState;
  let checking: AbortController | undefined;

  const dispatch = (action: SetupAction): void => {
    const before = state;
    const { state: next, effects } = reduceSetup(state, action, port.defaults);
    state = next;
    if (before.step !== next.step) checking?.abort();
    for (const effect of effects) run(effect);
    if (before !== next) for (const listener of [...listeners]) listener();
  };
  const run = (effect: SetupEffect): void => {
    if (effect.type === 'done') onDone(effect.result);
    else if (effect.type === 'search') void search(effect.search);
    else void check(effect.access);
  };
  const search = async (number: number): Promise<void> => {
    const servers = await port.search();
    dispatch({ type: 'found', servers, search: number });
    dispatch({ type: 'found', servers: await port.refine(servers), search: number });
  };
  const check = async (access: Access): Promise<void> => {
    const controller = new AbortController();
    checking = controller;
    const outcome = await port.check(access, controller.signal);
    if (!controller.signal.aborted) dispatch({ type: 'checked', access, outcome });
  };
  return {
    snapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    dispatch,
    start: () => dispatch({ type: 'again' }),
    dispose() {
      state = { ...state, isDone: true };
      checking?.abort();
    },
  };
}
