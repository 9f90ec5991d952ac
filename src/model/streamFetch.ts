/** The `fetch` that the SDK is given: answers come out of it as a clean event stream or a readable error. */
import { filterEvents, jsonAsEvent } from './eventFilter.ts';
import { RAW_BODY } from './failure.ts';
import { REPLY_TOO_LARGE } from './network.ts';
import { stayOnHost } from './sameHost.ts';

/** What was seen of one request; the SDK shows none of it. */
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

const maxErrorBytes = 64 * 1024;
/** Half a million tokens with all that servers put around each; what goes on beyond that never ends. */
const MAX_REPLY_BYTES = 128 * 1024 * 1024;

/** Wraps `fetch` for one request. `onActivity` hears of headers and of every piece of the body. */
export function streamFetch(
  fetchFn: typeof fetch,
  trace: AnswerTrace,
  onActivity: () => void,
  debug: (line: string) => void,
  maxReplyBytes = MAX_REPLY_BYTES,
): typeof fetch {
  return async (input, init) => {
    const response = await stayOnHost(fetchFn)(input, init);
    trace.answered = true;
    onActivity();
    trace.isReply = response.ok;
    const headers = new Headers(response.headers);
    headers.delete('content-length'); // the body below is another one
    headers.delete('content-encoding');
    if (!response.ok) {
      // The SDK keeps only what is under `error`; several servers put their reason elsewhere.
      const body = JSON.stringify({ error: { [RAW_BODY]: await readBody(response) } });
      const status = response.status < 400 ? 502 : response.status; // 3xx may not carry a body
      return new Response(body, { status, headers });
    }
    const type = headers.get('content-type') ?? '';
    trace.isEventStream = type.includes('event-stream');
    if (response.body === null || type.includes('html')) {
      await response.body?.cancel();
      return new Response('', { headers });
    }
    const news = {
      onActivity,
      onDone: () => {
        trace.isDone = true;
      },
      onDropped: (sample: string) => {
        trace.dropped += 1;
        debug(`model: dropped a malformed event (${trace.dropped} so far): ${sample}`);
      },
    };
    const filter = type.includes('json') ? jsonAsEvent(news) : filterEvents(news);
    return new Response(response.body.pipeThrough(limitBytes(maxReplyBytes)).pipeThrough(filter), {
      headers,
    });
  };
}

/** Fails when more has come: a reply without end would take all the memory there is. */
function limitBytes(max: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= max) controller.enqueue(chunk);
      else controller.error(Object.assign(new Error('The reply is too large.'), { code: REPLY_TOO_LARGE }));
    },
  });
}

/** The first 64 KiB of an error's body. A body that breaks off is read as far as it came. */
async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > maxErrorBytes) break;
    }
  } catch {
    // the status is worth more than the rest of the body
  }
  return text;
}
