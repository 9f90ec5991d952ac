/**
 * One streamed chat completion: the SDK's reader of event streams and its errors, without its client. Importing the
 * client brings in every endpoint of OpenAI's API, 450 kB and 20 ms before each first request, of which this program
 * uses one; it would retry by itself, where nobody sees it, and write to the screen.
 */
import type { Stream } from 'openai/streaming';
import { RAW_BODY } from './failure.ts';

export interface ChatCompletionCall {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
  /** As `streamFetch` makes it: failed answers come with their body under `RAW_BODY`. */
  readonly fetch: typeof fetch;
}

/** Loads what a request needs; called ahead, it is there when the first one goes out. */
export function loadChatCompletion() {
  return Promise.all([import('openai/streaming'), import('openai/error')]);
}

/** The chunks as the server sends them. Throws the SDK's errors, or what fetch throws. */
export async function openChatCompletion(call: ChatCompletionCall): Promise<AsyncIterable<unknown>> {
  const [{ Stream }, { APIError }] = await loadChatCompletion();
  const response = await call.fetch(`${call.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(call.apiKey ? { authorization: `Bearer ${call.apiKey}` } : {}),
      ...call.headers,
    },
    body: call.body,
    signal: call.signal,
  });
  if (!response.ok) {
    const answer: unknown = await response.json().catch(() => ({ error: { [RAW_BODY]: '' } }));
    throw APIError.generate(response.status, answer as object, undefined, response.headers);
  }
  return Stream.fromSSEResponse(response, new AbortController(), silent);
}

/** What the reader asks its client for: whether to say anything. */
const silent = { logLevel: 'off', logger: console } as unknown as Parameters<
  typeof Stream.fromSSEResponse
>[2];
