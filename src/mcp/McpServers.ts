/** All servers of the program, for every session that it opens: connected in parallel, on first need. */
import type { McpPort, McpServerSource } from '../protocol/mcp.ts';
import type { Tool } from '../protocol/tools.ts';
import { type McpDeps, McpServer } from './McpServer.ts';

/** Requests wait for servers until so long after they were started; what comes later is offered from then on. */
export const SETTLE_MS = 5000;

export class McpServers implements McpPort {
  readonly #servers: readonly McpServer[];
  /** Sessions that use them. */
  #users = 0;
  #startedAtMs: number | undefined;

  constructor(sources: readonly McpServerSource[], deps: McpDeps) {
    this.#servers = sources.map((source) => new McpServer(source, deps));
  }

  /** What is known at this moment; names differ, since names of servers do. */
  tools(): readonly Tool[] {
    return this.#servers.flatMap((server) => server.tools());
  }

  status(): ReturnType<McpPort['status']> {
    return this.#servers.map((server) => server.status());
  }

  /** Begins to connect to all of them, once. */
  start(): void {
    if (this.#startedAtMs !== undefined) return;
    this.#startedAtMs = performance.now();
    for (const server of this.#servers) server.connect().catch(() => undefined);
  }

  async settle(signal: AbortSignal, timeoutMs = SETTLE_MS): Promise<void> {
    this.start();
    const under = this.#servers.filter((server) => server.status().state.type === 'connecting');
    // Waited for once: a server that hangs does not delay the requests that follow.
    const leftMs = (this.#startedAtMs ?? 0) + timeoutMs - performance.now();
    if (under.length === 0 || signal.aborted || leftMs <= 0) return;
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const timer = setTimeout(stop, leftMs);
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([stopped, Promise.allSettled(under.map((server) => server.connect()))]);
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }

  async reconnect(name: string): Promise<ReturnType<McpServer['status']>['state'] | undefined> {
    const server = this.#servers.find(({ source }) => source.name === name);
    if (server === undefined) return undefined;
    await server.disconnect();
    await server.connect().catch(() => undefined);
    return server.status().state;
  }

  /** A session begins to use them; what it calls when it ends. The last one ends all connections. */
  retain(): () => Promise<void> {
    this.#users++;
    let isOver = false;
    return async () => {
      if (isOver) return;
      isOver = true;
      this.#users--;
      if (this.#users > 0) return;
      await Promise.all(this.#servers.map((server) => server.close()));
    };
  }
}
