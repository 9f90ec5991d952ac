/**
 * Sends short queries to an untrusted server: limited in bytes and time; failures are returned, never thrown. Redirects
 * are followed on the same host only, since the key is sent along.
 */

import { grouped } from '../../protocol/text/numbers.ts';
import { endpointFacts } from '../endpoint.ts';
import { RAW_BODY } from '../failure.ts';
import { environmentSend } from '../http/environmentSend.ts';
import { stayOnHost } from '../http/sameHost.ts';
import type { HttpSend } from '../http/types.ts';
import { isJsonBomb } from '../json.ts';
import { tooLarge } from '../replyBounds.ts';

export interface HttpQuery {
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the request; default: a direct connection. */
  readonly send?: HttpSend;
  readonly signal: AbortSignal;
}

/** The `error` of `refused` is an input for `toModelError`: status and body, or the thrown value. */
export type HttpAnswer =
  | { readonly type: 'json'; readonly value: unknown }
  | { readonly type: 'refused'; readonly error: unknown; readonly status?: number };

/**
 * Maximum bytes of one answer. The longest known list, of a gateway with hundreds of models, has half a million; up to
 * ten answers are read at a time.
 */
const MAX_BYTES = 4_000_000;
/** Maximum JSON values in one answer: enough for thousands of models, with about forty values each. */
const MAX_VALUES = 100_000;

/** Requests JSON; a POST if there is a `body`. */
export async function askJson(url: string, query: HttpQuery, body?: object): Promise<HttpAnswer> {
  try {
    const { status, headers, body: bytes } = await send(url, query, body);
    const text = await readBounded(bytes);
    if (status < 200 || status > 299) {
      return { type: 'refused', status, error: { status, headers, error: { [RAW_BODY]: text } } };
    }
    if (isJsonBomb(text, MAX_VALUES)) throw tooLarge('more values than a list of models has');
    return { type: 'json', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { type: 'refused', error };
  }
}

const directSend = environmentSend();

function send(url: string, query: HttpQuery, body: object | undefined) {
  const { apiKey, headers, signal } = query;
  return stayOnHost(query.send ?? directSend)(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
      ...(endpointFacts(url).provider === 'anthropic' ? anthropicHeaders(apiKey) : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    signal,
  });
}

/** Anthropic requires a version (that of its SDK), and expects the key in its own header. */
export function anthropicHeaders(apiKey: string | undefined): Readonly<Record<string, string>> {
  return { 'anthropic-version': '2026-10-21', ...(apiKey ? { 'x-api-key': apiKey } : {}) };
}

/** The body as text; throws if it exceeds the bound. */
async function readBounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge(`more than ${grouped(MAX_BYTES)} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
