/**
 * The port to OpenAI-compatible chat completions.
 * Owns timing, aborting and what one server taught us; wire form, folding and errors are pure and live beside.
 */
import { customAlphabet } from 'nanoid';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelInfo,
  ModelRequest,
  SentRequest,
} from '../protocol/model.ts';
import { type Accumulator, createAccumulator } from './accumulate.ts';
import { adaptationNotices } from './adaptations.ts';
import { isClosedModel, lookupModel } from './catalogue.ts';
import {
  badUrlError,
  cutError,
  noProgressError,
  type RequestFacts,
  shownUrl,
  stalledError,
  toModelError,
} from './errors.ts';
import { readFailure, withoutSecrets } from './failure.ts';
import { environmentSend } from './http/environmentSend.ts';
import { hasAuthorization, secretsOf } from './http/ownHeaders.ts';
import type { HttpSend } from './http/types.ts';
import { record } from './json.ts';
import { type AnswerTrace, chatCompletion, type ReplyNews } from './replyChunks.ts';
import {
  createBodyWriter,
  type Dialect,
  firstDialect,
  isOpenAI,
  learnDialect,
  sentAs,
  type WrittenBody,
} from './requestBody.ts';
import { createWatchdog } from './watchdog.ts';

export interface OpenAIClientOptions {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  /** Also those of the user's own; an `authorization` among them is sent in the place of the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers for OpenAI itself alone: the organization and the project that requests count for. */
  readonly account?: Readonly<Record<string, string>>;
  /** Longest silence once the reply has begun, in ms. */
  readonly idleTimeoutMs?: number;
  /** Longest wait for the beginning, in ms: a local server may read a long prompt for minutes. */
  readonly firstEventTimeoutMs?: number;
  /** Longest time in which a server keeps the connection alive and adds nothing to the reply, in ms. */
  readonly progressTimeoutMs?: number;
  /** The way to the server; straight, where it is not given. */
  readonly send?: HttpSend;
  readonly debug?: (line: string) => void;
  /** What is known of a model ahead of its first request: where it takes no tools, that need not be tried. */
  readonly factsOf?: (model: string) => Partial<Pick<ModelInfo, 'callsTools' | 'returnsReasoning'>>;
}

/** How long the token usage may lag behind the finish reason, in ms; the reply is complete without it. */
const USAGE_GRACE_MS = 3000;

/** Nine characters, letters and digits: the strictest id format that a server demands (Mistral's). */
const newCallId = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 9);

