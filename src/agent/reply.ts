/**
 * Streams one reply of the model, from request to complete message: retries retryable errors and never leaves a partial
 * message behind. The caller records the outcome; nothing here touches the log.
 */

import type { SummaryModel } from '../context/index.ts';
import { MAX_ATTEMPTS, nextRetry } from '../model/retry.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Reasoning } from '../protocol/messages.ts';
import type {
  ModelClient,
  ModelError,
  ModelEvent,
  ModelRequest,
  Reply,
  SentRequest,
} from '../protocol/models/model.ts';
import { type ReasoningOptions, reasoningOptions } from '../protocol/models/wires.ts';

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or immediately when the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Uniform in [0, 1); adds jitter to retries. */
  random(): number;
}

export interface ReplyPorts {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How the model should reason; called for each reply. */
  readonly reasoning?: () => ReasoningOptions;
  readonly emit: (event: AgentEvent) => void;
  /** Lowers the number of attempts for requests that the user did not ask for (summaries). */
  readonly maxAttempts?: number;
  /** Called with each request body as soon as it is sent, for callers that may not wait for the outcome. */
  readonly onSent?: (sent: SentRequest) => void;
  /**
   * Called once when the request has been sent or the reply has started: from then on the agent only waits for the
   * model.
   */
  readonly onUnderway?: () => void;
}

export type ReplyOutcome = {
  readonly durationMs: number;
  /** The request bodies sent over the network, without duplicates from retries; empty if nothing was sent. */
  readonly sent: readonly SentRequest[];
} & ReplyEnd;

type ReplyEnd =
  | { readonly type: 'done'; readonly reply: Reply }
  /** Interrupted by the user; `partial` is the reply so far, without unfinished tool calls. */
  | { readonly type: 'interrupted'; readonly partial: Reply | undefined }
  | {
      readonly type: 'failed';
      readonly error: ModelError;
      readonly partial: Reply | undefined;
    };

/** Streams one reply. Emits deltas as they arrive, and `reply_discarded` before a retry. */
export async function streamReply(plain: ModelRequest, ports: ReplyPorts): Promise<ReplyOutcome> {
  const request =
    ports.reasoning === undefined ? plain : { ...plain, ...reasoningOptions(ports.reasoning()) };
  const started = ports.clock.now();
  const maxAttempts = ports.maxAttempts ?? MAX_ATTEMPTS;
  const sent: SentRequest[] = [];
  let isUnderway = false;
  const underway = (): void => {
    if (!isUnderway) ports.onUnderway?.();
    isUnderway = true;
  };
  const onSent = (one: SentRequest): void => {
    underway();
    if (sent.some(({ hash }) => hash === one.hash)) return;
    sent.push(one);
    ports.onSent?.(one);
  };
  for (let attempt = 1; ; attempt++) {
    const partial = new PartialReply();
    const end = await attemptOnce(request, ports, partial, { onSent, underway });
    const durationMs = ports.clock.now() - started;
    if (end === 'interrupted') return { type: 'interrupted', partial: partial.toReply(), durationMs, sent };
    if (end.type === 'done') return { type: 'done', reply: end.reply, durationMs, sent };

    const { error } = end;
    const retry =
      error.retryable && attempt < maxAttempts
        ? nextRetry({ attempt, elapsedMs: durationMs, error, random: ports.clock.random() })
        : undefined;
    if (retry === undefined) return { type: 'failed', error, partial: partial.toReply(), durationMs, sent };
    if (!partial.isEmpty()) ports.emit({ type: 'reply_discarded' });
    ports.emit({
      type: 'retrying',
      attempt,
      maxAttempts,
      delayMs: retry.delayMs,
      error: withoutAdvice(error),
    });
    await ports.clock.sleep(retry.delayMs, ports.signal);
    if (ports.signal.aborted) {
      return { type: 'interrupted', partial: undefined, durationMs: ports.clock.now() - started, sent };
    }
  }
}

