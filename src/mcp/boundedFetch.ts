/**
 * Limits what an HTTP server makes us read, before the SDK parses it: the size of each message (decompressed), its
 * shape, the number of messages in a stream, and the duration of answers that nothing else limits.
 */
import { setImmediate } from 'node:timers/promises';
import { checkJsonBounds, JsonBoundError, REPLY_TOO_LARGE } from '../protocol/text/boundedJson.ts';
import { ByteCollector } from '../protocol/text/byteCollector.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { Inflow, MAX_MESSAGE_BYTES, messageTooLong } from './messageBounds.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

interface AnswerBounds {
  readonly maxBytes?: number;
  /** Milliseconds for an answer to anything but a JSON-RPC request, which may take until the SDK cancels it. */
  readonly timeoutMs?: number;
  /** Called when an event stream that answers no request exceeds a limit and therefore ends. */
  readonly onFault?: (fault: Error) => void;
  /** Called when an event stream has brought data. */
  readonly onMessage?: () => void;
}

const ANSWER_MS = 30_000;

/**
 * Returns a `fetch` that rejects if an answer exceeds a limit. An event stream that exceeds one ends, with an error
 * response if it answers a request.
 */
export function boundedFetch(
  fetch: Fetch,
  { maxBytes = MAX_MESSAGE_BYTES, timeoutMs = ANSWER_MS, onFault, onMessage }: AnswerBounds = {},
): Fetch {
  /** Controllers that stop the answers to JSON-RPC requests, by request id. */
  const requests = new Map<unknown, AbortController>();
  /** Of the streams that answer no request. */
  const unasked = new Inflow();
  return async (url, init) => {
    const message = messageIn(init);
    unasked.sent(message);
    if (message.method === 'notifications/cancelled')
      requests.get(message.params?.requestId)?.abort(CANCELLED);
    const id = message.method === undefined ? undefined : message.id;
    const acceptsStream = new Headers(init?.headers).get('accept')?.includes(EVENT_STREAM) === true;
    const { method = 'GET' } = init ?? {};
    const mayStream = acceptsStream && (id !== undefined || method === 'GET');
    const stop = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const limitTime = (): void => {
      const late = new Error(`It did not answer within ${timeoutMs / 1000} seconds.`);
      if (id === undefined) timer ??= setTimeout(() => stop.abort(late), timeoutMs).unref();
    };
    const onEnd = (): void => {
      clearTimeout(timer);
      if (requests.get(id) === stop) requests.delete(id);
    };
    stop.signal.addEventListener('abort', onEnd, { once: true });
    if (id !== undefined) requests.set(id, stop);
    if (!mayStream) limitTime();
    try {
      const signal = init?.signal ? AbortSignal.any([init.signal, stop.signal]) : stop.signal;
      const response = await fetch(url, { ...init, signal });
      if (response.body === null) return response;
      const isStream = response.ok && isEventStream(response);
      if (isStream && mayStream) {
        const inflow = id === undefined ? unasked : new Inflow();
        const answer = { id, maxBytes, inflow, stop: stop.signal, onFault, onMessage, onEnd };
        const events = checkedAnswer(response.body, answer);
        return copyOf(response, streamOf(events, stop));
      }
      limitTime();
      // The SDK discards these; reading them could take forever.
      const isDiscarded = response.status === 202 || (isStream && method === 'POST');
      const bytes = isDiscarded ? await response.body.cancel() : await readAll(response, maxBytes);
      if (bytes !== undefined) checkShape(new TextDecoder().decode(bytes));
      onEnd();
      return copyOf(response, bytes ?? null);
    } catch (error) {
      onEnd();
      throw stop.signal.aborted ? stop.signal.reason : error;
    }
  };
}

const EVENT_STREAM = 'text/event-stream';
const CANCELLED = new Error('The request was cancelled.');
/** An error code of our own, for a message that we reject. */
const REJECTED_CODE = -32_000;

interface SentMessage {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown };
}

/** The JSON-RPC message that the SDK sends; empty if it sends something else. */
function messageIn(init: RequestInit | undefined): SentMessage {
  if (init?.method !== 'POST' || typeof init.body !== 'string' || !init.body.startsWith('{')) return {};
  return JSON.parse(init.body) as SentMessage;
}

/** The SDK compares media types like this. */
function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === EVENT_STREAM;
}

function copyOf(
  { status, statusText, headers, url }: Response,
  body: ReadableStream | Uint8Array<ArrayBuffer> | null,
): Response {
  const copy = new Response(body, { status, statusText, headers });
  Object.defineProperty(copy, 'url', { value: url });
  return copy;
}

/** Reads only on demand; cancelling it ends the request. */
function streamOf(events: AsyncGenerator<Uint8Array>, stop: AbortController): ReadableStream<Uint8Array> {
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { value, done } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => stop.abort(),
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}

