/** The session's model, and the known facts about it. */
import type { AgentModel } from '../../agent/agentDeps.ts';
import type { ModelList } from '../../commands/types.ts';
import type { Settings } from '../../config/schema.ts';
import { costUsd, isClosedModel, lookupModel } from '../../model/catalogue.ts';
import { DEMO_MODEL, demoModelInfo } from '../../model/demo.ts';
import { endpointFacts } from '../../model/endpoint.ts';
import { type RequestFacts, shownUrl, toModelError } from '../../model/errors.ts';
import { type CustomHeaders, hasAuthorization, secretsOf } from '../../model/http/customHeaders.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import type { HttpSend } from '../../model/http/types.ts';
import { askJson, type HttpAnswer } from '../../model/servers/askHttp.ts';
import { readModelList } from '../../model/servers/modelList.ts';
import type { ServedModels } from '../../model/servers/servedModels.ts';
import { windowAdvice } from '../../model/servers/windowAdvice.ts';
import { acceptedEffort } from '../../model/wires/effort.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { assumedWindow } from '../../protocol/models/modelNames.ts';
import {
  type Effort,
  effortNotice,
  type ThinkingChange,
  type ThinkingOptions,
  thinkingOptions,
} from '../../protocol/models/wires.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { createEndpoints, type Endpoints } from './endpoints.ts';
import type { LearnedWindows } from './learnedWindows.ts';
import { cardLine } from './modelCards.ts';

/** `waitForFacts` does not wait if the user has set the context window. */
export interface ModelChoice extends Required<AgentModel> {
  /** Returns the known facts about any model, by its full name. */
  infoOf(name: string): ModelInfo;
  /**
   * Calls `listener`, after the server was queried, if the context window is assumed, or if the server provides less
   * than the settings claim; once per model. Messages without a listener are kept for the next one. Returns a function
   * that unsubscribes.
   */
  onAssumed(listener: (text: string) => void): () => void;
}

interface ModelChoiceOptions {
  readonly served?: ServedModels | undefined;
  readonly learnedWindows?: Omit<LearnedWindows, 'remember'> | undefined;
  /** True if the open session has learned the current model's window from an error. */
  readonly isLearnedInSession?: () => boolean;
  /** Called when the server has reported new facts about the current model outside of a turn. */
  readonly onLearned?: () => void;
  /** True if a prompt follows immediately: the server is then queried while the session is being opened. */
  readonly hasPrompt?: boolean;
  /** The user's choice for this session; absent = as in the settings. */
  readonly effort?: Effort | undefined;
  /** As in `ThinkingOptions`, at the start of the session; absent = the model's default. */
  readonly thinking?: ThinkingOptions;
  /** Absent = those of the settings, without keys. */
  readonly endpoints?: Endpoints;
}

/** Delay before the server is queried, in milliseconds; an earlier prompt queries it immediately. */
const ASK_AFTER_MS = 300;
/** Tokens. No server provides less by default. Source: docs/context-length of ollama/ollama (4k below 24 GB). */
const SMALLEST_WINDOW = 4096;

