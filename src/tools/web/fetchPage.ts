/** Fetches one page. Every redirect is resolved and checked again; none leads to a site the user has not approved. */
import type { IncomingMessage } from 'node:http';
import { describeNetworkError } from './networkErrors.ts';
import { type PageType, pageType } from './pageType.ts';
import { type Body, readBody } from './readBody.ts';
import { requestPage } from './request.ts';
import { type HostRules, resolveHost, whyPrivate } from './resolveHost.ts';
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
        // Do not mention how to get there: a page must not send the model into the user's network.
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
