/** Validates URLs to fetch, and normalizes them to the one spelling that permissions and requests both use. */

/** A longer URL is more likely a way to exfiltrate data than an address. */
const MAX_LENGTH = 2000;

export interface WebUrl {
  readonly url: URL;
  /** Host without port, lower case, ASCII, no trailing dot; an IPv6 address is in brackets. */
  readonly domain: string;
}

type ReadUrl = ({ readonly ok: true } & WebUrl) | { readonly ok: false; readonly message: string };

/** Parses an http(s) URL, or the target of a redirect relative to `base`; explains the problem with any other. */
export function readWebUrl(text: string, base?: URL): ReadUrl {
  const no = (message: string): ReadUrl => ({ ok: false, message });
  if (text.length > MAX_LENGTH) return no(`the URL is longer than ${MAX_LENGTH} characters`);
  if (!URL.canParse(text, base)) return no('not a URL; write it in full, such as https://example.com/page');
  const url = new URL(text, base);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return no('only http and https can be fetched');
  if (url.username !== '' || url.password !== '')
    return no('a URL with a user name or password in it is not fetched; leave them out');
  // `example.com.` is the same host, and must not evade a rule about it.
  const domain = url.hostname.replace(/\.+$/, '');
  if (domain === '') return no('the URL has no host');
  if (domain !== url.hostname) url.hostname = domain;
  url.hash = '';
  return { ok: true, url, domain };
}

/**
 * True if approval for one URL also covers the other: the same host and port, or an upgrade from http to https, both at
 * the default port.
 */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return to.protocol === 'https:' && from.port === '' && to.port === '';
}
