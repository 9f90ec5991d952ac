/** What a driving program may change and read while its session runs. */
import { resolve } from 'node:path';
import * as z from 'zod';
import { SETTINGS_FLAG } from '../../config/flags.ts';
import { readServerFlags } from '../../config/mcpServers.ts';
import { realpath } from '../../disk/paths.ts';
import { openRealFile } from '../../disk/realFile.ts';
import { type HostServers, readHostServers } from '../../headless/driver/hostServers.ts';
import type { SessionPorts } from '../../headless/driver/sessionRequests.ts';
import { parseRule } from '../../permissions/rules/rules.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { OpenedSession } from '../openContext.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** `first`: the servers inside the driver that the session was opened with. */
export function createSessionPorts(
  opened: OpenedSession,
  { cwd, root }: Pick<AppPaths, 'cwd' | 'root'>,
  first: HostServers['servers'],
): SessionPorts {
  const { agent, permissions } = opened;
  let set: readonly McpServerSource[] = first;
  return {
    async setServers(servers) {
      const now = await serversIn(servers, cwd);
      const names = now.map(({ name }) => name);
      const before = set.map(({ name }) => name);
      set = now;
      await opened.setServers(now);
      return {
        added: names.filter((name) => !before.includes(name)),
        removed: before.filter((name) => !names.includes(name)),
      };
    },
    setRules(given) {
      const parsed = rulesSchema.safeParse(given);
      if (!parsed.success)
        throw new Error(
          'Of "permissions", only lists of rules can change in a session: allow, ask and deny.',
        );
      const rules = behaviors.flatMap((behavior) =>
        (parsed.data[behavior] ?? []).map((text) => ({ text, behavior, source: SETTINGS_FLAG, base: root })),
      );
      for (const { text } of rules) {
        const rule = parseRule(text);
        if ('error' in rule)
          throw new Error(`The rule "${text.slice(0, 200)}" cannot be used: ${rule.error}`);
      }
      permissions.replaceFlagRules(rules);
    },
    async readFile(path, maxBytes) {
      const absolute = resolve(agent.state().cwd ?? cwd, path);
      const real = realpath(absolute);
      const access = { type: 'read', paths: [absolute], realPaths: [real] } as const;
      // Reads only files that need no approval.
      const { behavior } = await permissions.decide(toolNames.read, access, agent.state().mode);
      return behavior === 'allow' ? readStart(absolute, real, maxBytes) : undefined;
    },
    reload: opened.refreshPlugins,
  };
}

const behaviors = ['allow', 'ask', 'deny'] as const;
const ruleList = z.array(z.string()).optional();
const rulesSchema = z.strictObject({ allow: ruleList, ask: ruleList, deny: ruleList });

const ofDriver = z.looseObject({ type: z.literal('sdk') });

/** Programs and addresses, and servers inside the driver (`"type": "sdk"`). Rejects with the first mistake. */
async function serversIn(
  servers: Readonly<Record<string, unknown>>,
  cwd: string,
): Promise<readonly McpServerSource[]> {
  const entries = Object.entries(servers);
  const isHosted = (value: unknown): boolean => ofDriver.safeParse(value).success;
  const hosted = readHostServers({
    sdkMcpServers: entries.filter(([, value]) => isHosted(value)).map(([name]) => name),
    sdkMcpServerConfigs: servers,
  });
  const mcpServers = Object.fromEntries(entries.filter(([, value]) => !isHosted(value)));
  const others = await readServerFlags([JSON.stringify({ mcpServers })], cwd);
  const [problem] = [...hosted.problems, ...others.problems.map(({ message }) => message)];
  if (problem !== undefined) throw new Error(problem);
  return [...hosted.servers, ...others.servers.map((one) => ({ ...one, source: 'the driving program' }))];
}

/** The beginning of a regular file; undefined if it cannot be read. */
async function readStart(path: string, real: string, maxBytes: number): ReturnType<SessionPorts['readFile']> {
  const file = await openRealFile(real).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { size } = await file.stat();
    if (!(await file.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(Math.min(size, maxBytes)) });
    return { path, bytes: buffer.subarray(0, bytesRead), isCut: size > maxBytes };
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}