/** The program is about to do what the advice says. */
function withoutAdvice({ advice, ...error }: ModelError): ModelError {
  return advice === undefined ? error : { ...error, message: error.message.replace(` ${advice}`, '') };
}

async function attemptOnce(
  request: ModelRequest,
  { client, signal, emit }: ReplyPorts,
  partial: PartialReply,
  { onSent, underway }: { onSent: (sent: SentRequest) => void; underway: () => void },
): Promise<Extract<ModelEvent, { type: 'done' | 'failed' }> | 'interrupted'> {
  const pause = createEventLoopBreak();
  for await (const event of client.stream(request, signal, onSent)) {
    underway();
    if (pause.isDue()) await pause.take();
    if (signal.aborted) return 'interrupted';
    if (event.type === 'done' || event.type === 'failed') return event;
    partial.add(event);
    if (event.type === 'reasoning_delta') emit({ type: 'reasoning_delta', text: event.text });
    else emit(event);
  }
  // An aborted stream may end without a final event; any other stream ends with one unless the connection was cut.
  if (signal.aborted) return 'interrupted';
  const message = 'The connection closed before the reply was complete.';
  return { type: 'failed', error: { kind: 'cut', message, retryable: true } };
}

/** Collects a reply as it arrives. Incomplete tool calls are left out if the stream ends early. */
class PartialReply {
  private text = '';
  private reasoning: Reasoning | undefined;
  private calls = 0;

  add(event: ModelEvent): void {
    if (event.type === 'text_delta') this.text += event.text;
    else if (event.type === 'reasoning_delta') {
      this.reasoning = { field: event.field, text: (this.reasoning?.text ?? '') + event.text };
    } else if (event.type === 'tool_call_delta') this.calls++;
  }

  isEmpty(): boolean {
    return this.text === '' && this.reasoning === undefined && this.calls === 0;
  }

  toReply(): Reply | undefined {
    if (this.text === '' && this.reasoning === undefined) return undefined;
    const message = {
      role: 'assistant' as const,
      content: this.text,
      toolCalls: [],
      ...(this.reasoning === undefined ? {} : { reasoning: this.reasoning }),
    };
    return { message, finishReason: 'stop' };
  }
}

/** Attempts for a summary: the user is waiting, and the turn can continue without it. */
const SUMMARY_ATTEMPTS = 3;

/**
 * Returns the model that writes summaries: the session's own client, with fewer retries. `reasoning` is that of the
 * conversation if its model is used: with any other, the request would miss the provider's cache.
 */
export function createSummarizer(
  client: ModelClient,
  clock: Clock,
  reasoning: (model: string) => ReasoningOptions = () => ({}),
): SummaryModel {
  return async (request, { signal, onProgress, onSent }) => {
    let characters = 0;
    const outcome = await streamReply(request, {
      client,
      clock,
      signal,
      reasoning: () => reasoning(request.model),
      maxAttempts: SUMMARY_ATTEMPTS,
      ...(onSent === undefined ? {} : { onSent }),
      emit: (event) => {
        if (event.type === 'text_delta') characters += event.text.length;
        else if (event.type === 'reply_discarded') characters = 0;
        else return;
        onProgress(characters);
      },
    });
    if (outcome.type === 'done') return { type: 'done', reply: outcome.reply };
    return outcome.type === 'interrupted' ? { type: 'aborted' } : { type: 'failed', error: outcome.error };
  };
}

interface EventLoopBreak {
  /** True if the event loop has not run for `everyMs`. */
  isDue(): boolean;
  /** Resolves after pending input has been read and due timers have run. */
  take(): Promise<void>;
}

/**
 * For loops over data that may already be there. Awaiting data that has arrived does not yield to the event loop:
 * without a break, a stream that the network has delivered would be read to its end before any key press. The default
 * of `everyMs` is half a frame.
 */
export function createEventLoopBreak(everyMs = 8): EventLoopBreak {
  let last = performance.now();
  return {
    isDue: () => performance.now() - last >= everyMs,
    async take() {
      await new Promise((done) => setImmediate(done));
      last = performance.now();
    },
  };
}
