/**
 * One request to a model server and its reply, on any wire: timeouts, aborting, and how failures are reported. The wires
 * decide what is sent and how it is read.
 */
import type { ModelError, ModelEvent, ModelInfo, Reply } from '../../protocol/models/model.ts';
import {
  badUrlError,
  cutError,
  knownTooLargeError,
  noProgressError,
  type RequestFacts,
  stalledError,
  toModelError,
} from '../errors.ts';
import { readFailure, withoutSecrets } from '../failure.ts';
import { hasAuthorization, secretsOf } from '../http/customHeaders.ts';
import { environmentSend } from '../http/environmentSend.ts';
import type { HttpSend } from '../http/types.ts';
import { record } from '../json.ts';
import type { Accumulator } from './chat/accumulate.ts';
import type { ExtraBody } from './extraBody.ts';
import type { AnswerTrace, ReplyCallbacks } from './replyChunks.ts';

/** Facts about a model that decide how requests to it are written. */
export type WireFacts = Partial<
  Pick<ModelInfo, 'callsTools' | 'returnsReasoning' | 'efforts' | 'thinking' | 'maxOutputTokens'>
> & {
  /** From the user's settings. */
  readonly extraBody?: ExtraBody;
};

/** What is known about the bytes that an endpoint accepts in a request. */
export interface RequestLimit {
  /** The size of a request that the server rejected for its bytes; undefined if there was none. */
  rejectedBytes(): number | undefined;
  /** Takes effect immediately; resolves when written to disk. Never rejects. */
  learn(rejectedBytes: number): Promise<void>;
  /** The server has accepted a request of that size. Never rejects. */
  forget(): Promise<void>;
}

/** What every wire needs: address, key, headers, connection, timeouts, and facts about models. */
export interface ModelClientOptions {
  readonly apiKey: string | undefined;
  readonly baseUrl: string;
  readonly provider?: RequestFacts['provider'];
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
  /** Requests known to be too large are not sent at first; absent = every request is sent. */
  readonly requestLimit?: RequestLimit;
  /** Facts about a model that are known before its first request, so that e.g. unsupported tools are never tried. */
  readonly factsOf?: (model: string) => WireFacts;
}

/** One request; `Form` is the form in which a server accepts requests. */
interface Exchange<Form> {
  readonly model: string;
  readonly accumulator: Accumulator;
  /** Sends the request and yields the events of its reply. */
  readonly ask: (
    send: HttpSend,
    signal: AbortSignal,
    trace: AnswerTrace,
    callbacks: ReplyCallbacks,
  ) => AsyncIterable<object>;
  /** True for an event that belongs to a reply of this wire. */
  readonly isPart: (event: object) => boolean;
  /** The form to retry with after a rejection; undefined if the error is about something else. */
  readonly learn: (refusal: string, status: number | undefined) => Form | undefined;
  readonly onReply?: (reply: Reply) => void;
}

/**
 * Retries a request in another form for as long as the server rejects it, and remembers for each model the form that was
 * accepted, unless it is only for this request.
 */
export function createFormRetries<Form>(
  firstForm: (model: string) => Form,
  debug: (line: string) => void,
  isLasting: (form: Form) => boolean = () => true,
) {
  const forms = new Map<string, Form>();
  return async function* retry(
    model: string,
    signal: AbortSignal,
    attempt: (form: Form) => AsyncGenerator<ModelEvent, Form | undefined>,
  ): AsyncGenerator<ModelEvent> {
    let form = forms.get(model) ?? firstForm(model);
    while (!signal.aborted) {
      const next = yield* attempt(form);
      if (next === undefined) return;
      form = next;
      if (isLasting(form)) forms.set(model, form);
      debug(`model: the server rejected a field; retrying with ${JSON.stringify(form)}`);
    }
  };
}

/** How long token usage may lag behind the finish reason, in ms; the reply is complete without it. */
const USAGE_GRACE_MS = 3000;

