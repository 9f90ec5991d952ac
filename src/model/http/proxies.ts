/** Determines the environment's proxy for an address. Pure. */

export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** As in NO_PROXY. */
  readonly except: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const KNOWN = /^(?:https?|socks(?:4a?|5h?)?):\/\//i;

/** Reads the proxy variables; invalid addresses are ignored. Requests to this machine never use a proxy. */
export function readProxies(env: Environment): Proxies | undefined {
  const read = (name: string): string | undefined => {
    const value = env[name.toLowerCase()] || env[name] || '';
    const url = value.includes('://') || value === '' ? value : `http://${value}`;
    return KNOWN.test(url) && URL.canParse(url) ? url : undefined;
  };
  const all = read('ALL_PROXY');
  const http = read('HTTP_PROXY') ?? all;
  const https = read('HTTPS_PROXY') ?? all;
  if (http === undefined && https === undefined) return undefined;
  const except = [env.no_proxy || env.NO_PROXY || '', 'localhost,127.0.0.1,::1,[::1]']
    .filter(Boolean)
    .join(',');
  return { http, https, except };
}

/**
 * The proxy for this URL; undefined for a direct connection. NO_PROXY may contain names, which include subdomains,
 * ports, and `*`.
 */
export function proxyAmong({ protocol, hostname, port }: URL, proxies: Proxies): string | undefined {
  const host = hostname.toLowerCase();
  const isExcepted = proxies.except.split(/[\s,]+/).some((entry) => {
    const [, name = '', onPort = ''] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    if (entry.trim() === '*') return true;
    if (name === '' || (onPort !== '' && onPort !== (port || (protocol === 'https:' ? '443' : '80'))))
      return false;
    return host === name || host.endsWith(`.${name}`);
  });
  if (isExcepted) return undefined;
  return protocol === 'https:' ? proxies.https : proxies.http;
}

/** The proxy for an address; undefined for a direct connection or an invalid address. */
export function proxyFor(env: Environment, url: string): string | undefined {
  const proxies = readProxies(env);
  return proxies === undefined || !URL.canParse(url) ? undefined : proxyAmong(new URL(url), proxies);
}