/** Settings override the server's facts, and these override the catalogue; see `lookupModel`. */
export function createModelChoice(
  first: string,
  settings: Settings,
  {
    served,
    learnedWindows,
    isLearnedInSession,
    onLearned,
    hasPrompt = false,
    endpoints = createEndpoints({ settings }),
    thinking: firstThinking = {},
    ...options
  }: ModelChoiceOptions = {},
): ModelChoice {
  /** Null for the model's own default. */
  let effort: Effort | null | undefined = options.effort;
  let thinking = firstThinking;
  const lookup = (name: string): ModelInfo =>
    modelInfoOf(name, { settings, endpoints, served, learnedWindows, effort, thinking });
  const reported = new Set<string>();
  let chosen = first;
  let model = lookup(first);
  let basis = served?.get(first);
  let learnedWindow = learnedWindows?.get(first);
  const choose = (id: string): ModelInfo => {
    chosen = id;
    basis = served?.get(id);
    learnedWindow = learnedWindows?.get(id);
    model = lookup(id);
    return model;
  };
  const current = (): ModelInfo => {
    const isNews = served?.get(chosen) !== basis || learnedWindows?.get(chosen) !== learnedWindow;
    return isNews ? choose(chosen) : model;
  };
  /** The model that the server was last queried about. */
  let askedFor: string | undefined;
  let hearAssumed: ((text: string) => void) | undefined;
  const reportAssumed = (): void => {
    const { id, source, windowTokens } = current();
    const text = assumedText(id, windowTokens);
    if (hearAssumed === undefined || source !== 'assumed' || askedFor !== id || reported.has(text)) return;
    if (learnedWindows?.isReported(id) === true) return;
    if (served?.awaitsLoad(id) === true || isLearnedInSession?.() === true) return;
    reported.add(text);
    void learnedWindows?.reported(id);
    hearAssumed(text);
  };
  const isAsked = (id: string): boolean => id !== DEMO_MODEL && id !== '' && !isClosedModel(id);
  /** Delayed, because loading the code while the session is being opened would double the time that takes. */
  const askSoon = (id: string): void => {
    if (served === undefined || !isAsked(id)) return;
    const askNow = async (): Promise<void> => {
      await served.ask(id);
      if (id !== chosen) return;
      askedFor = id;
      if (served.get(id) !== basis) onLearned?.();
      reportAssumed();
      if (hearAssumed !== undefined) newAdvice().forEach(hearAssumed);
    };
    if (hasPrompt && current().source !== 'setting') void askNow();
    else setTimeout(() => void askNow(), ASK_AFTER_MS).unref();
  };
  const newAdvice = (): readonly string[] => {
    const facts = served?.get(chosen);
    const advice = facts === undefined ? undefined : windowAdvice(facts, current());
    if (advice === undefined || reported.has(advice)) return [];
    reported.add(advice);
    return [advice];
  };
  /** Once per model and level, if the model does not have the requested effort. */
  const effortAdvice = (): readonly string[] => {
    const { id, effort: given } = current();
    if (effort === undefined || effort === null || effort === given) return [];
    const text = effortNotice(id, effort, given);
    if (reported.has(text)) return [];
    reported.add(text);
    return [text];
  };
  askSoon(first);
  return {
    current,
    select(id) {
      const info = choose(id);
      askSoon(id);
      return info;
    },
    setEffort(level) {
      effort = level ?? null;
      const info = choose(chosen);
      // The caller reports the outcome.
      effortAdvice();
      return info;
    },
    setThinking(change) {
      thinking = changed(thinking, change, firstThinking);
      return choose(chosen);
    },
    infoOf: lookup,
    costUsd: (id, usage) => costUsd(lookup(id), usage),
    async waitForFacts(signal, tokens) {
      if (served === undefined || !isAsked(chosen)) return effortAdvice();
      if (current().source !== 'setting') {
        const asked = chosen;
        await served.waitForFacts(asked, signal, tokens !== undefined && tokens() <= SMALLEST_WINDOW);
        askedFor = asked;
        reportAssumed();
      }
      return [...effortAdvice(), ...newAdvice()];
    },
    onAssumed(listener) {
      hearAssumed = listener;
      reportAssumed();
      return () => {
        if (hearAssumed === listener) hearAssumed = undefined;
      };
    },
  };
}

interface KnownFacts extends Pick<ModelChoiceOptions, 'served' | 'learnedWindows'> {
  readonly settings: Settings;
  readonly endpoints: Endpoints;
  /** The user's choice; null for the model's own default. */
  readonly effort: Effort | null | undefined;
  readonly thinking: ThinkingOptions;
}

/** The facts about a model from the settings, the server, the catalogue and tests. */
function modelInfoOf(
  name: string,
  { settings, endpoints, served, learnedWindows, effort, thinking }: KnownFacts,
): ModelInfo {
  const { endpoint, id } = endpoints.find(name);
  const place = endpointFacts(endpoint.baseUrl);
  const own = endpoint.factsOf(id);
  if (id === DEMO_MODEL) {
    const windowTokens = settings.contextWindow ?? own.contextWindow ?? demoModelInfo.windowTokens;
    const maxOutputTokens = own.maxOutputTokens ?? demoModelInfo.maxOutputTokens;
    return { ...demoModelInfo, windowTokens, maxOutputTokens };
  }
  const known = lookupModel(id, {
    unknownWindow: assumedWindow(settings.context.unknownWindow, place.provider),
    settings: own,
    wire: endpoint.wire,
    served: served?.get(name),
    learnedWindow: learnedWindows?.get(name),
    ...(settings.contextWindow === null ? {} : { windowTokens: settings.contextWindow }),
  });
  const wanted = effort === null ? null : (effort ?? own.effort ?? settings.effort);
  const accepted = wanted && acceptedEffort(wanted, known.efforts);
  const card = endpoint.cardOf(id);
  // Test results only fill gaps: the settings, the server and the catalogue are more reliable.
  const seesImages = known.seesImages ?? card?.images;
  return {
    ...{ ...known, ...place, id: name },
    ...(seesImages === undefined ? {} : { seesImages }),
    ...(card && { tested: cardLine(card) }),
    ...(endpoint.name && { endpoint: endpoint.name }),
    ...(accepted && { effort: accepted }),
    ...thinking,
  };
}

