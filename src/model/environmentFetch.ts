/**
 * What the environment says about the way to a server: proxies (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, also in
 * lower case) and certificates (SSL_CERT_FILE; NODE_EXTRA_CA_CERTS is read by Node itself). Node's own fetch heeds a
 * proxy only when it was started so, and never SSL_CERT_FILE. undici does; it is loaded with the first request
 * that one of these is meant for.
 */
import { readFile } from 'node:fs/promises';
import { readFailure } from './failure.ts';
import { PROXY_AUTH, PROXY_FAILED } from './network.ts';
import { patientFetch } from './patientFetch.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined where the environment says nothing: then Node's own fetch does. `timeoutMs` as in patientFetch.ts. */
export function environmentFetch(env: Environment, timeoutMs = 660_000): typeof fetch | undefined {
  const proxies = readProxies(env);
  const certificates = env.SSL_CERT_FILE || undefined;
  if (proxies === undefined && certificates === undefined) return undefined;
  const usual = patientFetch(timeoutMs);
  let made: Promise<typeof fetch> | undefined;
  return async (input, init) => {
    const url = String(input);
    const isMeant =
      (certificates !== undefined && /^https:/i.test(url)) ||
      (proxies !== undefined && proxyAmong(url, proxies) !== undefined);
    if (!isMeant) return usual(input, init);
    made ??= make(proxies, certificates, env, timeoutMs);
    const own = await made;
    return own(input, init);
  };
}

/** The proxy through which the fetch above asks an address; undefined where it asks straight, or it is no address. */
export function proxyFor(env: Environment, url: string): string | undefined {
  const proxies = readProxies(env);
  return proxies === undefined || !URL.canParse(url) ? undefined : proxyAmong(url, proxies);
}

interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string;
}

/** A proxy that is no HTTP proxy (socks) is passed over. A server on this machine is never asked through one. */
function readProxies(env: Environment): Proxies | undefined {
  const read = (name: string): string | undefined => {
    const value = env[name.toLowerCase()] || env[name] || '';
    const url = value.includes('://') || value === '' ? value : `http://${value}`;
    return /^https?:/i.test(url) && URL.canParse(url) ? url : undefined;
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

async function make(
  proxies: Proxies | undefined,
  certificates: string | undefined,
  env: Environment,
  timeoutMs: number,
): Promise<typeof fetch> {
  // CommonJS: what it exports is under `default`, bundled or not.
  const { default: undici } = await import('undici');
  const ca = certificates === undefined ? undefined : await trusted(certificates, env);
  const tls = ca === undefined ? {} : { connect: { ca }, requestTls: { ca }, proxyTls: { ca } };
  const patience = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const dispatcher =
    proxies === undefined
      ? new undici.Agent({ ...tls, ...patience })
      : new undici.EnvHttpProxyAgent({
          ...tls,
          ...patience,
          // Without one of its own undici would read the process's environment.
          httpProxy: proxies.http ?? '',
          httpsProxy: proxies.https ?? '',
          noProxy: proxies.except,
          proxyTunnel: false, // of requests without TLS: proxies refuse CONNECT to their ports
        });
  const fetchFn = undici.fetch as unknown as typeof fetch;
  return async (input, init) => {
    const proxy = proxies === undefined ? undefined : proxyAmong(String(input), proxies);
    try {
      const response = await fetchFn(input, { ...init, dispatcher } as RequestInit);
      if (response.status === 407 && proxy !== undefined) throw proxyError(PROXY_AUTH, proxy);
      return response;
    } catch (error) {
      throw proxy === undefined ? error : blameProxy(error, proxy);
    }
  };
}

/** Node's own authorities and those of the file, which is read anew for nobody: a change needs a new start. */
async function trusted(file: string, env: Environment): Promise<string[]> {
  const { rootCertificates } = await import('node:tls');
  const files = await Promise.all([file, env.NODE_EXTRA_CA_CERTS || ''].map(readIfThere));
  return [...rootCertificates, ...files.filter((text) => text.includes('-----BEGIN'))];
}

function readIfThere(file: string): Promise<string> {
  return file === '' ? Promise.resolve('') : readFile(file, 'utf8').catch(() => '');
}

/** Where a request goes out; undefined where it goes straight. The exceptions are those that undici knows. */
function proxyAmong(url: string, { http, https, except }: Proxies): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const proxy = protocol === 'https:' ? https : http;
  const host = hostname.toLowerCase();
  const isExcepted = except.split(/[\s,]+/).some((entry) => {
    const [, name = '', onPort = ''] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.trim().toLowerCase()) ?? [];
    if (entry.trim() === '*') return true;
    if (name === '' || (onPort !== '' && onPort !== (port || (protocol === 'https:' ? '443' : '80'))))
      return false;
    return host === name || host.endsWith(`.${name}`);
  });
  return isExcepted ? undefined : proxy;
}

/** Through a proxy no connection to the server itself can fail: it was the proxy that did not answer, or said no. */
function blameProxy(error: unknown, proxy: string): unknown {
  const { codes, message } = readFailure(error);
  if (codes.includes(PROXY_AUTH)) return error;
  if (/Proxy Authentication Required|Proxy response \(407\)/.test(message))
    return proxyError(PROXY_AUTH, proxy);
  const isRefusal = /Proxy response \(\d+\)/.test(message);
  return isRefusal || codes.some((code) => CONNECTING.test(code)) ? proxyError(PROXY_FAILED, proxy) : error;
}

const CONNECTING =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function proxyError(code: string, proxy: string): Error {
  return Object.assign(new Error(`via proxy <${new URL(proxy).origin}>`), { code });
}
