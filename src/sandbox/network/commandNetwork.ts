/** What confined commands reach: through the proxy of this process, host by host. */
import type { Server } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { CommandRequest } from '../../protocol/sandbox.ts';
import { find } from '../probe.ts';
import { PortForwarder } from './PortForwarder.ts';
import { SessionNetwork } from './SessionNetwork.ts';

/** A host that is allowed, but whose addresses are not. */
export class HostRefusedError extends Error {
  override readonly name = 'HostRefusedError';
}

/** `always ask`: in every mode, also in one that asks nothing else. */
export type HostVerdict = 'allow' | 'ask' | 'always ask' | 'deny';

export interface NetworkRules {
  readonly verdict: (host: string) => HostVerdict;
  /** The addresses of a host that may be connected to; rejects with a `HostRefusedError` where they may not. */
  readonly resolve: (host: string) => Promise<readonly { address: string; family: number }[]>;
  readonly localPorts: readonly number[];
  /** Whether servers in the background get their ports on this machine's loopback. */
  readonly forwardPorts: boolean;
  /** But for these: programs of the user send prompts, keys or their whole traffic there. */
  readonly reservedPorts: readonly number[];
  /** A connection through the user's own proxy; undefined where a host is reached without one. */
  readonly throughProxy?: (host: string, port: number) => Promise<Socket | undefined>;
}

/** How confined commands reach the proxy. */
export interface ProxyRoute {
  readonly port: number;
  /** Goes before the program that is to run there. */
  enter(): readonly string[];
  close(): void;
  /** Servers of commands in the background, on this machine's loopback; where the network is another. */
  readonly forwarder?: PortForwarder;
}

/** Programs are looked up in `path`; `node` is absolute. */
interface RouteOptions {
  readonly platform: NodeJS.Platform;
  readonly path: string;
  readonly node: string;
  readonly network: NetworkRules;
}

/** Undefined where commands can have no network at all. */
export async function openProxyRoute(
  proxy: Server,
  { platform, path, node, network }: RouteOptions,
): Promise<ProxyRoute | undefined> {
  if (platform === 'darwin') {
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    if (address === null || typeof address === 'string') return undefined;
    return { port: address.port, enter: () => [], close: () => undefined };
  }
  const [bwrap, nsenter] = [find('bwrap', path), find('nsenter', path)];
  if (bwrap === undefined || nsenter === undefined) return undefined;
  const { localPorts, reservedPorts } = network;
  const joined = await SessionNetwork.open({ bwrap, nsenter, node, proxy, localPorts });
  const enter = (): readonly string[] => joined.enter();
  const forwarder = new PortForwarder({
    enter,
    node,
    ownPorts: [joined.port, ...localPorts, ...reservedPorts],
  });
  const close = (): void => {
    forwarder.close();
    joined.close();
  };
  return { port: joined.port, enter, close, forwarder };
}

/** What the proxy needs to know of a command that runs. */
export interface RunningRequest {
  readonly request: CommandRequest;
  readonly hosts: Set<string>;
  readonly refused: Set<string>;
  /** Why a host that is allowed was not connected to. */
  readonly problems: Set<string>;
  readonly answers: Map<string, Promise<boolean>>;
}

/** Questions about hosts that one command can raise: a longer list would be confirmed without being read. */
const MAX_HOST_QUESTIONS = 10;
/** Hosts that the record of one command names. */
export const MAX_NAMED = 100;

/** A host is asked about once for each command, however often it is connected to. */
export async function allowsHost(
  host: string,
  port: number,
  asking: RunningRequest | undefined,
  { verdict }: NetworkRules,
): Promise<boolean> {
  const name = `${host}:${port}`;
  const said = verdict(host);
  const isAsked = said === 'ask' || said === 'always ask';
  const isAllowed = isAsked ? await askedAbout(host, port, said === 'always ask', asking) : said === 'allow';
  const named = isAllowed ? asking?.hosts : asking?.refused;
  if (named !== undefined && named.size < MAX_NAMED) named.add(name);
  return isAllowed;
}

async function askedAbout(
  host: string,
  port: number,
  isAlways: boolean,
  asking: RunningRequest | undefined,
): Promise<boolean> {
  const askHost = asking?.request.askHost;
  if (asking === undefined || askHost === undefined) return false;
  const { answers, problems } = asking;
  const name = `${host}:${port}`;
  const known = answers.get(name);
  if (known !== undefined) return known;
  if (answers.size >= MAX_HOST_QUESTIONS) {
    problems.add(`it wanted to reach more than ${MAX_HOST_QUESTIONS} hosts that no rule allows`);
    return false;
  }
  const answer = askHost(host, port, isAlways).catch(() => false);
  answers.set(name, answer);
  return answer;
}

export async function connectTo(
  host: string,
  port: number,
  { resolve, throughProxy }: NetworkRules,
): Promise<Socket> {
  // The user's proxy resolves names itself; IP literals and localhost are checked here.
  const known = isIP(host) !== 0 || /(?:^|\.)localhost$/i.test(host) ? await resolve(host) : undefined;
  const joined = await throughProxy?.(host, port);
  if (joined !== undefined) return joined;
  const addresses = known ?? (await resolve(host));
  const socket = connect({
    host,
    port,
    autoSelectFamily: true,
    lookup: (_host, { all }, callback) => {
      const [first] = addresses;
      if (all) callback(null, [...addresses]);
      else callback(null, first?.address ?? '', first?.family);
    },
  });
  return new Promise((done, fail) => {
    socket.once('connect', () => done(socket));
    socket.once('error', (error) => fail(new Error(`${host} cannot be reached: ${error.message}`)));
  });
}

/** In the spelling of every program: some know only lower case, some only upper case. */
export function proxyVariables(token: string, port: number): Record<string, string> {
  const proxy = `http://${token}:x@127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  const names = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
  return {
    ...Object.fromEntries(names.map((name) => [name, proxy])),
    no_proxy: direct,
    NO_PROXY: direct,
    NODE_USE_ENV_PROXY: '1',
  };
}
