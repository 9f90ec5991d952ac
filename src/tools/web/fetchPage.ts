/** Fetches one page. Every redirect is resolved and checked again; none leads to a site the user has not approved. */
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline } from 'node:stream';
import { MIMEType } from 'node:util';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ByteCollector } from '../../protocol/text/byteCollector.ts';
import { answerWith, type HostAddress, type HostRules, resolveHost, whyPrivate } from './publicAddress.ts';
import { isSameSite, readWebUrl, type WebUrl } from './webUrl.ts';

const MAX_REDIRECTS = 5;

export type FetchedPage =
  | {
      readonly type: 'page';
      /** The final URL, after redirects. */
      readonly url: URL;
      readonly status: number;
      readonly contentType: PageType;
      readonly body: Body;
    }
  /** Redirects to a site that the approval does not cover. */
  | { readonly type: 'elsewhere'; readonly from: URL; readonly to: URL }
  /** A sentence. */
  | { readonly type: 'failed'; readonly message: string };

/** Never rejects because of the network; an abort is returned as `failed`. */
export async function fetchPage(start: WebUrl, rules: HostRules, signal: AbortSignal): Promise<FetchedPage> {
  let { url, domain } = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    try {
      const host = await unlessAborted(resolveHost(domain, rules), signal);
      if (!host.ok) return { type: 'failed', message: host.message };
      const response = await requestPage(url, host.addresses, signal);
      const target = redirectOf(response);
      if (target === undefined) return await received(response, url);
      response.destroy();
      const next = readWebUrl(target, url);
      if (!next.ok)
        return { type: 'failed', message: `${url.href} redirects${toScheme(target)}, but ${next.message}.` };
      if (!isSameSite(url, next.url)) {
        const why = rules.allowPrivate ? undefined : whyPrivate(next.domain);
        if (why === undefined) return { type: 'elsewhere', from: url, to: next.url };
        // Does not suggest how to proceed: a page must not send the model into the user's network.
        const message = `${url.href} redirects to ${next.url.host}, ${why}. That was not followed, and nothing was read.`;
        return { type: 'failed', message };
      }
      ({ url, domain } = next);
    } catch (error) {
      return { type: 'failed', message: describeNetworkError(error, url) };
    }
  }
  return { type: 'failed', message: `${start.url.href} redirects more than ${MAX_REDIRECTS} times.` };
}

/** ` to a file: address` if a redirect leaves the web; otherwise empty. */
function toScheme(target: string): string {
  const scheme = /^\s*([a-z][a-z0-9+.-]{0,20}:)/i.exec(target)?.[1]?.toLowerCase();
  return scheme === undefined || /^https?:$/.test(scheme) ? '' : ` to a ${scheme} address`;
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | undefined {
  return [301, 302, 303, 307, 308].includes(statusCode) ? headers.location : undefined;
}

async function received(response: IncomingMessage, url: URL): Promise<FetchedPage> {
  const contentType = pageType(response.headers['content-type']);
  const isWanted = contentType.form !== 'unsupported';
  if (!isWanted) response.destroy();
  const body = isWanted ? await readBody(response) : { bytes: new Uint8Array(), cut: false };
  return { type: 'page', url, status: response.statusCode ?? 0, contentType, body };
}

/** A lookup cannot be cancelled, but we can stop waiting for it. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Explanations of failed fetches for the model, which must decide what to do next. */
const meanings: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND|ENODATA/, 'its host name was not found. Check the spelling'],
  [/EAI_AGAIN/, 'its host name could not be looked up. Check the network connection'],
  [/ECONNREFUSED/, 'nothing answers there (connection refused)'],
  [/ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL/, 'its host cannot be reached'],
  [/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS/, 'its TLS certificate is not trusted or not valid'],
  [/EPROTO|ERR_SSL|HPE_|Z_|ERR_.*(?:BROTLI|ZLIB)/, 'the server does not speak the expected protocol'],
  [/ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE/, 'the connection broke'],
];

/** A sentence; an unknown error is quoted. */
function describeNetworkError(error: unknown, url: URL): string {
  const signs = signsOf(error);
  const meaning = meanings.find(([pattern]) => pattern.test(signs))?.[1];
  return `${url.href} could not be fetched: ${meaning ?? 'the request failed'}${signs === '' ? '' : ` (${signs})`}.`;
}

