/** `clawdcode mcp …`: connects the subcommands with their dependencies. Loaded only when used. */
import { stateText } from '../../commands/extensions/mcp.ts';
import { editSettings } from '../../config/change/editSettings.ts';
import { definedServers, isFolderServer, SHARED_SERVERS_FILE, serverHash } from '../../config/mcpServers.ts';
import { settingsFiles } from '../../config/settingsFiles.ts';
import { forgetServers, rememberServer } from '../../config/trust.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { EXIT, type ExitCode } from '../../headless/exitCodes.ts';
import {
  type McpServerDefinition,
  type McpServerSource,
  type McpServerStatus,
  mcpServerNamePattern,
  mcpServerSchema,
  mcpTarget,
  mcpTransport,
} from '../../protocol/extensions/mcp.ts';
import { JITLESS, parseJson } from '../../protocol/json.ts';
import { shownText } from '../../ui/print/sanitize.ts';
import { usableServers } from '../mcp/approval.ts';
import { openServers } from '../mcp/openServers.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { keyVariables } from '../process/commandVariables.ts';
import { type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { trustIn } from '../startup.ts';
import { logIn, logOut, settingsOf } from './login.ts';
import { type AddFlags, createMcpProgram, type SavedScope, savedScopes } from './program.ts';

/** `argv`: the arguments after `mcp`. Returns the exit code. */
export async function mcpCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let code: ExitCode = EXIT.ok;
  const program = createMcpProgram(() => ({
    async add(name, target, args, flags) {
      code = await add(place, output, name, definitionOf(target, args, flags), flags.scope);
    },
    async addJson(name, json, { scope }) {
      code = await add(place, output, name, parseJson(json), scope);
    },
    async list() {
      code = await list(place, output);
    },
    async get(name) {
      code = await get(place, output, name);
    },
    async login(name, flags) {
      code = await logIn(place, output, name, flags);
    },
    async logout(name) {
      code = await logOut(place, output, name);
    },
    async resetChoices() {
      await forgetServers(place.dataRoot, place.root);
      await output.line("ClawdCode will ask about this folder's servers again at the next start.");
    },
    async remove(name, { scope }) {
      code = await remove(place, output, name, scope);
    },
  }));
  return (await parseSubcommand(program, argv, output)) ?? code;
}

function definitionOf(
  target: string,
  args: readonly string[],
  { transport, env, header }: AddFlags,
): unknown {
  const isAddress = transport === undefined ? /^https?:\/\//i.test(target) : transport !== 'stdio';
  const at = isAddress
    ? { type: transport ?? 'http', url: target, ...(header && { headers: header }) }
    : { type: 'stdio', command: target, args: [...args] };
  return { ...at, ...(env && { env }) };
}

async function add(
  place: AppPaths,
  output: Output,
  name: string,
  definition: unknown,
  scope: SavedScope,
): Promise<ExitCode> {
  if (!mcpServerNamePattern.test(name)) {
    output.say(`"${name}" is not a valid name: use letters, digits, - and single _, at most 40.`);
    return EXIT.badInput;
  }
  const checked = mcpServerSchema.safeParse(definition, JITLESS);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const where = issue?.path.join('.') ?? '';
    output.say(
      `This is not a server definition: ${where === '' ? '' : `${where}: `}${issue?.message ?? ''}.`,
    );
    return EXIT.badInput;
  }
  if ((await definedIn(place, scope)).some((one) => one.name === name)) {
    output.say(
      `${name} is already defined in ${fileOf(place, scope)}. Remove it first: clawdcode mcp remove ${name} -s ${scope}`,
    );
    return EXIT.badInput;
  }
  const saved = await write(place, scope, name, checked.data);
  if (saved.type === 'refused') {
    output.say(saved.message);
    return EXIT.failed;
  }
  // Adding a server approves it: the user has just typed its definition.
  const hash = serverHash({ name, definition: checked.data });
  if (scope !== 'user') await rememberServer(place.dataRoot, place.root, { name, hash, approved: true });
  await output.line(
    `Added ${name} (${mcpTransport(checked.data)}: ${mcpTarget(checked.data)}) to ${saved.file}.`,
  );
  if (scope !== 'user' && !(await trustIn(place)).isTrusted)
    output.hint('It is used once you trust this folder: run clawdcode here to decide.');
  return EXIT.ok;
}