function changed(
  now: ThinkingOptions,
  { budget, display }: ThinkingChange,
  first: ThinkingOptions,
): ThinkingOptions {
  const thinkingBudget =
    budget === undefined ? now.thinkingBudget : budget === 'default' ? first.thinkingBudget : budget;
  const thinkingDisplay =
    display === undefined ? now.thinkingDisplay : display === 'default' ? first.thinkingDisplay : display;
  return thinkingOptions({ thinkingBudget, thinkingDisplay });
}

function assumedText(id: string, windowTokens: number): string {
  return `Context window unknown for ${id}: assuming ${grouped(windowTokens)} tokens. Set it if you know it: clawdcode config set contextWindow TOKENS`;
}

/** The model that writes summaries of conversations that it can read in full, if that is not the session's. */
export function summaryModel(
  { smallModel, context }: Pick<Settings, 'smallModel' | 'context'>,
  infoOf: ModelChoice['infoOf'],
): ModelInfo | undefined {
  return smallModel === null || context.summaryModel === 'main' ? undefined : infoOf(smallModel);
}

/** Returns a function that lists an endpoint's models, with the proxy and certificates of the environment. */
export function listerFor(env: Readonly<Record<string, string | undefined>>) {
  return ({ baseUrl, apiKey, headers }: Settings): Promise<ModelList> =>
    listModels(baseUrl, apiKey ?? undefined, { send: environmentSend(env), headers });
}

interface ListingOptions {
  readonly send?: HttpSend;
  readonly headers?: CustomHeaders;
  /** What errors say about the endpoint and its key. */
  readonly about?: Partial<Pick<RequestFacts, 'hasKey' | 'provider'>>;
}

/** Lists the chat models of an endpoint by name, querying it every time; if there are none, `problem` says why. */
export async function listModels(
  baseUrl: string,
  apiKey: string | undefined,
  { send = environmentSend(), headers = {}, about = {} }: ListingOptions = {},
): Promise<ModelList> {
  const signal = AbortSignal.timeout(LIST_MS);
  const answer = await askJson(`${baseUrl.replace(/\/+$/, '')}/models`, { apiKey, headers, signal, send });
  const problem =
    answer.type === 'refused' ? problemOf(answer, { baseUrl, apiKey, headers, signal, about }) : undefined;
  if (problem !== undefined) return { ids: [], problem };
  const all = answer.type === 'json' ? (readModelList(answer.value)?.models ?? []) : [];
  const fit = all.filter(({ unfit }) => unfit !== true);
  const ids = (fit.length > 0 ? fit : all).map(({ id }) => id).sort();
  if (ids.length > 0) return { ids };
  return {
    ids,
    problem: `${shownUrl(baseUrl)} does not list its models: name one (--model, OPENAI_MODEL, /model).`,
  };
}

/** Timeout in milliseconds for listing models. */
const LIST_MS = 5000;

/** Returns why there is no answer; undefined if the endpoint merely has no model list, which is optional. */
function problemOf(
  { error, status }: Extract<HttpAnswer, { type: 'refused' }>,
  {
    baseUrl,
    apiKey = '',
    headers,
    signal,
    about: known,
  }: {
    readonly baseUrl: string;
    readonly apiKey: string | undefined;
    readonly headers: CustomHeaders;
    readonly signal: AbortSignal;
    readonly about: NonNullable<ListingOptions['about']>;
  },
): string | undefined {
  if (signal.aborted)
    return `${shownUrl(baseUrl)} did not answer within ${LIST_MS / 1000} s. Check that it is running, and check the URL.`;
  if (error instanceof SyntaxError) return undefined;
  const hasKey = apiKey !== '' || hasAuthorization(headers);
  const about = { baseUrl, model: '', hasKey, secrets: secretsOf(apiKey, headers), ...known };
  const { kind, message } = toModelError(error, about);
  const mayHaveNoList =
    status !== undefined && status < 500 && (kind === 'bad_url' || kind === 'bad_request');
  return mayHaveNoList ? undefined : message;
}