/** `api`: completes "does not answer like …". */
export function createExchanges(options: ModelClientOptions, api?: string) {
  const { apiKey, baseUrl, headers = {} } = options;
  const secrets = secretsOf(apiKey, headers);
  const debug = (line: string): void => options.debug?.(withoutSecrets(line, secrets));
  const idleTimeoutMs = options.idleTimeoutMs ?? 120_000;
  const firstEventTimeoutMs = options.firstEventTimeoutMs ?? 600_000;
  const progressTimeoutMs = options.progressTimeoutMs ?? 20 * 60_000;
  /**
   * Models that have sent a complete stream without a finish reason. The first such reply is treated as cut off; the
   * second is accepted, because the server evidently never sends one.
   */
  const withoutFinishReason = new Set<string>();
  const { send = environmentSend(), requestLimit } = options;
  const rejectedBytes = (): number => requestLimit?.rejectedBytes() ?? Number.POSITIVE_INFINITY;
  /**
   * The smallest request that was not sent since the last reply. One that is no smaller is sent: leaving things out does not
   * help, or the user tries again, so the server decides.
   */
  let unsentBytes = Number.POSITIVE_INFINITY;
  let reached = false;

  /** Returns the form to retry with, or nothing once the last event was sent. */
  async function* exchange<Form>(
    { model, accumulator, ask, isPart, learn, onReply }: Exchange<Form>,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, Form | undefined> {
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
    let partCount = 0;
    let sentBytes = 0;
    const sendCounted: HttpSend = async (url, request) => {
      sentBytes = request.body?.length ?? 0;
      if (sentBytes >= rejectedBytes() && sentBytes < unsentBytes) {
        unsentBytes = sentBytes;
        throw KNOWN_TOO_LARGE;
      }
      return send(url, request);
    };
    const watchdog = createWatchdog(abort, () => {
      if (accumulator.ended()) return USAGE_GRACE_MS;
      return partCount > 0 ? idleTimeoutMs : firstEventTimeoutMs;
    });
    const progress = createWatchdog(abort, () => (accumulator.ended() ? USAGE_GRACE_MS : progressTimeoutMs));
    let thrown: unknown;
    try {
      watchdog.feed();
      progress.feed();
      const callbacks = { onActivity: watchdog.feed, size: accumulator.size, debug };
      for await (const event of ask(sendCounted, controller.signal, trace, callbacks)) {
        if (signal.aborted) return;
        if (record(event).object === 'error') throw { error: event }; // older vLLM
        if (isPart(event)) partCount += 1;
        const [size, hasEnded] = [accumulator.size(), accumulator.ended()];
        watchdog.rest(); // a slow consumer is not a silent server
        yield* accumulator.push(event);
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
      model,
      hasKey: (apiKey !== undefined && apiKey !== '') || hasAuthorization(headers),
      secrets,
      reached: reached || trace.answered,
      started: trace.isReply,
      ...(api === undefined ? {} : { api }),
      ...(options.provider === undefined ? {} : { provider: options.provider }),
    };
    reached ||= trace.answered;
    try {
      yield* accumulator.flush();
    } catch (error) {
      thrown ??= error;
    }
    if (!accumulator.ended() && thrown === undefined && trace.isDone === true && partCount > 0) {
      if (withoutFinishReason.has(model)) accumulator.conclude();
      withoutFinishReason.add(model);
    }
    // Never rejects; undefined if the reply has not finished.
    const reply = accumulator.ended() ? await accumulator.reply() : undefined;
    if (signal.aborted) return;
    if (reply !== undefined) {
      onReply?.(reply);
      unsentBytes = Number.POSITIVE_INFINITY;
      if (sentBytes >= rejectedBytes()) await requestLimit?.forget();
      yield { type: 'done', reply };
    } else if (watchdog.hasFired()) {
      yield failed(stalledError(about, partCount > 0 ? idleTimeoutMs : firstEventTimeoutMs));
    } else if (progress.hasFired()) {
      yield failed(noProgressError(about, progressTimeoutMs));
    } else if (thrown === KNOWN_TOO_LARGE) {
      debug(`model: a request of ${sentBytes} bytes was not sent: the server has rejected a smaller one`);
      yield failed(knownTooLargeError(about));
    } else if (thrown !== undefined) {
      const { status, body } = readFailure(thrown);
      const next = partCount === 0 ? learn(body, status) : undefined;
      if (next !== undefined) return next;
      debug(`model: request failed: ${String(thrown)}`);
      const error = toModelError(thrown, about);
      if (error.isByteLimit && sentBytes >= LEAST_LIMIT) await requestLimit?.learn(sentBytes);
      yield failed(error);
    } else {
      yield failed(partCount === 0 && !trace.isEventStream ? badUrlError(about) : cutError(about));
    }
    return;
  }

  function failed(error: ModelError): ModelEvent {
    return { type: 'failed', error: { ...error, message: withoutSecrets(error.message, secrets) } };
  }

  return { exchange, debug, baseUrl, apiKey, headers };
}

const ENDED = new Error('the request has ended');
const KNOWN_TOO_LARGE = new Error('the request is larger than one that the server rejected');
/** No server accepts less, in bytes: the rejection of a smaller request is about something else. */
const LEAST_LIMIT = 64 * 1024;

/** A timer that fires once after too long a silence. */
interface Watchdog {
  /** Restarts the timer, because something arrived. Cheap enough for every token. */
  readonly feed: () => void;
  /** Stops the timer until the next `feed`. */
  readonly rest: () => void;
  /** True if it has fired. */
  readonly hasFired: () => boolean;
  /** Stops the timer permanently. */
  readonly stop: () => void;
}

/** `patienceMs` is called at every check, since the limit changes during a reply. */
export function createWatchdog(onSilence: () => void, patienceMs: () => number): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let fedAt: number | undefined;
  let hasFired = false;
  let stopped = false;

  function wake(at: number): void {
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(check, Math.max(0, at - performance.now()));
  }

  // Checks on expiry whether `feed` was called in the meantime, so most tokens set no timer.
  function check(): void {
    dueAt = Number.POSITIVE_INFINITY;
    if (fedAt === undefined) return;
    const deadline = fedAt + patienceMs();
    if (deadline > performance.now()) {
      wake(deadline);
      return;
    }
    hasFired = true;
    onSilence();
  }

  return {
    hasFired: () => hasFired,
    rest() {
      fedAt = undefined;
    },
    feed() {
      if (stopped) return;
      fedAt = performance.now();
      const deadline = fedAt + patienceMs();
      if (deadline < dueAt) wake(deadline);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
