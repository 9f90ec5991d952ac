/** Servers as the program has them, and calls of their tools as the agent makes them. */
import { onTestFinished } from 'vitest';
import type { McpDeps } from '../../../src/mcp/McpServer.ts';
import { McpServers } from '../../../src/mcp/McpServers.ts';
import type { McpScope, McpServerDefinition } from '../../../src/protocol/extensions/mcp.ts';
import type { ToolContext, ToolOutcome } from '../../../src/protocol/tools.ts';

export interface Bench {
  readonly servers: McpServers;
  call(tool: string, input?: object, context?: Partial<ToolContext>): Promise<ToolOutcome>;
  /** Live output of the calls. */
  readonly output: string[];
}

/**
 * Connects the servers of these definitions and waits until all have settled; closed when the test ends, or `atEnd` of
 * what uses them.
 */
export async function openBench(
  definitions: Readonly<Record<string, McpServerDefinition>>,
  deps: Partial<McpDeps> = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
  scope: McpScope = 'user',
): Promise<Bench> {
  const sources = Object.entries(definitions).map(([name, definition]) => ({
    ...{ name, definition, scope, source: 'config.json' },
  }));
  const servers = new McpServers(sources, {
    version: '1.2.3',
    root: import.meta.dirname,
    variables: {},
    env: { PATH: process.env.PATH ?? '' },
    fetchFor: () => (url, init) => fetch(url, init),
    connectTimeoutMs: 20_000,
    ...deps,
  });
  atEnd(servers.retain());
  await servers.connectAll(new AbortController().signal, 30_000);
  const output: string[] = [];
  return {
    servers,
    output,
    async call(tool, input = {}, context = {}) {
      const found = servers.tools().find(({ name }) => name === tool);
      if (found === undefined) throw new Error(`There is no ${tool}: ${JSON.stringify(servers.status())}`);
      const prepared = await found.prepare(input, {
        signal: new AbortController().signal,
        onOutput: (text: string) => output.push(text),
        seesImages: () => true,
        ...context,
      } as ToolContext);
      if (prepared.type === 'invalid') throw new Error(prepared.message);
      return prepared.run({ basis: 'user' });
    },
  };
}
