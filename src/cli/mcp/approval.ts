/**
 * Decides which of the folder's MCP servers may be used: those that the user has approved with exactly their current
 * definition.
 */
import { effectiveServers, isFolderServer, serverHash } from '../../config/mcpServers.ts';
import { type FolderTrust, readTrust, rememberServer } from '../../config/trust.ts';
import type { LoadedSettings, SettingsRule } from '../../config/types.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';
import { mcpTarget } from '../../protocol/extensions/mcp.ts';
import type { Boot, ServerQuestion } from '../../ui/types.ts';
import type { AppPaths } from '../process/appPaths.ts';

type Servers = Pick<LoadedSettings, 'servers' | 'enabledServers'>;

/** Returns the servers that may be used now. */
export function usableServers(loaded: Servers, trust: FolderTrust): McpServerSource[] {
  return effectiveServers(
    loaded.servers.filter((one) => !isFolderServer(one) || answerTo(one, loaded, trust) === true),
  );
}

/** Returns the servers that the user has not decided about. */
function undecidedServers(loaded: Servers, trust: FolderTrust): McpServerSource[] {
  return loaded.servers.filter((one) => isFolderServer(one) && answerTo(one, loaded, trust) === undefined);
}

/** The user's decision about a server of the folder; their answer to our own question overrides other programs'. */
function answerTo(
  server: McpServerSource,
  { enabledServers }: Servers,
  trust: FolderTrust,
): boolean | undefined {
  if (trust.serversAnswered.includes(server.name)) return trust.serverAnswer(server.name, serverHash(server));
  return enabledServers.includes(server.name) ? true : undefined;
}

/** The user's server that one of the folder with this name would replace. */
const ownServer = (name: string, { servers }: Pick<Servers, 'servers'>): McpServerSource | undefined =>
  servers.find((one) => one.name === name && one.scope === 'user');

/**
 * Returns a notice about servers that are not used, in a headless run or an untrusted folder; undefined if there are
 * none.
 */
export function leftOutNotice(loaded: LoadedSettings, trust: FolderTrust): string | undefined {
  const undecided = undecidedServers(loaded, trust).map(({ name }) => name);
  const names = [...loaded.heldServers, ...undecided];
  if (names.length === 0) return undefined;
  const [which, are] = names.length === 1 ? ['The MCP server', 'is'] : ['The MCP servers', 'are'];
  const why =
    loaded.heldServers.length > 0
      ? `${are} not used, because this folder is not trusted`
      : trust.other !== undefined
        ? `${are} not used, because this is not the folder that you decided about at this path`
        : `${are} not used, because you have not approved ${names.length === 1 ? 'it' : 'them'} yet`;
  const own = undecided.filter((name) => ownServer(name, loaded) !== undefined);
  const meanwhile = own.length === 0 ? '' : ` Your own ${own.slice(0, 10).join(', ')} is used instead.`;
  return `${which} ${names.slice(0, 10).join(', ')} ${why}; run clawdcode here to decide.${meanwhile}`;
}

/** Asks about one server after another, then continues with the answers. */
export async function askServers(
  place: AppPaths,
  loaded: LoadedSettings,
  trust: FolderTrust,
  next: (trust: FolderTrust) => Promise<Boot>,
): Promise<Boot> {
  const [server] = undecidedServers(loaded, trust);
  if (server === undefined) return next(trust);
  const question = questionOf(server, trust, loaded.rules, ownServer(server.name, loaded));
  return {
    type: 'server',
    question,
    async answer(approved) {
      const { name } = server;
      const { lines } = question;
      await rememberServer(place.dataRoot, place.root, { name, hash: serverHash(server), approved, lines });
      return askServers(place, loaded, await readTrust(place.dataRoot, place.root), next);
    },
  };
}

/** The question about a server, with what its tools may do without another one. `own`: the user's that it would replace. */
export function questionOf(
  { name, definition, source }: McpServerSource,
  trust: Pick<FolderTrust, 'serversAnswered'> & Partial<Pick<FolderTrust, 'serverLines' | 'other'>>,
  rules: readonly Pick<SettingsRule, 'text' | 'behavior' | 'source'>[],
  own?: McpServerSource,
): ServerQuestion {
  const { command, args: _, url, type, env = {}, headers = {}, ...rest } = definition;
  const target = mcpTarget(definition);
  const first =
    command === undefined
      ? `Connects to ${url ?? ''} (${type ?? 'http'})`
      : `Starts a program outside the sandbox: ${target}`;
  const pairs = (label: string, values: Readonly<Record<string, string>>): string[] =>
    Object.entries(values).map(([key, value]) => `${label} ${key}: ${value}`);
  const before = trust.serverLines?.(name);
  const others = Object.entries(rest).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return {
    name,
    source,
    lines: [
      ...(trust.other === undefined ? [] : ['This is not the folder that was at this path before.']),
      first,
      ...(own === undefined
        ? []
        : [`Replaces your own ${name} (${own.source}): ${mcpTarget(own.definition)}`]),
      ...rulesFor(name, rules),
      ...pairs('Variable', env),
      ...pairs('Header', headers),
      ...others,
    ],
    isChanged: trust.serversAnswered.includes(name),
    ...(before && { before }),
  };
}

/** Rules that were written for another server of this name would allow this one's calls. */
function rulesFor(server: string, rules: Parameters<typeof questionOf>[2]): readonly string[] {
  const names = new RegExp(`^(?:mcp__\\*|mcp__${server}(?:__.*)?)$`);
  const allowing = rules.flatMap(({ text, behavior, source: from }) =>
    behavior === 'allow' && names.test(text.trim()) ? [`${text.trim()} (${from})`] : [],
  );
  return allowing.length === 0 ? [] : [`Runs calls without asking you, by rules: ${allowing.join(', ')}`];
}
