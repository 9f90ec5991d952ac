/**
 * One streamed chat completion: the SDK's errors and the types of its API, without its client. Importing the client
 * brings in every endpoint of OpenAI's API, 450 kB and 20 ms before each first request, of which this program uses
 * one; it would retry by itself, where nobody sees it, and write to the screen.
 */
import { stayOnHost } from './http/sameHost.ts';
import type { HttpSend } from './http/types.ts';
import { type AnswerTrace, type ReplyNews, replyChunks } from './replyChunks.ts';

export interface ChatCompletionCall {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  readonly send: HttpSend;
}

/** The chunks as the server sends them; fills the trace. Throws the SDK's errors, or what the connection throws. */
export async function* chatCompletion(
  call: ChatCompletionCall,
  trace: AnswerTrace,
  news: ReplyNews,
): AsyncGenerator<object> {
  const { apiKey, body, signal } = call;
  const answer = await stayOnHost(call.send)(`${call.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...call.headers,
    },
    body,
    signal,
  });
  yield* replyChunks(answer, trace, news);
}
