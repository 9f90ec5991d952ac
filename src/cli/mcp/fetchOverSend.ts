import { ReadableStream as WebStream } from 'node:stream/web';
import type { HttpSend } from '../../model/http/types.ts';

/**
 * Implements `fetch` with the transport used for model servers: with the proxies and certificates of the environment.
 */
export function fetchOverSend(send: HttpSend): (url: string | URL, init?: RequestInit) => Promise<Response> {
  return async (url, init = {}) => {
    const { method = 'GET', body, signal } = init;
    const headers = new Headers(init.headers);
    if (body instanceof URLSearchParams && !headers.has('content-type'))
      headers.set('content-type', 'application/x-www-form-urlencoded');
    const answer = await send(String(url), {
      // A session is ended with DELETE; `send` accepts that method, too.
      method: method as 'GET' | 'POST',
      headers: Object.fromEntries(headers),
      ...(body == null ? {} : { body: Buffer.from(String(body)) }),
      signal: signal ?? new AbortController().signal,
    });
    const { status } = answer;
    const isEmpty = [101, 204, 205, 304].includes(status);
    if (isEmpty) answer.release();
    const response = new Response(
      isEmpty ? null : (WebStream.from(answer.body) as unknown as ReadableStream),
      {
        status,
        headers: { ...answer.headers },
      },
    );
    Object.defineProperty(response, 'url', { value: String(url) });
    return response;
  };
}
