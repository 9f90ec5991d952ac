/** The addresses at which to look for local servers. Pure. */
import { localServers } from '../../ui/onboarding/providers.ts';

export interface LocalAddress {
  readonly name: string;
  /** Up to and including `/v1`. */
  readonly baseUrl: string;
  /** Set if the address is not on this machine: it is then shown, and queried only if the user chooses it. */
  readonly unaskedFrom?: string;
}

/** Ollama comes first, since `OLLAMA_HOST` may replace it. */
const defaults: readonly LocalAddress[] = localServers.map(({ name, baseUrl }) => ({ name, baseUrl }));

const OLLAMA_PORT = Number(new URL(localServers[0].baseUrl).port);

/** Maximum number of addresses per search. */
const MAX_ADDRESSES = 12;

/**
 * Returns the addresses to query. `OLLAMA_HOST` overrides the address of Ollama (docs.ollama.com/faq);
 * `CLAWDCODE_LOCAL_SERVERS` replaces the whole list (addresses separated by commas or whitespace; "none" for no
 * search).
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

/** Parses `host`, `host:port`, `:port` or a URL, like Ollama; the address of all interfaces means this machine. */
function addressOf(text: string, source: string, defaultPort: number): LocalAddress | undefined {
  const trimmed = text.trim().replace(/^['"]|['"]$/g, '');
  if (trimmed === '' || trimmed === 'none') return undefined;
  const withHost = trimmed.startsWith(':') ? `127.0.0.1${trimmed}` : trimmed;
  const full = /^https?:\/\//i.test(withHost) ? withHost : `http://${bracketed(withHost)}`;
  if (!URL.canParse(full)) return undefined;
  const url = new URL(full);
  if (/^(?:0\.0\.0\.0|\[::\])$/.test(url.hostname)) url.hostname = '127.0.0.1';
  // A URL without a port means its default port; the short forms mean the server's default port.
  if (url.port === '' && !/^https?:/i.test(trimmed) && !/:\d+$/.test(trimmed)) url.port = String(defaultPort);
  const baseUrl = `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
  const name = url.host;
  return isLoopback(url.hostname) ? { name, baseUrl } : { name, baseUrl, unaskedFrom: source };
}

function bracketed(host: string): string {
  return /^[0-9a-f]*:[0-9a-f:]+$/i.test(host) && host.split(':').length > 2 ? `[${host}]` : host;
}

/** True only for this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|localhost)$/i.test(hostname);
}
