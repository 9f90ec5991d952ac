/**
 * A `fetch` for the SDKs over our own HTTP client, so that redirects, proxies, certificates, bounds and error messages
 * are the same on every wire. The SDK receives only complete, validated events.
 */
import { LightHeaders } from '../http/lightHeaders.ts';
import { stayOnHost } from '../http/sameHost.ts';
import type { HttpSend } from '../http/types.ts';
import { record, text } from '../json.ts';
import { type AnswerTrace, type ReplyCallbacks, replyChunks } from './replyChunks.ts';

interface SdkFetchOptions {
  readonly send: HttpSend;
  /** Sent in addition to `passed`, and overriding them: key, user agent, custom headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly trace: AnswerTrace;
  readonly callbacks: ReplyCallbacks;
  /** Called with the body that is about to be sent. */
  readonly onBody: (body: string) => void;
}

/**
 * Headers of the SDK that are sent. Others describe the machine and the runtime, or come from variables that are not
 * settings of this program.
 */
const passed = ['accept', 'content-type', 'anthropic-version'];

/**
 * The request is sent when the SDK reads the body, so that its errors reach the caller as they are: the SDK would wrap
 * them.
 */
export function sdkFetch({
  send,
  headers: own,
  signal,
  trace,
  callbacks,
  onBody,
}: SdkFetchOptions): typeof fetch {
  return async (address, init) => {
    const sdkHeaders = new LightHeaders(init?.headers);
    const body = text(init?.body) ?? '';
    onBody(body);
    const request = {
      method: 'POST' as const,
      headers: {
        ...Object.fromEntries(
          passed.flatMap((name) => (sdkHeaders.has(name) ? [[name, sdkHeaders.get(name) ?? '']] : [])),
        ),
        ...own,
      },
      body: Buffer.from(body),
      signal,
    };
    async function* events(): AsyncGenerator<Uint8Array> {
      const answer = await stayOnHost(send)(String(address), request);
      for await (const event of replyChunks(answer, trace, callbacks)) yield asEvent(event);
    }
    // The SDKs read no more of a response than this.
    const headers = new LightHeaders();
    const response = { ok: true, status: 200, headers, url: String(address), body: events() };
    return response as unknown as Response;
  };
}

const encoder = new TextEncoder();

/** Adds the event's name, which some servers leave out. */
function asEvent(event: object): Uint8Array {
  const name = /^[\w.]{1,100}$/.exec(text(record(event).type) ?? '')?.[0] ?? 'message';
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** For the SDKs: they log to the console, which belongs to the screen. */
export const silentLogger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};
