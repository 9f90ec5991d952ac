/** Turns the HTTP answer to a streaming request into chunks, or into a readable error. */

import { grouped } from '../../protocol/text/numbers.ts';
import { IS_ENDLESS, RAW_BODY } from '../failure.ts';
import type { HttpAnswer } from '../http/types.ts';
import { record } from '../json.ts';
import { type ReplyBounds, replyBounds, tooLarge } from '../replyBounds.ts';
import { createEventReader, createGuessingReader, type ServerEvent } from './eventReader.ts';

/** Observations about one request other than its chunks. */
export interface AnswerTrace {
  /** The server answered, with any status. */
  answered: boolean;
  /** The status was 2xx. */
  isReply: boolean;
  /** The answer declared itself an event stream. */
  isEventStream: boolean;
  /** The stream ended with the standard's `[DONE]`. */
  isDone?: boolean;
  /** Number of malformed events that were dropped. */
  dropped: number;
}

export interface ReplyCallbacks {
  /** Called on headers and on each piece of the body: the server is alive. */
  readonly onActivity: () => void;
  readonly debug: (line: string) => void;
  /** Characters of the reply so far; while they do not grow, the idle bounds apply. */
  readonly size: () => number;
  /** True once the reply is complete, for wires that do not end with `[DONE]`; the rest of the body is not waited for. */
  readonly isOver?: () => boolean;
  readonly bounds?: ReplyBounds;
}

const maxErrorBytes = 64 * 1024;
/** Milliseconds to wait for the body of an error: the status matters more. */
const ERROR_BODY_MS = 2000;

/**
 * Yields the chunks as the server sends them and fills the trace. Throws the SDK's errors, or errors of the connection.
 */
export async function* replyChunks(
  answer: HttpAnswer,
  trace: AnswerTrace,
  { onActivity, debug, size, isOver, bounds = replyBounds }: ReplyCallbacks,
): AsyncGenerator<object> {
  trace.answered = true;
  onActivity();
  trace.isReply = answer.status >= 200 && answer.status < 300;
  if (!trace.isReply) throw await refusal(answer);
  const type = answer.headers['content-type'] ?? '';
  trace.isEventStream = type.includes('event-stream');
  if (type.includes('html')) return answer.release();
  const onDropped = (sample: string): void => {
    trace.dropped += 1;
    debug(`model: dropped a malformed event (${trace.dropped} so far): ${sample}`);
  };
  const reader = (type.includes('json') ? createGuessingReader : createEventReader)(onDropped, bounds);
  const meter = createMeter(bounds, size);
  for await (const piece of answer.body) {
    onActivity();
    meter.takeBytes(piece.length);
    yield* chunksOf(reader.push(piece), answer, meter);
    if (!reader.isDone() && isOver?.() !== true) continue;
    trace.isDone = reader.isDone();
    return answer.release();
  }
  yield* chunksOf(reader.end(), answer, meter);
  trace.isDone = reader.isDone();
}

/** Throws if a reply exceeds the bounds, in total or since it last grew. */
function createMeter(bounds: ReplyBounds, size: () => number) {
  let [bytes, events, idleBytes, idleEvents, reached] = [0, 0, 0, 0, 0];

  function takeBytes(count: number): void {
    bytes += count;
    idleBytes += count;
    if (bytes > bounds.maxBytes) throw tooLarge(`more than ${grouped(bounds.maxBytes)} bytes`);
    if (idleBytes > bounds.maxIdleBytes)
      throw tooLarge(`${grouped(bounds.maxIdleBytes)} bytes in a row without any content`);
  }

  function takeEvent(): void {
    events += 1;
    idleEvents += 1;
    if (events > bounds.maxEvents) throw tooLarge(`more than ${grouped(bounds.maxEvents)} events`);
    if (idleEvents > bounds.maxIdleEvents)
      throw tooLarge(`${grouped(bounds.maxIdleEvents)} events in a row without any content`);
  }

  function noteProgress(): void {
    const now = size();
    if (now === reached) return;
    reached = now;
    idleBytes = 0;
    idleEvents = 0;
  }

  return { takeBytes, takeEvent, noteProgress };
}

async function* chunksOf(
  events: readonly ServerEvent[],
  { headers }: HttpAnswer,
  meter: ReturnType<typeof createMeter>,
): AsyncGenerator<object> {
  for (const { value, isError } of events) {
    meter.takeEvent();
    const { error = isError ? value : undefined } = record(value);
    if (error) throw new (await loadErrors()).APIError(undefined, error, undefined, new Headers(headers));
    yield value;
    meter.noteProgress();
  }
}

/** The SDK keeps only the `error` field; several servers put their reason elsewhere. */
async function refusal(answer: HttpAnswer): Promise<Error> {
  const { text, isEndless } = await readReason(answer);
  const body = { error: { [RAW_BODY]: text, ...(isEndless && { [IS_ENDLESS]: true }) } };
  const { APIError } = await loadErrors();
  // The SDK has no error for statuses below 400, such as redirects.
  const status = answer.status < 400 ? 502 : answer.status;
  return APIError.generate(status, body, undefined, new Headers(answer.headers));
}

/** Loaded only on errors: `Headers` loads the HTTP client of `fetch`, which nothing else needs. */
function loadErrors() {
  return import('openai/error');
}

/** The first 64 KiB of an error's body. If the body is cut off or takes too long, the part that arrived. */
async function readReason({
  body,
  release,
}: HttpAnswer): Promise<{ readonly text: string; readonly isEndless: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  const read = async (): Promise<void> => {
    try {
      for await (const piece of body) {
        text += decoder.decode(piece, { stream: true });
        if (text.length > maxErrorBytes) break;
      }
    } catch {
      // the status matters more than the rest of the body
    }
  };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      release();
      resolve();
    }, ERROR_BODY_MS);
  });
  await Promise.race([read(), late]);
  clearTimeout(timer);
  return { text: text.slice(0, maxErrorBytes), isEndless: text.length > maxErrorBytes };
}
