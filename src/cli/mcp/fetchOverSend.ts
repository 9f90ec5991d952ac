import type { HttpAnswer, HttpSend } from '../../model/http/types.ts';

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
    const response = new Response(isEmpty ? null : streamOf(answer), {
      status,
      headers: { ...answer.headers },
    });
    Object.defineProperty(response, 'url', { value: String(url) });
    return response;
  };
}

/** Cancelled, even before anything was read, it does not leave the connection waiting for the rest. */
function streamOf({ body, release }: HttpAnswer): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      release();
      await pieces.return?.();
    },
  };
  return new ReadableStream(source, { highWaterMark: 0 });
}