async function readAll({ headers, body }: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!headers.has('content-encoding') && Number(headers.get('content-length')) > maxBytes) {
    await body?.cancel();
    throw messageTooLong(maxBytes);
  }
  const bytes = new ByteCollector();
  for await (const piece of body ?? []) {
    // Leaving the loop closes the connection.
    if (bytes.length + piece.length > maxBytes) throw messageTooLong(maxBytes);
    bytes.add(piece);
  }
  return bytes.take();
}

/** Text that is no JSON needs no check: parsing it fails at the first character. */
function checkShape(text: string): void {
  if (/^[\s\uFEFF]*[[{]/.test(text)) checkJsonBounds(text);
}

interface AnswerPorts {
  /** The request that it answers. */
  readonly id: unknown;
  readonly maxBytes: number;
  readonly inflow: Inflow;
  readonly stop: AbortSignal;
  readonly onFault: AnswerBounds['onFault'];
  readonly onMessage: AnswerBounds['onMessage'];
  readonly onEnd: () => void;
}

/** An event stream, with an error response at its end if it exceeds a limit. */
async function* checkedAnswer(
  body: ReadableStream<Uint8Array>,
  { id, maxBytes, inflow, stop, onFault, onMessage, onEnd }: AnswerPorts,
): AsyncGenerator<Uint8Array> {
  try {
    yield* checkedEvents(body, maxBytes, inflow, onMessage);
  } catch (error) {
    // The SDK has ended this request; if its stream broke, it would open the stream again.
    if (stop.aborted) await new Promise(() => {});
    const limit = limitIn(error);
    if (limit === undefined) throw error;
    if (id === undefined) return onFault?.(new Error(limit));
    const answer = { jsonrpc: '2.0', id, error: { code: REJECTED_CODE, message: limit } };
    yield Buffer.from(`data: ${JSON.stringify(answer)}\n\n`);
  } finally {
    onEnd();
  }
}

/** Which of our limits an answer exceeded; undefined if the connection broke, which the SDK handles. */
function limitIn(error: unknown): string | undefined {
  if (error instanceof JsonBoundError) return error.message;
  const { code, message } = error as { readonly code?: unknown; readonly message?: string };
  return code === REPLY_TOO_LARGE
    ? `It sent ${/<(.*)>/s.exec(message ?? '')?.[1] ?? 'too much'}.`
    : undefined;
}

/** About a hundred small messages, which take a few milliseconds. */
const MAX_PIECE_BYTES = 16 * 1024;
/** Lines of one event; even formatted JSON has fewer. */
const MAX_LINES = 100_000;
const [LF, CR] = [10, 13];

/**
 * Passes on complete events once they are checked. Yields to the event loop between the pieces of a stream, because the
 * SDK handles everything that has arrived at once, however much a server sends.
 */
async function* checkedEvents(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  inflow: Inflow,
  onMessage: AnswerBounds['onMessage'],
): AsyncGenerator<Uint8Array> {
  const event = new ByteCollector();
  let [lines, lineBytes, before] = [0, 0, 0];
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += MAX_PIECE_BYTES) {
      await setImmediate();
      const piece = chunk.subarray(at, at + MAX_PIECE_BYTES);
      let from = 0;
      for (let index = 0; index < piece.length; index++) {
        const byte = piece[index];
        const isSecondHalf = byte === LF && before === CR;
        const isLineEnd = (byte === LF || byte === CR) && !isSecondHalf;
        before = byte ?? 0;
        if (!isLineEnd) {
          if (!isSecondHalf) lineBytes += 1;
          continue;
        }
        lines += 1;
        const isEmpty = lineBytes === 0;
        lineBytes = 0;
        if (!isEmpty) continue;
        event.add(piece.subarray(from, index));
        inflow.add(event.length);
        if (event.length > 0) {
          const checked = checkedEvent(Buffer.from(event.take()).toString(), onMessage);
          if (checked !== '') yield Buffer.from(checked);
        }
        [lines, from] = [0, index + 1];
      }
      event.add(piece.subarray(from));
      if (event.length > maxBytes) throw messageTooLong(maxBytes);
      if (lines > MAX_LINES)
        throw new JsonBoundError(`It sent an event of more than ${grouped(MAX_LINES)} lines.`);
    }
  }
}

/** The fields of an event that the SDK reads; empty if there are none. */
function checkedEvent(text: string, onMessage: AnswerBounds['onMessage']): string {
  const fields = text
    .split(/\r\n|\r|\n/)
    .filter((line) => /^\uFEFF?(?:data|event|id|retry)(?::|$)/.test(line));
  if (fields.length === 0) return '';
  const data = fields.flatMap((line) => /^\uFEFF?data(?:: ?|$)(.*)/su.exec(line)?.[1] ?? []);
  checkShape(data.join('\n'));
  if (data.some((line) => line !== '')) onMessage?.();
  return `${fields.join('\n')}\n\n`;
}
