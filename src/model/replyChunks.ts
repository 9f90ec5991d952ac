/** From the answer to a request for a streamed reply to its chunks, or to a readable error. */
import { createEventReader, createJsonReader, type ServerEvent } from './eventReader.ts';
import { RAW_BODY } from './failure.ts';
import type { HttpAnswer } from './http/types.ts';
import { record } from './json.ts';
import { REPLY_TOO_LARGE } from './network.ts';

/** What was seen of one request beside its chunks. */
export interface AnswerTrace {
  /** The server answered, whatever it said. */
  answered: boolean;
  /** Its status promised a reply. */
  isReply: boolean;
  /** The answer declared itself an event stream. */
  isEventStream: boolean;
  /** It ended with the standard's `[DONE]`. */
  isDone?: boolean;
  /** Malformed events that were dropped. */
  dropped: number;
}

export interface ReplyNews {
  /** Headers, or a piece of the body: the server is alive. */
  readonly onActivity: () => void;
  readonly debug: (line: string) => void;
  /** Bytes of a reply; for tests. */
  readonly maxBytes?: number;
}

const maxErrorBytes = 64 * 1024;
/** Half a million tokens with all that servers put around each; what goes on beyond that never ends. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** The chunks as the server sends them; fills the trace. Throws the SDK's errors, or what the connection throws. */
export async function* replyChunks(
  answer: HttpAnswer,
  trace: AnswerTrace,
  { onActivity, debug, maxBytes = MAX_REPLY_BYTES }: ReplyNews,
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
  const reader = type.includes('json') ? createJsonReader(onDropped) : createEventReader(onDropped);
  let bytes = 0;
  for await (const piece of answer.body) {
    onActivity();
    bytes += piece.length;
    if (bytes > maxBytes)
      throw Object.assign(new Error('The reply is too large.'), { code: REPLY_TOO_LARGE });
    yield* chunksOf(reader.push(piece), answer);
    if (!reader.isDone()) continue;
    trace.isDone = true;
    return answer.release();
  }
  yield* chunksOf(reader.end(), answer);
  trace.isDone = reader.isDone();
}

async function* chunksOf(events: readonly ServerEvent[], { headers }: HttpAnswer): AsyncGenerator<object> {
  for (const { value, isError } of events) {
    const { error = isError ? value : undefined } = record(value);
    if (error) throw new (await loadErrors()).APIError(undefined, error, undefined, new Headers(headers));
    yield value;
  }
}

/** The SDK keeps only what is under `error`; several servers put their reason elsewhere. */
async function refusal(answer: HttpAnswer): Promise<Error> {
  const body = { error: { [RAW_BODY]: await readReason(answer) } };
  const { APIError } = await loadErrors();
  // A redirect or the like is no status that the SDK has an error for.
  const status = answer.status < 400 ? 502 : answer.status;
  return APIError.generate(status, body, undefined, new Headers(answer.headers));
}

/** Only where something went wrong: `Headers` loads the HTTP client of `fetch`, which nothing else needs. */
function loadErrors() {
  return import('openai/error');
}

/** The first 64 KiB of an error's body. A body that breaks off is read as far as it came. */
async function readReason({ body }: HttpAnswer): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of body) {
      text += decoder.decode(piece, { stream: true });
      if (text.length > maxErrorBytes) break;
    }
  } catch {
    // the status is worth more than the rest of the body
  }
  return text;
}
