/**
 * Implements the model port for OpenAI-compatible chat completions. Owns timing, aborting and what a server's errors
 * taught us; wire format, folding and errors are pure and live in the files next to this one.
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
  /** Includes the user's own headers; an `authorization` header replaces the key. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers sent to OpenAI itself only: the organization and project to bill. */
  readonly account?: Readonly<Record<string, string>>;
  /** Longest silence once the reply has begun, in ms. */
  readonly idleTimeoutMs?: number;
  /** Longest wait for the first event, in ms: a local server may process a long prompt for minutes. */
  readonly firstEventTimeoutMs?: number;
  /** Longest time in which the server keeps the connection alive without extending the reply, in ms. */
  readonly progressTimeoutMs?: number;
  /** Sends the requests; default: a direct connection. */
  readonly send?: HttpSend;
  readonly debug?: (line: string) => void;
  /** Known facts about a model before its first request: if it does not support tools, they need not be tried. */
  readonly factsOf?: (model: string) => Partial<Pick<ModelInfo, 'callsTools' | 'returnsReasoning'>>;
}

/** How long token usage may lag behind the finish reason, in ms; the reply is complete without it. */
const USAGE_GRACE_MS = 3000;

/** Nine characters, letters and digits: the strictest id format that any server requires (Mistral's). */
const newCallId = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 9);

/** Creates a client for one server. It remembers for each model which fields the server rejected. */
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
  /** Models that have made a native tool call in this session. */
  const callers = new Set<string>();
  /**
   * Models that have sent a complete stream without a finish reason. The first time counts as a cut reply; the second
   * time the reply is accepted, because the server evidently never sends one.
   */
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
   * True if this model is known to make native tool calls and this server to parse them. A claim of tool support is no
   * proof: servers pass calls they fail to parse on as text.
   */
  function makesNativeCalls(model: string, { adaptations }: Dialect): boolean {
    return !adaptations.includes('text_tools') && (callers.has(model) || isClosedModel(model));
  }

  /** Reports what an adaptation loses, once per model, and only if it matters for this request. */
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

  /** Sends one HTTP request. Returns the dialect to retry with, or nothing once the last event was sent. */
  async function* attempt(
    request: ModelRequest,
    dialect: Dialect,
    signal: AbortSignal,
    onSent: ((sent: SentRequest) => void) | undefined,
  ): AsyncGenerator<ModelEvent, Dialect | undefined> {
    const controller = new AbortController();
    // With a reason of our own: creating the default one with its stack trace takes longer than everything else here.
    const abort = () => controller.abort(ENDED);
    signal.addEventListener('abort', abort, { once: true });
    const trace: AnswerTrace = {
      answered: false,
      isReply: false,
      isEventStream: false,
      dropped: 0,
    };
    const offered = request.toolChoice === 'none' ? [] : request.tools;
    const accumulator = createAccumulator(newCallId, offered, makesNativeCalls(request.model, dialect));
    let chunkCount = 0; // only chunks that look like chat completions
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

/** Never rejects; undefined if the reply has not finished. */
async function finish(accumulator: Accumulator) {
  return accumulator.ended() ? accumulator.reply() : undefined;
}
