/** MCP servers inside the driving program: their definitions, and the channels to them as requests in both directions. */
import * as z from 'zod';
import {
  type McpServerSource,
  mcpServerNamePattern,
  type OpenHostChannel,
} from '../../protocol/extensions/mcp.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { DriverLink } from './driverLink.ts';

/** Limit for a program that names servers without end. */
const MAX_SERVERS = 100;

/** The permission rule for one of the host's tools. */
interface HostRule {
  readonly server: string;
  readonly tool: string;
  readonly behavior: 'ask' | 'deny';
}

export interface HostServers {
  readonly servers: readonly McpServerSource[];
  readonly rules: readonly HostRule[];
  /** Servers that cannot be used and why, ready to show. */
  readonly problems: readonly string[];
}

const policies = { always_ask: 'ask', always_deny: 'deny' } as const;
const config = z.looseObject({
  timeout: z.int().min(1000).optional().catch(undefined),
  tools: z
    .array(z.looseObject({ name: z.string().min(1).max(200), permission_policy: z.string().optional() }))
    .optional(),
});

/** Reads `sdkMcpServers` and `sdkMcpServerConfigs` of `initialize`. */
export function readHostServers(fields: Readonly<Record<string, unknown>>): HostServers {
  const names = z.array(z.string()).safeParse(fields.sdkMcpServers ?? []);
  const configs = z.record(z.string(), z.unknown()).safeParse(fields.sdkMcpServerConfigs ?? {});
  if (!names.success)
    return {
      servers: [],
      rules: [],
      problems: ['"sdkMcpServers" is not a list of names, so it is ignored.'],
    };
  const problems: string[] = [];
  const rules: HostRule[] = [];
  const servers = [...new Set(names.data)].slice(0, MAX_SERVERS).flatMap((name): McpServerSource[] => {
    const parsed = config.safeParse(configs.data?.[name] ?? {});
    const mistake = mcpServerNamePattern.test(name)
      ? parsed.error && 'its settings are invalid'
      : 'a name has letters, digits, - and single _ (at most 40)';
    if (mistake !== undefined) {
      problems.push(`The MCP server ${JSON.stringify(visibleLine(name, 60))} is left out: ${mistake}.`);
      return [];
    }
    const { timeout, tools = [] } = parsed.data ?? {};
    for (const { name: tool, permission_policy } of tools) {
      const behavior = Object.entries(policies).find(([policy]) => policy === permission_policy)?.[1];
      if (behavior !== undefined) rules.push({ server: name, tool, behavior });
    }
    const definition = timeout === undefined ? {} : { timeout };
    return [{ name, definition, scope: 'flag', source: 'the driving program', isHosted: true }];
  });
  if (names.data.length > MAX_SERVERS)
    problems.push(`Only the first ${MAX_SERVERS} MCP servers of the driving program are used.`);
  return { servers, rules, problems: problems.slice(0, 5) };
}

/** The channels to the driver's servers. */
export interface HostChannels {
  readonly open: OpenHostChannel;
  /** Passes on a message that a server sends unasked; false if nothing is connected to that server. */
  deliver(server: string, message: unknown): boolean;
}

const answered = z.looseObject({ mcp_response: z.unknown() });

export function createHostChannels({ ask }: Pick<DriverLink, 'ask'>): HostChannels {
  const listeners = new Map<string, (message: unknown) => void>();
  return {
    open: (server) => ({
      async send(message, signal) {
        const request = { subtype: 'mcp_message', server_name: server, message };
        const answer = await ask(request, signal);
        if (answer.ok) return answered.safeParse(answer.value).data?.mcp_response;
        if ('error' in answer) throw new Error(visibleLine(answer.error, 500));
        throw new Error('isGone' in answer ? 'The driving program has closed its side.' : 'Withdrawn.');
      },
      receive(listener) {
        if (listener === undefined) listeners.delete(server);
        else listeners.set(server, listener);
      },
    }),
    deliver(server, message) {
      const listener = listeners.get(server);
      listener?.(message);
      return listener !== undefined;
    },
  };
}
