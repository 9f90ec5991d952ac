/** Where to look for local servers. Pure. */
import { localServers } from '../../ui/onboarding/providers.ts';

export interface LocalAddress {
  readonly name: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  /** Set where it is not on this machine: then it is shown, and asked only when that is wanted. */
  readonly unaskedFrom?: string;
}

/** Ollama first: `OLLAMA_HOST` may stand in its place. */
const defaults: readonly LocalAddress[] = localServers.map(({ name, baseUrl }) => ({ name, baseUrl }));

const OLLAMA_PORT = Number(new URL(localServers[0].baseUrl).port);

/** Addresses that one search looks at. */
const MAX_ADDRESSES = 12;

/**
 * `OLLAMA_HOST` says where Ollama is (docs.ollama.com/faq); `CLAWDCODE_LOCAL_SERVERS` replaces the whole list (addresses, separated by
 * commas or blanks; "none" for no search).
 */
export function localAddresses(env: Readonly<Record<string, string | undefined>>): readonly LocalAddress[] {
  const own = env.CLAWDCODE_LOCAL_SERVERS?.trim() ?? '';
  const listed =
    own === ''
      ? undefined
      : own.split(/[\s,]+/).flatMap((text) => addressOf(text, 'CLAWDCODE_LOCAL_SERVERS', 80) ?? []);
  const ollama =
    env.OLLAMA_HOST === undefined ? undefined : addressOf(env.OLLAMA_HOST, 'OLLAMA_HOST', OLLAMA_PORT);
  const rest = listed ?? (ollama === undefined ? defaults : defaults.slice(1));
  const all = ollama === undefined ? rest : [{ ...ollama, name: 'Ollama' }, ...rest];
  return all
    .filter(({ baseUrl }, index) => all.findIndex((other) => other.baseUrl === baseUrl) === index)
    .slice(0, MAX_ADDRESSES);
}

/** `host`, `host:port`, `:port` or a URL, as Ollama reads it; an address for every interface is this machine. */
function addressOf(text: string, source: string, defaultPort: number): LocalAddress | undefined {
  const trimmed = text.trim().replace(/^['"]|['"]$/g, '');
  if (trimmed === '' || trimmed === 'none') return undefined;
  const withHost = trimmed.startsWith(':') ? `127.0.0.1${trimmed}` : trimmed;
  const full = /^https?:\/\//i.test(withHost) ? withHost : `http://${bracketed(withHost)}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (/^(?:0\.0\.0\.0|\[::\])$/.test(url.hostname)) url.hostname = '127.0.0.1';
  // A URL says its port, also by leaving it out; the short forms mean the server's own.
  if (url.port === '' && !/^https?:/i.test(trimmed) && !/:\d+$/.test(trimmed)) url.port = String(defaultPort);
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
  const name = url.host;
  return isLoopback(url.hostname) ? { name, baseUrl } : { name, baseUrl, unaskedFrom: source };
}

function bracketed(host: string): string {
  return /^[0-9a-f]*:[0-9a-f:]+$/i.test(host) && host.split(':').length > 2 ? `[${host}]` : host;
}

/** True only for this machine itself. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/i.test(hostname);
}
