/** Which URLs may be fetched at all, in the one spelling that permissions and requests both see. */

/** Longer ones are hardly addresses any more, but a way to carry data out. */
const MAX_LENGTH = 2000;

export interface WebUrl {
  readonly url: URL;
  /** Host without port, lower case, ASCII, no dot at the end; an IPv6 address stands in brackets. */
  readonly domain: string;
}

export type ReadUrl = ({ readonly ok: true } & WebUrl) | { readonly ok: false; readonly message: string };

/** Reads an http(s) URL, or the target of a redirect relative to `base`; says what is wrong with any other. */
export function readWebUrl(text: string, base?: URL): ReadUrl {
  const no = (message: string): ReadUrl => ({ ok: false, message });
  if (text.length > MAX_LENGTH) return no(`the URL is longer than ${MAX_LENGTH} characters`);
  if (!URL.canParse(text, base)) return no('not a URL; write it whole, such as https://example.com/page');
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return no('only http and https can be fetched');
  if (url.username !== '' || url.password !== '')
    return no('a URL with a user name or password in it is not fetched; leave them out');
  // `example.com.` is the same host, and must not slip past a rule about it.
  const domain = url.hostname.replace(/\.+$/, '');
  if (domain === '') return no('the URL names no host');
  if (domain !== url.hostname) url.hostname = domain;
  url.hash = '';
  return { ok: true, url, domain };
}

/**
 * Whether leave to fetch one holds for the other: the same host at the same port, or its encrypted self at
 * the default one.
 */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return to.protocol === 'https:' && from.port === '' && to.port === '';
}
