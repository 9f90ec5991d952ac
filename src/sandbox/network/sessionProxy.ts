/** The proxy of one session: its commands reach the network through it, each with a separate token. */
import {
  allowsHost,
  connectTo,
  HostRefusedError,
  MAX_NAMED,
  openProxyRoute,
  type ProxyRoute,
  type RouteOptions,
  type RunningRequest,
} from './commandNetwork.ts';
import { createProxy } from './proxy.ts';

interface SessionProxy {
  /** Opens the proxy once; undefined if commands cannot have any network. */
  open(): Promise<ProxyRoute | undefined>;
  /** The opened one; undefined if it is not open yet. */
  current(): ProxyRoute | undefined;
  /** From now on, connections with this token belong to the command. */
  begin(token: string, command: RunningRequest): void;
  end(token: string): void;
  close(): void;
}

export function createSessionProxy(options: RouteOptions): SessionProxy {
  const { network } = options;
  let opened: Promise<ProxyRoute | undefined> | undefined;
  let current: ProxyRoute | undefined;
  const running = new Map<string, RunningRequest>();

  /**
   * Only this session's commands can connect: if a single one is running, the connection is its own even without a
   * token.
   */
  const asking = (token: string | undefined): RunningRequest | undefined => {
    const [only] = running.values();
    return running.get(token ?? '') ?? (running.size === 1 ? only : undefined);
  };

  const proxy = createProxy({
    knows: (token) => asking(token) !== undefined,
    allows: (host, port, token) => allowsHost(host, port, asking(token), network),
    connect: async (host, port, token) => {
      try {
        return await connectTo(host, port, network);
      } catch (error) {
        const problems = asking(token)?.problems;
        if (error instanceof HostRefusedError && problems !== undefined && problems.size < MAX_NAMED)
          problems.add(error.message);
        throw error;
      }
    },
    onMismatch: (host, port, token) => {
      const { refused, problems } = asking(token) ?? {};
      if (refused !== undefined && refused.size < MAX_NAMED) refused.add(`${host}:${port}`);
      if (problems !== undefined && problems.size < MAX_NAMED)
        problems.add(`its connection to ${host}:${port} requested another host, or hid the host name`);
    },
  });

  return {
    open() {
      opened ??= openProxyRoute(proxy, options)
        .catch(() => undefined)
        .then((route) => {
          current = route;
          return route;
        });
      return opened;
    },
    current: () => current,
    begin: (token, command) => void running.set(token, command),
    end: (token) => void running.delete(token),
    close() {
      proxy.close();
      proxy.closeAllConnections();
      void opened?.then((one) => one?.close());
    },
  };
}
