/**
 * Which addresses an MCP server over HTTP may send us to. Its login names other addresses (metadata, token endpoints, the
 * page for the browser): a server on the internet must not choose ones in the user's own network, which trusts requests
 * from this machine. A server in that network may.
 */
import { isIP } from 'node:net';
import type { Fetch } from '../../mcp/boundedFetch.ts';
import { environmentSend } from '../../model/http/environmentSend.ts';
import { proxyFor } from '../../model/http/proxies.ts';
import {
  answerWith,
  type HostAddress,
  INNER,
  isPublicAddress,
  type Resolve,
  systemResolve,
  whyPrivate,
} from '../../tools/web/publicAddress.ts';
import { fetchOverSend } from './fetchOverSend.ts';

interface ServerNetwork {
  /** Rejects with the reason if the server must not send us there. */
  readonly fetch: Fetch;
  /** Rejects with the reason if the server must not send the browser there. */
  readonly check: (url: URL) => Promise<void>;
}

/** The addresses of a host; none if a proxy resolves it or it cannot be resolved. */
interface Host {
  readonly addresses: readonly HostAddress[];
  /** Why it is, at least in part, in the user's network. */
  readonly inner?: string | undefined;
  /** True if all its addresses are. */
  readonly isAllInner: boolean;
}

/** Creates the network of one server. */
export function serverNetwork(
  env: Readonly<Record<string, string | undefined>>,
  server: URL,
  resolve: Resolve = systemResolve,
  send = environmentSend(env),
): ServerNetwork {
  const hostOf = async (url: URL): Promise<Host> => {
    const name = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.+$/, '');
    const why = whyPrivate(name);
    if (why !== undefined) return { addresses: [], inner: why, isAllInner: true };
    if (isIP(name) !== 0 || proxyFor(env, url.href) !== undefined)
      return { addresses: [], isAllInner: false };
    const addresses = await resolve(name).catch(() => []);
    const inner = addresses.filter(({ address }) => !isPublicAddress(address));
    return {
      addresses,
      ...(inner[0] !== undefined && { inner: `at ${inner[0].address}, ${INNER}` }),
      isAllInner: inner.length > 0 && inner.length === addresses.length,
    };
  };
  let own: Promise<Host> | undefined;
  /** Returns the addresses to use. */
  const checked = async (url: URL): Promise<readonly HostAddress[]> => {
    own ??= hostOf(server);
    const { isAllInner } = await own;
    const isOwn = url.origin === server.origin;
    if (isOwn && !isAllInner) return [];
    const host = await hostOf(url);
    // A name may change its addresses at any time: a server once found in the user's network must stay there.
    if (isOwn && !host.isAllInner)
      throw new Error(`${server.host} is no longer in the network where it was. Connect to it again.`);
    if (!isAllInner && host.inner !== undefined)
      throw new Error(
        `The server ${server.host} names the address ${url.origin}, which is ${host.inner}. A server on the internet may not send ClawdCode there.`,
      );
    return host.addresses;
  };
  return {
    async fetch(url, init) {
      const addresses = await checked(new URL(url));
      const lookup = addresses.length === 0 ? undefined : answerWith(addresses);
      return fetchOverSend((to, request) => send(to, { ...request, lookup }))(url, init);
    },
    async check(url) {
      await checked(url);
    },
  };
}
