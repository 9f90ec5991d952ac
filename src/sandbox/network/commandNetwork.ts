/** Controls what confined commands can reach: single hosts, through this process's proxy. */
import type { Server } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { CommandRequest, HostVerdict } from '../../protocol/sandbox.ts';
import { find } from '../probe.ts';
import { PortForwarder } from './PortForwarder.ts';
import { notedPorts, openPortNotes } from './portNotes.ts';
import { SessionNetwork } from './SessionNetwork.ts';

/** The host is allowed, but its addresses are not. */
export class HostRefusedError extends Error {
  override readonly name = 'HostRefusedError';
}

export interface NetworkRules {
  readonly verdict: (host: string) => HostVerdict;
  /** The addresses of a host that may be connected to; rejects with a `HostRefusedError` if they are not allowed. */
  readonly resolve: (host: string) => Promise<readonly { address: string; family: number }[]>;
  readonly localPorts: readonly number[];
  /** Whether servers of background commands get their ports on this machine's loopback. */
  readonly forwardPorts: boolean;
  /**
   * The ports that must currently not be forwarded: the user's programs send prompts, keys or all their traffic there.
   */
  readonly reservedPorts: () => Iterable<number>;
  /** Where sessions record their ports for each other; absent = there are no other sessions. */
  readonly portNotes?: string;
  /** Connects through the user's own proxy; undefined if the host is reached directly. */
  readonly throughProxy?: (host: string, port: number) => Promise<Socket | undefined>;
}

/** How confined commands reach the proxy. */
export interface ProxyRoute {
  readonly port: number;
  /** Arguments to put before a program so that it can reach the proxy. */
  enter(): readonly string[];
  /** Arguments to put before a program so that it can set mounts for a process that was started with `enter`. */
  enterMounts?(pid: number): readonly string[];
  close(): void;
  /** Forwards ports of background servers to this machine's loopback; only if commands have their own network. */
  readonly forwarder?: PortForwarder;
}

/** Programs are looked up in `path`; `node` is absolute. */
export interface RouteOptions {
  readonly platform: NodeJS.Platform;
  readonly path: string;
  readonly node: string;
  readonly network: NetworkRules;
}

/** Undefined if commands cannot have any network. */
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
  const { localPorts, reservedPorts, portNotes } = network;
  const joined = await SessionNetwork.open({ bwrap, nsenter, node, proxy, localPorts });
  const enter = (): readonly string[] => joined.enter();
  const notes = portNotes === undefined ? undefined : openPortNotes(portNotes);
  const forwarder = new PortForwarder({
    enter,
    node,
    ownPorts: () =>
      new Set([
        ...[joined.port, ...localPorts, ...reservedPorts()],
        ...(portNotes === undefined ? [] : notedPorts(portNotes, 'needs')),
      ]),
    onForwarded: (forwards) => notes?.write({ forwards, needs: reservedPorts() }),
  });
  notes?.write({ forwards: [], needs: reservedPorts() });
  const close = (): void => {
    forwarder.close();
    notes?.close();
    joined.close();
  };
  return { port: joined.port, enter, enterMounts: (pid) => joined.enterMounts(pid), close, forwarder };
}

/** The proxy's data about a running command. */
export interface RunningRequest {
  readonly request: CommandRequest;
  readonly hosts: Set<string>;
  readonly refused: Set<string>;
  /** Why connections to allowed hosts failed. */
  readonly problems: Set<string>;
  readonly answers: Map<string, Promise<boolean>>;
}

/** Maximum hosts that one command may ask about: a longer list would be approved without reading. */
const MAX_HOST_QUESTIONS = 10;
/** Maximum hosts in the record of one command. */
export const MAX_NAMED = 100;

/** Decides about a host. Asks once per command, however often it connects. */
export async function allowsHost(
  host: string,
  port: number,
  asking: RunningRequest | undefined,
  { verdict }: NetworkRules,
): Promise<boolean> {
  const name = `${host}:${port}`;
  const decided = verdict(host);
  const isAsked = decided === 'ask' || decided === 'always ask';
  const isAllowed = isAsked ? await askedAbout(host, port, () => verdict(host), asking) : decided === 'allow';
  const named = isAllowed ? asking?.hosts : asking?.refused;
  if (named !== undefined && named.size < MAX_NAMED) named.add(name);
  return isAllowed;
}

async function askedAbout(
  host: string,
  port: number,
  verdict: () => HostVerdict,
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
  const answer = askHost(host, port, verdict).catch(() => false);
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

/** In every spelling: some programs know only lower case, some only upper case. */
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
