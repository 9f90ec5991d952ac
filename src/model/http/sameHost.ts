/**
 * Follows redirects only on the same host: a redirect to another host would send the conversation, and perhaps the key,
 * to a server the user never chose. On the same host the request is repeated in full, body included.
 */
import { REDIRECTED, REDIRECTED_TO_SCHEME, TOO_MANY_REDIRECTS } from '../network.ts';
import type { HttpSend } from './types.ts';

const MAX_REDIRECTS = 3;

/**
 * Throws an error with code `REDIRECTED` and the other host's origin in its message, with code `REDIRECTED_TO_SCHEME` and
 * the scheme, or with code `TOO_MANY_REDIRECTS`.
 */
export function stayOnHost(send: HttpSend): HttpSend {
  return async (url, request) => {
    let at = url;
    for (let hop = 0; ; hop++) {
      const answer = await send(at, request);
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
      answer.release();
      const next = URL.canParse(location, at) ? new URL(location, at) : undefined;
      if (next === undefined || !isSameHost(new URL(at), next)) {
        if (next !== undefined && !/^https?:$/.test(next.protocol))
          throw Object.assign(new Error(`redirected to <${next.protocol}>`), { code: REDIRECTED_TO_SCHEME });
        const to = next?.origin ?? 'nowhere';
        throw Object.assign(new Error(`redirected to <${to}>`), { code: REDIRECTED });
      }
      if (hop >= MAX_REDIRECTS)
        throw Object.assign(new Error(`more than ${MAX_REDIRECTS} redirects`), { code: TOO_MANY_REDIRECTS });
      at = next.href;
    }
  };
}

/** The same origin, or the same host name upgraded from http to https. */
function isSameHost(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.hostname;
  return from.origin === to.origin || (isUpgrade && from.port === '' && to.port === '');
}