async function remove(
  place: AppPaths,
  output: Output,
  name: string,
  scope: SavedScope | undefined,
): Promise<ExitCode> {
  const all = await Promise.all(
    savedScopes.map(async (one) => ({
      one,
      isThere: (await definedIn(place, one)).some((found) => found.name === name),
    })),
  );
  const found = all.filter(({ one, isThere }) => isThere && (scope === undefined || one === scope));
  const [first, second] = found;
  if (first === undefined) {
    output.say(`There is no MCP server ${name}${scope === undefined ? '' : ` in ${fileOf(place, scope)}`}.`);
    return EXIT.badInput;
  }
  if (second !== undefined) {
    output.say(
      `${name} is defined more than once. Choose one: ${found.map(({ one }) => `-s ${one}`).join(' or ')}.`,
    );
    return EXIT.badInput;
  }
  const saved = await write(place, first.one, name, undefined);
  if (saved.type === 'refused') {
    output.say(saved.message);
    return EXIT.failed;
  }
  await output.line(`Removed ${name} from ${saved.file}.`);
  return EXIT.ok;
}

async function list(place: AppPaths, output: Output): Promise<ExitCode> {
  const { loaded, trust } = await settingsOf(place, output);
  if (loaded.servers.length === 0 && loaded.heldServers.length === 0) {
    await output.line('No MCP servers. Define one with clawdcode mcp add; see docs/mcp.md.');
    return EXIT.ok;
  }
  const usable = usableServers(loaded, trust);
  const found = await tried(place, loaded, usable);
  for (const one of loaded.servers) {
    const status = usable.includes(one) ? found.find(({ name }) => name === one.name) : undefined;
    await output.line(
      shownText(`${one.name}  ${mcpTarget(one.definition)}  (${one.source})  ${stateOf(one, status)}`),
    );
  }
  for (const name of loaded.heldServers)
    await output.line(shownText(`${name}  not used: this folder is not trusted`));
  return EXIT.ok;
}

async function get(place: AppPaths, output: Output, name: string): Promise<ExitCode> {
  const { loaded, trust } = await settingsOf(place, output);
  const usable = usableServers(loaded, trust).filter((one) => one.name === name);
  const source = usable[0] ?? loaded.servers.find((one) => one.name === name);
  if (source === undefined) {
    const why = loaded.heldServers.includes(name)
      ? 'is not used: this folder is not trusted'
      : 'is not defined';
    output.say(`The MCP server ${name} ${why}.`);
    return EXIT.badInput;
  }
  const { definition } = source;
  const [status] = await tried(place, loaded, usable);
  // Show only names: the values may be secrets.
  const namesOf = (values: Readonly<Record<string, string>> = {}): string => Object.keys(values).join(', ');
  const facts: readonly (readonly [string, string])[] = [
    ['Server', name],
    ['State', stateOf(source, status)],
    ['Defined in', `${source.source} (${source.scope})`],
    ['Transport', mcpTransport(definition)],
    [definition.url === undefined ? 'Command' : 'Address', mcpTarget(definition)],
    ['Variables', namesOf(definition.env)],
    ['Headers', namesOf(definition.headers)],
    ['Tools', (status?.tools ?? []).map((tool) => tool.name).join(', ')],
  ];
  for (const [label, value] of facts)
    if (value !== '') await output.line(shownText(`${label.padEnd(11)} ${value}`));
  return EXIT.ok;
}

function stateOf(source: McpServerSource, status: McpServerStatus | undefined): string {
  if (status !== undefined) return stateText(status.state, status.tools.length);
  return `not used: ${isFolderServer(source) ? 'you have not approved it' : 'a server of this folder replaces it'}`;
}

/** Definitions in files are untrusted text. */
/** Milliseconds; longer than any server may take to start. */
const TRY_MS = 120_000;

/** Tries to connect to each server, returns their status, and closes all connections. */
async function tried(
  place: AppPaths,
  loaded: LoadedSettings,
  sources: readonly McpServerSource[],
): Promise<readonly McpServerStatus[]> {
  const ports = { canAskUser: false, secretEnv: keyVariables(loaded) };
  const servers = (await openServers(place, sources, ports)).current();
  if (servers === undefined) return [];
  const leave = servers.retain();
  await servers.connectAll(new AbortController().signal, TRY_MS);
  const found = servers.status();
  await leave();
  return found;
}

function fileOf(place: AppPaths, scope: SavedScope): string {
  return scope === 'project' ? `${place.root}/${SHARED_SERVERS_FILE}` : settingsFiles(place)[scope];
}

function definedIn(place: AppPaths, scope: SavedScope): Promise<readonly McpServerSource[]> {
  return definedServers(fileOf(place, scope), scope);
}

/** Writes one definition, or removes it if undefined. The rest of the file stays unchanged. */
function write(
  place: AppPaths,
  scope: SavedScope,
  name: string,
  definition: McpServerDefinition | undefined,
) {
  const change = { path: ['mcpServers', name], value: definition };
  return editSettings(fileOf(place, scope), scope, () => [change]);
}
