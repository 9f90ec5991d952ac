/**
 * Requests by Node's own HTTP client. Its `fetch` costs 30 ms more at the first request of a run and three times the
 * CPU at each (measured on loopback: 1.0 ms against 0.3), gives up after five minutes without a header, and cannot be
 * told of a proxy or of a certificate. No time limit here: those who ask have their own.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { readBody } from './readBody.ts';
import type { HttpAnswer, HttpRequest, HttpSend } from './types.ts';

/** Opens the connections to a host; `undefined` where there is nothing to say: straight, as Node does it. */
export type AgentOf = (url: URL) => Promise<Agent | undefined>;

/** Connections are kept for the next request. */
export function createSend(agentOf: AgentOf = async () => undefined): HttpSend {
  const plain = new Agent({ keepAlive: true });
  let secure: Promise<Agent> | undefined;
  const straight = (isSecure: boolean): Agent | Promise<Agent> => {
    if (!isSecure) return plain;
    secure ??= import('node:https').then(({ Agent }) => new Agent({ keepAlive: true }));
    return secure;
  };

  const once = async (url: URL, request: HttpRequest): Promise<HttpAnswer> => {
    const isSecure = url.protocol === 'https:';
    const agent = (await agentOf(url)) ?? (await straight(isSecure));
    // Loading TLS takes 15 ms, which a server on this machine does not need.
    const start = isSecure ? (await import('node:https')).request : requestPlain;
    const { method, headers, body, signal } = request;
    signal.throwIfAborted();
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    return answerTo(start(url, { method, headers: { ...headers, ...length }, agent }), body, signal);
  };

  return async (address, request) => {
    const url = new URL(address);
    try {
      return await once(url, request);
    } catch (error) {
      // A kept connection that the server closed just now says nothing of the server: once more, on a new one.
      if (!(error instanceof StaleConnection)) throw error;
      return once(url, request);
    }
  };
}

class StaleConnection extends Error {}

/** Milliseconds in which the rest of a body may come that nobody wants. */
const REST_MS = 1000;

function answerTo(
  sent: ClientRequest,
  body: Uint8Array | undefined,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const abort = (): void => void sent.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  signal.addEventListener('abort', abort, { once: true });
  const forget = (): void => signal.removeEventListener('abort', abort);
  sent.on('close', forget);
  return new Promise((resolve, reject) => {
    sent.on('response', (response) => {
      let isReleased = false;
      const release = (): void => {
        isReleased = true;
        forget();
        // Not `resume`, which does nothing while the body is being read.
        response.on('error', () => {}).on('data', () => {});
        const late = setTimeout(() => response.destroy(), REST_MS).unref();
        response.on('close', () => clearTimeout(late));
      };
      const { statusCode: status = 0 } = response;
      resolve({ status, headers: headersOf(response), body: readBody(response, () => isReleased), release });
    });
    // Listens for good: what breaks after the answer's head is the body's error, and must not end the program.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(isStale && !signal.aborted ? new StaleConnection(error.message) : error);
    });
    sent.end(body);
  });
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const names = Object.entries(headers);
  return Object.fromEntries(
    names.map(([name, value = '']) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