/** The code of an error, or of the first of its causes if several addresses were tried. */
function signsOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first === undefined ? error.message : signsOf(first);
}

// Classifies a page by its Content-Type.

interface PageType {
  /** `unknown`: the header is missing or meaningless, so the content decides. */
  readonly form: 'html' | 'text' | 'unknown' | 'unsupported';
  /** Media type without parameters, in lower case; empty if there was none. */
  readonly name: string;
  readonly charset?: string;
}

const textual =
  /^(?:text\/.+|application\/(?:(?:.+\+)?(?:json|xml|yaml)|json5|ld\+json|x-ndjson|jsonl|(?:x-)?javascript|ecmascript|typescript|toml|x-yaml|x-sh|sql|graphql)|image\/svg\+xml|message\/.+)$/;

/** Parses the header's value. */
export function pageType(header: string | undefined): PageType {
  const mime = parse(header);
  if (mime === undefined) return { form: 'unknown', name: '' };
  const name = mime.essence.toLowerCase();
  const charset = mime.params.get('charset');
  return { form: formOf(name), name, ...(charset === null ? {} : { charset }) };
}

function parse(header: string | undefined): MIMEType | undefined {
  try {
    return header === undefined ? undefined : new MIMEType(header);
  } catch {
    return undefined;
  }
}

function formOf(name: string): PageType['form'] {
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (textual.test(name)) return 'text';
  return name === 'application/octet-stream' || name === 'binary/octet-stream' ? 'unknown' : 'unsupported';
}

/** Maximum bytes read of one page, after decompression. */
const MAX_BODY_BYTES = 10_000_000;

interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True if there was more. */
  readonly cut: boolean;
}

/**
 * Reads and decompresses a body up to the limit, then closes the connection. Rejects if the connection or the
 * compressed data breaks.
 */
async function readBody(response: IncomingMessage): Promise<Body> {
  const bytes = new ByteCollector();
  const source: AsyncIterable<Buffer> = decompressed(response);
  for await (const chunk of source) {
    const cut = bytes.length + chunk.length > MAX_BODY_BYTES;
    bytes.add(chunk.subarray(0, MAX_BODY_BYTES - bytes.length));
    // Leaving the loop destroys the stream, and with it the connection.
    if (cut) return { bytes: bytes.take(), cut };
  }
  return { bytes: bytes.take(), cut: false };
}

function decompressed(response: IncomingMessage): AsyncIterable<Buffer> {
  const names = (response.headers['content-encoding'] ?? '').toLowerCase().split(',', MAX_ENCODINGS);
  // The last one was applied last: RFC 9110, section 8.4.
  const unpackers = names.toReversed().flatMap((name) => unpackerOf(name.trim()) ?? []);
  const [first, second] = unpackers;
  // The reading loop reports errors; without the callback they would also be thrown.
  if (first === undefined) return response;
  return second === undefined
    ? pipeline(response, first, () => undefined)
    : pipeline(response, first, second, () => undefined);
}

/** A page is compressed once; some servers compress it again. */
const MAX_ENCODINGS = 2;

function unpackerOf(encoding: string) {
  // Many servers omit the end of a compressed stream; accept what arrived, like browsers.
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(lenient);
    case 'deflate':
      return createInflate(lenient);
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}

// One GET request to an address that has been checked. No cookies, no referrer, no proxy, no data of the project.

const headers = {
  Accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'Accept-Encoding': 'gzip, deflate, br',
  'Accept-Language': 'en, *;q=0.5',
  // Sites reject requests without a user agent.
  'User-Agent': 'Mozilla/5.0 (compatible; ClawdCode)',
};

/** Resolves with the head of the answer, before its body; rejects with a system or TLS error. */
function requestPage(
  url: URL,
  addresses: readonly HostAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const options: RequestOptions = {
    method: 'GET',
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port,
    path: url.pathname + url.search,
    headers: { Host: url.host, ...headers },
    // A new connection: a shared one might have been opened for another purpose, or to a proxy.
    agent: false,
    lookup: answerWith(addresses),
    signal,
  };
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(options, resolve).on('error', reject).end();
  });
}
