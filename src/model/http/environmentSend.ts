/**
 * Applies the connection settings of the environment: proxies (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, also in
 * lower case; HTTP, HTTPS or SOCKS) and certificates (SSL_CERT_FILE, SSL_CERT_DIR; Node reads NODE_EXTRA_CA_CERTS
 * itself). Loaded with the first request; the code for proxies with the first request that uses one.
 */
import type { Agent, ClientRequest } from 'node:http';
import { record } from '../json.ts';
import { PROXY_AUTH, PROXY_FAILED } from '../network.ts';
import { type Proxies, proxyAmong, readProxies } from './proxies.ts';
import type { HttpSend } from './types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A sender that uses the proxies and certificates of the environment; connects directly if there are none. */
export function environmentSend(env: Environment = {}): HttpSend {
  let sender: Promise<HttpSend> | undefined;
  return async (url, request) => {
    sender ??= makeSend(env);
    return (await sender)(url, request);
  };
}

async function makeSend(env: Environment): Promise<HttpSend> {
  const { createSend } = await import('./sendByNode.ts');
  const proxies = readProxies(env);
  const hasCertificates = Boolean(env.SSL_CERT_FILE || env.SSL_CERT_DIR);
  if (proxies === undefined && !hasCertificates) return createSend();
  let certificates: Promise<string[]> | undefined;
  const trusted = async (): Promise<{ ca?: string[] }> => {
    if (!hasCertificates) return {};
    certificates ??= import('./certificates.ts').then(({ trustedCertificates }) => trustedCertificates(env));
    return { ca: await certificates };
  };
  const agents = new Map<string, Promise<Agent>>();
  const send = createSend(async (url) => {
    const proxy = proxies && proxyAmong(url, proxies);
    const isSecure = url.protocol === 'https:';
    if (proxy === undefined && !(isSecure && hasCertificates)) return undefined;
    const key = `${isSecure ? 'secure' : 'plain'} ${proxy ?? ''}`;
    const agent = agents.get(key) ?? makeAgent(isSecure, proxy, trusted);
    agents.set(key, agent);
    return agent;
  });
  return proxies === undefined ? send : throwProxyAuthErrors(send, proxies);
}

/** The agent that reaches a URL through the proxy of the environment; undefined if there is none for it. */
export async function proxyAgent(env: Environment, url: URL): Promise<Agent | undefined> {
  const proxies = readProxies(env);
  const proxy = proxies && proxyAmong(url, proxies);
  return proxy === undefined ? undefined : makeAgent(url.protocol === 'https:', proxy, async () => ({}));
}

/** `trusted` returns Node's authorities plus those of the environment, or nothing if the environment names none. */
async function makeAgent(
  isSecure: boolean,
  proxy: string | undefined,
  trusted: () => Promise<{ ca?: string[] }>,
): Promise<Agent> {
  const ca = await trusted();
  const options = { keepAlive: true, ...ca };
  if (proxy === undefined) return new (await import('node:https')).Agent(options);
  if (/^socks/i.test(proxy)) {
    const { SocksProxyAgent } = await import('socks-proxy-agent');
    return blameProxy(new SocksProxyAgent(proxy, options), proxy);
  }
  if (!isSecure) {
    const { HttpProxyAgent } = await import('http-proxy-agent');
    return blameProxy(new HttpProxyAgent(proxy, options), proxy);
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  const agent = blameProxy(new HttpsProxyAgent(proxy, options), proxy);
  // HttpsProxyAgent uses its own options for the connection to the proxy only.
  Object.assign(agent.options, ca);
  // Without this, a rejected tunnel would look like an answer of the server.
  agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
    const code = statusCode === 407 ? PROXY_AUTH : PROXY_FAILED;
    if (statusCode !== 200) request.destroy(proxyError(code, proxy));
  });
  return agent;
}

/** The common part of all three agents. */
interface ProxyAgent extends Agent {
  connect(request: ClientRequest, options: never): Promise<unknown>;
}

/**
 * Blames the proxy for every failure before the connection is established, except if the server's own name cannot be
 * resolved.
 */
function blameProxy<A extends ProxyAgent>(agent: A, proxy: string): A {
  const connect = agent.connect.bind(agent) as ProxyAgent['connect'];
  agent.connect = (request: ClientRequest, options: never) =>
    connect(request, options).catch((error: unknown) => {
      throw isServerNameUnresolved(error, options) ? error : proxyError(PROXY_FAILED, proxy);
    });
  return agent;
}

/** SOCKS 4 and 5 resolve the server's name on this machine. */
function isServerNameUnresolved(error: unknown, { host }: { readonly host?: string }): boolean {
  const { code, hostname } = record(error);
  return (code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname === host;
}

/**
 * Without TLS the proxy's own answers look like the server's, so a 407 is converted into an error. Only proxies send
 * that status (RFC 9110, 15.5.8).
 */
function throwProxyAuthErrors(send: HttpSend, proxies: Proxies): HttpSend {
  return async (address, request) => {
    const answer = await send(address, request);
    const proxy = proxyAmong(new URL(address), proxies);
    if (answer.status !== 407 || proxy === undefined) return answer;
    answer.release();
    throw proxyError(PROXY_AUTH, proxy);
  };
}

function proxyError(code: string, proxy: string): Error {
  // Without name and password; `origin` supports HTTP only.
  const { protocol, host } = new URL(proxy);
  return Object.assign(new Error(`via proxy <${protocol}//${host}>`), { code });
}
