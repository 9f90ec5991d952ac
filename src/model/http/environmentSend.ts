/**
 * What the environment says about the way to a server: proxies (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, also in
 * lower case; by HTTP, HTTPS or SOCKS) and certificates (SSL_CERT_FILE, SSL_CERT_DIR; NODE_EXTRA_CA_CERTS is read by Node
 * itself).
 * All of it is loaded with the first request, what a proxy needs with the first that it is meant for.
 */
import type { Agent, ClientRequest } from 'node:http';
import { record } from '../json.ts';
import { PROXY_AUTH, PROXY_FAILED } from '../network.ts';
import { type Proxies, proxyAmong, readProxies } from './proxies.ts';
import type { HttpSend } from './types.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The way that the environment names: straight, where it says nothing. */
export function environmentSend(env: Environment = {}): HttpSend {
  let made: Promise<HttpSend> | undefined;
  return async (url, request) => {
    made ??= makeSend(env);
    return (await made)(url, request);
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
    const made = agents.get(key) ?? makeAgent(isSecure, proxy, trusted);
    agents.set(key, made);
    return made;
  });
  return proxies === undefined ? send : saysNotAllowed(send, proxies);
}

/** `trusted` has the authorities that Node knows and those of the environment, where that names any. */
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
    return blaming(new SocksProxyAgent(proxy, options), proxy);
  }
  if (!isSecure) {
    const { HttpProxyAgent } = await import('http-proxy-agent');
    return blaming(new HttpProxyAgent(proxy, options), proxy);
  }
  const { HttpsProxyAgent } = await import('https-proxy-agent');
  const agent = blaming(new HttpsProxyAgent(proxy, options), proxy);
  // It takes its own options for the proxy alone.
  Object.assign(agent.options, ca);
  // A tunnel that was refused would look like an answer of the server.
  agent.on('proxyConnect', ({ statusCode }: { statusCode: number }, request: ClientRequest) => {
    const code = statusCode === 407 ? PROXY_AUTH : PROXY_FAILED;
    if (statusCode !== 200) request.destroy(proxyError(code, proxy));
  });
  return agent;
}

/** What all three kinds have in common. */
interface ProxyAgent extends Agent {
  connect(request: ClientRequest, options: never): Promise<unknown>;
}

/** Until a connection stands, it is the proxy that did not answer or said no; but for a name that nobody knows. */
function blaming<A extends ProxyAgent>(agent: A, proxy: string): A {
  const connect = agent.connect.bind(agent) as ProxyAgent['connect'];
  agent.connect = (request: ClientRequest, options: never) =>
    connect(request, options).catch((error: unknown) => {
      throw isServersName(error, options) ? error : proxyError(PROXY_FAILED, proxy);
    });
  return agent;
}

/** SOCKS 4 and 5 look the server's name up on this side. */
function isServersName(error: unknown, { host }: { readonly host?: string }): boolean {
  const { code, hostname } = record(error);
  return (code === 'ENOTFOUND' || code === 'EAI_AGAIN') && hostname === host;
}

/** Of requests without TLS the proxy's own answers come as if they were the server's. */
function saysNotAllowed(send: HttpSend, proxies: Proxies): HttpSend {
  return async (address, request) => {
    const answer = await send(address, request);
    const proxy = proxyAmong(new URL(address), proxies);
    if (answer.status !== 407 || proxy === undefined) return answer;
    answer.release();
    throw proxyError(PROXY_AUTH, proxy);
  };
}

function proxyError(code: string, proxy: string): Error {
  // Without name and password; `origin` knows HTTP only.
  const { protocol, host } = new URL(proxy);
  return Object.assign(new Error(`via proxy <${protocol}//${host}>`), { code });
}
