/**
 * Sends requests with Node's own HTTP client. `fetch` takes 30 ms more at the first request of a process and three
 * times the CPU for each (measured on loopback: 1.0 ms against 0.3), gives up after five minutes without a header, and
 * supports neither proxies nor custom certificates. Only connecting is limited in time; callers have their own timeouts
 * for the answer.
 */
import { Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_HEADER_BYTES } from '../network.ts';
import { tooLarge } from '../replyBounds.ts';
import { readBody } from './readBody.ts';
import type { HttpAnswer, HttpRequest, HttpSend } from './types.ts';

/** Returns the agent for a URL; `undefined` for Node's direct connection. */
type AgentOf = (url: URL) => Promise<Agent | undefined>;

/**
 * Milliseconds to establish a connection, including TLS and tunnel. Node has no limit, and a network that drops packets
 * would block for minutes; `fetch` allows ten seconds, which a slow tunnel can take.
 */
const CONNECT_MS = 20_000;

/**
 * Milliseconds in which a kept-alive connection that the server has closed reports it: one round trip. After a later
 * failure the server may already have been processing the request, and a POST must not be repeated silently then (RFC
 * 9110, 9.2.2).
 */
const STALE_MS = 2000;

/** Creates a sender that keeps connections alive for later requests. */
export function createSend(
  agentOf: AgentOf = async () => undefined,
  connectMs: number = CONNECT_MS,
  staleMs: number = STALE_MS,
): HttpSend {
  const plain = new Agent({ keepAlive: true });
  let secure: Promise<Agent> | undefined;
  const directAgent = (isSecure: boolean): Agent | Promise<Agent> => {
    if (!isSecure) return plain;
    secure ??= import('node:https').then(({ Agent }) => new Agent({ keepAlive: true }));
    return secure;
  };

  const sendOnce = async (url: URL, request: HttpRequest): Promise<HttpAnswer> => {
    const isSecure = url.protocol === 'https:';
    const agent = (await agentOf(url)) ?? (await directAgent(isSecure));
    // Loading TLS takes 15 ms, which a server on this machine does not need.
    const start = isSecure ? (await import('node:https')).request : requestPlain;
    const { method, headers, body, signal, lookup } = request;
    signal.throwIfAborted();
    const length = body === undefined ? {} : { 'content-length': String(body.length) };
    const maxHeaderSize = MAX_HEADER_BYTES;
    const options = { method, headers: { ...headers, ...length }, agent, maxHeaderSize };
    const sent = start(url, lookup === undefined ? options : { ...options, lookup });
    return answerTo(sent, { body, signal, isSecure, connectMs, staleMs });
  };

  return async (address, request) => {
    const url = new URL(address);
    for (;;) {
      try {
        return await sendOnce(url, request);
      } catch (error) {
        // That the server has just closed a kept-alive connection says nothing about the server. There may be several such
        // connections; each is tried once, and a new connection is never stale.
        if (!(error instanceof StaleConnection)) throw error;
      }
    }
  };
}

class StaleConnection extends Error {}

/** Limits in milliseconds and bytes for the rest of a released body. */
const REST_MS = 1000;
const REST_BYTES = 256 * 1024;

/** Maximum interim answers (1xx) to one request: servers send one or two. */
const MAX_INTERIM = 100;

interface Sending {
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal;
  readonly isSecure: boolean;
  readonly connectMs: number;
  readonly staleMs: number;
}

function answerTo(sent: ClientRequest, sending: Sending): Promise<HttpAnswer> {
  const { body, signal, isSecure, connectMs, staleMs } = sending;
  /** True if the request is recent and no byte of an answer has arrived. */
  let isFresh = (): boolean => false;
  return new Promise((resolve, reject) => {
    // Rejects explicitly: a request that waits for a proxy has no socket yet and emits nothing when destroyed.
    const giveUp = (error: Error): void => {
      clearTimeout(waiting);
      sent.destroy(error);
      reject(error);
    };
    const waiting = setTimeout(
      () => giveUp(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      connectMs,
    );
    const abort = (): void => giveUp(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    const forget = (): void => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    sent.on('close', () => {
      clearTimeout(waiting);
      forget();
      // Reached when the server switches protocols (101): the connection is dropped without another event.
      reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
    });
    sent.on('socket', (socket) => {
      const [read, sentAt] = [socket.bytesRead, performance.now()];
      isFresh = () => socket.bytesRead === read && performance.now() - sentAt < staleMs;
      const connected = isSecure ? 'secureConnect' : 'connect';
      if (sent.reusedSocket || (!isSecure && !socket.connecting)) clearTimeout(waiting);
      else socket.once(connected, () => clearTimeout(waiting));
    });
    let interim = 0;
    sent.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM) giveUp(tooLarge(`more than ${MAX_INTERIM} interim answers (1xx)`));
    });
    sent.on('response', (response) => {
      let isReleased = false;
      const release = (): void => {
        isReleased = true;
        forget();
        // Not `resume`, which does nothing while the body is being read.
        let rest = 0;
        response
          .on('error', () => {})
          .on('data', (piece: Uint8Array) => {
            rest += piece.length;
            if (rest > REST_BYTES) response.destroy();
          });
        // An unreferenced socket does not keep the process running; the next request references it again. After the end of
        // the body the response has no socket.
        (response.socket as Socket | null)?.unref();
        const late = setTimeout(() => response.destroy(), REST_MS).unref();
        response.on('close', () => clearTimeout(late));
      };
      const { statusCode: status = 0, socket } = response;
      const readBefore = socket.bytesRead;
      const body = readBody(response, {
        isReleased: () => isReleased,
        wireBytes: () => socket.bytesRead - readBefore,
        protocolError: () => protocolError,
      });
      resolve({ status, headers: headersOf(response), body, release });
    });
    let protocolError: Error | undefined;
    // Listens permanently: a failure after the answer's head is reported by the body and must not crash the process.
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // `code` is a number for an abort.
      if (String(error.code).startsWith('HPE_')) protocolError = error;
      const isBroken = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      const isStale = isBroken && sent.reusedSocket && isFresh();
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