/** A client for one server. It remembers, per model, which fields the server refused. */
export function createOpenAIClient(options: OpenAIClientOptions): ModelClient {
  const { apiKey, baseUrl, headers = {} } = options;
  const secrets = secretsOf(apiKey, headers);
  const debug = (line: string): void => options.debug?.(withoutSecrets(line, secrets));
  const idleTimeoutMs = options.idleTimeoutMs ?? 120_000;
  const firstEventTimeoutMs = options.firstEventTimeoutMs ?? 600_000;
  const progressTimeoutMs = options.progressTimeoutMs ?? 20 * 60_000;
  const send = options.send ?? environmentSend();
  const writeBody = createBodyWriter();
  const dialects = new Map<string, Dialect>();
  const told = new Set<string>();
  /** Models that have made a call in the standard form here. */
  const callers = new Set<string>();
  /** Models whose complete streams give no finish reason: once that is a cut, again it is the server's way. */
  const withoutReasons = new Set<string>();
  let reached = false;

  async function* stream(
    request: ModelRequest,
    signal: AbortSignal,
    onSent?: (sent: SentRequest) => void,
  ): AsyncGenerator<ModelEvent> {
    const { model } = request;
    let dialect = dialects.get(model) ?? beginning(model);
    while (!signal.aborted) {
      yield* tell(request, dialect);
      const refused = yield* attempt(request, dialect, signal, onSent);
      if (refused === undefined) return;
      dialect = refused;
      dialects.set(model, dialect);
      debug(`model: the server refused a field; asking again with ${JSON.stringify(dialect)}`);
    }
  }

  function beginning(model: string): Dialect {
    const { callsTools, returnsReasoning = lookupModel(model, { unknownWindow: 0 }).returnsReasoning } =
      options.factsOf?.(model) ?? {};
    const first = firstDialect(baseUrl, model, returnsReasoning === true);
    return callsTools === false ? { ...first, adaptations: ['text_tools'] } : first;
  }

  /**
   * Is it known that this model makes calls in the standard form, and that this server reads them? What is only claimed
   * of tools is no proof: servers pass on as text what they fail to read.
   */
  function speaksCalls(model: string, { adaptations }: Dialect): boolean {
    return !adaptations.includes('text_tools') && (callers.has(model) || isClosedModel(model));
  }

  /** What is lost with an adaptation is said once for each model, and only where it matters. */
  function* tell({ model, tools }: ModelRequest, { adaptations }: Dialect): Generator<ModelEvent> {
    for (const one of adaptations) {
      const notice = adaptationNotices[one];
      const key = `${one} ${model}`;
      if (notice === undefined || told.has(key) || (one === 'text_tools' && tools.length === 0)) continue;
      told.add(key);
      const text = notice.replace('{model}', `${model} at ${shownUrl(baseUrl)}`);
      yield { type: 'notice', level: 'warning', text };
    }
  }

  /** One HTTP request. Returns the dialect to ask again with, or nothing when its last event was sent. */
  async function* attempt(
    request: ModelRequest,
    dialect: Dialect,
    signal: AbortSignal,
    onSent: ((sent: SentRequest) => void) | undefined,
  ): AsyncGenerator<ModelEvent, Dialect | undefined> {
    const controller = new AbortController();
    // With a reason of our own: making the usual one, with its stack, takes longer than all else here.
    const abort = () => controller.abort(ENDED);
    signal.addEventListener('abort', abort, { once: true });
    const trace: AnswerTrace = {
      answered: false,
      isReply: false,
      isEventStream: false,
      dropped: 0,
    };
    const offered = request.toolChoice === 'none' ? [] : request.tools;
    const accumulator = createAccumulator(newCallId, offered, speaksCalls(request.model, dialect));
    let chunkCount = 0; // those that look like chat completions
    const watchdog = createWatchdog(abort, () => {
      if (accumulator.ended()) return USAGE_GRACE_MS;
      return chunkCount > 0 ? idleTimeoutMs : firstEventTimeoutMs;
    });
    const progress = createWatchdog(abort, () => (accumulator.ended() ? USAGE_GRACE_MS : progressTimeoutMs));
    let thrown: unknown;
    try {
      watchdog.feed();
      progress.feed();
      const { bytes, hash } = writeBody(request, dialect);
      onSent?.(sentAs(hash, request, dialect));
      const news = { onActivity: watchdog.feed, size: accumulator.size, debug };
      for await (const chunk of ask(bytes, controller.signal, trace, news)) {
        if (signal.aborted) return;
        if (record(chunk).object === 'error') throw { error: chunk }; // older vLLM
        if (Array.isArray(record(chunk).choices)) chunkCount += 1;
        const [size, hasEnded] = [accumulator.size(), accumulator.ended()];
        watchdog.rest(); // a slow consumer is not a silent server
        yield* accumulator.push(chunk);
        watchdog.feed();
        if (accumulator.size() > size || accumulator.ended() !== hasEnded) progress.feed();
      }
    } catch (error) {
      thrown = error;
    } finally {
      watchdog.stop();
      progress.stop();
      signal.removeEventListener('abort', abort);
      abort();
    }
    if (signal.aborted) return;
    const about: RequestFacts = {
      baseUrl,
      model: request.model,
      hasKey: (apiKey !== undefined && apiKey !== '') || hasAuthorization(headers),
      secrets,
      reached: reached || trace.answered,
      started: trace.isReply,
    };
    reached ||= trace.answered;
    try {
      yield* accumulator.flush();
    } catch (error) {
      thrown ??= error;
    }
    if (!accumulator.ended() && thrown === undefined && trace.isDone === true && chunkCount > 0) {
      if (withoutReasons.has(request.model)) accumulator.conclude();
      withoutReasons.add(request.model);
    }
    const reply = await finish(accumulator);
    if (signal.aborted) return;
    if (reply !== undefined) {
      if (reply.message.toolCalls.length > 0 && reply.callsAsText !== true) callers.add(request.model);
      yield { type: 'done', reply };
      return;
    }
    if (watchdog.barked()) {
      yield failed(stalledError(about, chunkCount > 0 ? idleTimeoutMs : firstEventTimeoutMs));
    } else if (progress.barked()) {
      yield failed(noProgressError(about, progressTimeoutMs));
    } else if (thrown !== undefined) {
      const { status, body } = readFailure(thrown);
      const next = chunkCount === 0 ? learnDialect(dialect, body, status) : undefined;
      if (next !== undefined) return next;
      debug(`model: request failed: ${String(thrown)}`);
      yield failed(toModelError(thrown, about));
    } else {
      yield failed(chunkCount === 0 && !trace.isEventStream ? badUrlError(about) : cutError(about));
    }
    return;
  }

  function ask(
    body: WrittenBody['bytes'],
    signal: AbortSignal,
    trace: AnswerTrace,
    news: ReplyNews,
  ): AsyncIterable<object> {
    const own = { 'User-Agent': 'clawdcode', ...(isOpenAI(baseUrl) ? options.account : {}), ...headers };
    const call = { baseUrl, apiKey, headers: own, body, signal, send };
    return chatCompletion(call, trace, news);
  }

  function failed(error: ModelError): ModelEvent {
    return { type: 'failed', error: { ...error, message: withoutSecrets(error.message, secrets) } };
  }

  return { stream };
}

const ENDED = new Error('the request has ended');

/** Never rejects: what cannot be folded is no reply. */
async function finish(accumulator: Accumulator) {
  return accumulator.ended() ? accumulator.reply() : undefined;
}
