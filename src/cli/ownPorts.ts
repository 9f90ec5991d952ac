/**
 * The loopback ports that ClawdCode or its settings talk to: endpoints, proxies, hooks, MCP servers, collectors,
 * logins, and ports named in commands of the settings. A service there may be down at the moment: a sandboxed command
 * that listened on its port must not receive its requests.
 */
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import { SHARED_SERVERS_FILE } from '../config/mcpServers.ts';
import type { LoadedSettings } from '../config/types.ts';
import { namesIn, readFileNow, statOf } from '../disk/fileLookups.ts';
import { localServers } from '../ui/onboarding/providers.ts';
import type { AppPaths } from './process/appPaths.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Model servers and collectors on well-known ports: a program that listened there instead would receive prompts. See
 * `localServers`.
 */
const MODEL_SERVERS = ['Ollama', 'LM Studio'];
const COLLECTOR_PORTS = [4317, 4318];

/** Settings about what commands and tools may reach; and variables, of which only some count. */
const NOT_OURS = new Set(['permissions', 'sandbox', 'webFetch', 'env']);
/** Variables that name a service which ClawdCode itself uses. */
const OUR_VARIABLE = /^OTEL_|_PROXY$|_BASE_URL$|^OLLAMA_HOST$/i;

/**
 * Returns a function that finds the ports. It reads all files again that have changed: settings of every layer and the
 * servers in them count, whether they apply or still wait for approval.
 */
export function createOwnPorts(
  { env, root, dataRoot }: Pick<AppPaths, 'env' | 'root' | 'dataRoot'>,
  { settings, files, hooks, servers }: Pick<LoadedSettings, 'settings' | 'files' | 'hooks' | 'servers'>,
): () => ReadonlySet<number> {
  const wellKnown = localServers.filter(({ name }) => MODEL_SERVERS.includes(name)).map((one) => one.baseUrl);
  // Includes sources without a file: flags, managed settings of the system, plugins.
  const fixed = [
    ...[wellKnown, hooks, servers].flatMap((value) => [...portsIn(value, env)]),
    ...portsIn(withoutOthers(settings), env),
    ...portsIn(variablesIn(env), env),
    ...COLLECTOR_PORTS,
  ];
  const always = [...files.map(({ path }) => path), join(root, SHARED_SERVERS_FILE)];
  const logins = join(dataRoot, 'credentials-mcp.json');
  const plugins = join(dataRoot, 'plugins');
  const known = new Map<string, { readonly stamp: string; readonly ports: ReadonlySet<number> }>();
  const portsOf = (path: string): ReadonlySet<number> => {
    const info = statOf(path);
    const stamp = info === undefined ? '' : `${info.ino} ${info.size} ${info.mtimeMs} ${info.ctimeMs}`;
    const before = known.get(path);
    if (before?.stamp === stamp) return before.ports;
    const text = info === undefined ? '' : (readFileNow(path, MAX_BYTES)?.toString('utf8') ?? '');
    const value: unknown = parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
    const ports = portsIn(path === logins ? value : withoutOthers(value), env);
    known.set(path, { stamp, ports });
    return ports;
  };
  return () => {
    const ofPlugins = namesIn(plugins).flatMap((name) =>
      PLUGIN_FILES.map((file) => join(plugins, name, file)),
    );
    return new Set([...fixed, ...[...always, logins, ...ofPlugins].flatMap((path) => [...portsOf(path)])]);
  };
}

const MAX_BYTES = 10_000_000;
/** Where plugins define hooks and servers. */
const PLUGIN_FILES = [SHARED_SERVERS_FILE, 'hooks/hooks.json', '.claude-plugin/plugin.json', 'plugin.json'];

/** The settings that ClawdCode uses itself. */
function withoutOthers(settings: unknown): unknown {
  if (typeof settings !== 'object' || settings === null) return undefined;
  const { env } = settings as { readonly env?: unknown };
  return [Object.entries(settings).filter(([key]) => !NOT_OURS.has(key)), variablesIn(env)];
}

const variablesIn = (env: unknown): unknown =>
  typeof env !== 'object' || env === null
    ? undefined
    : Object.entries(env).filter(([name]) => OUR_VARIABLE.test(name));

/**
 * The ports that any text in a value names with the loopback, or in a URL, whose host may be another name of it; and values
 * that are called a port. Of variables in a text, the values count.
 */
export function portsIn(value: unknown, env: Variables, key = ''): ReadonlySet<number> {
  const found = new Set<number>();
  const add = (port: unknown): void => {
    const number = Number(port);
    if (Number.isInteger(number) && number > 0 && number < 65_536) found.add(number);
  };
  if (/port$/i.test(key) && (typeof value === 'number' || typeof value === 'string')) add(value);
  if (typeof value === 'string') {
    const text = expanded(value, env);
    add(URL.parse(text)?.port);
    for (const pattern of [IN_URL, AT_LOOPBACK]) for (const [, port] of text.matchAll(pattern)) add(port);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value))
      for (const port of portsIn(inner, env, name)) found.add(port);
  }
  return found;
}

const IN_URL =
  /:\/\/(?:\[[^\]\s]*\]|[^\s/?#'"\\[\]]*?)(?::[^\s/?#'"\\@]*@[^\s/?#'":\\]*)?:0*(\d{1,5})(?!\d)/g;
const AT_LOOPBACK =
  /(?<![\w.-])(?:localhost|127(?:\.\d+){1,3}|0\.0\.0\.0|\[[:\da-f.]*\]|::1)["']?[:/\s,]+["']?0*(\d{1,5})(?![\d.])/gi;

/** `${NAME}`, `${NAME:-default}` and `$NAME`. */
const expanded = (text: string, env: Variables): string =>
  text.replace(
    /\$\{(\w+)(?::?-([^}]*))?\}|\$(\w+)/g,
    (_, name: string | undefined, ifMissing: string | undefined, plain: string | undefined) =>
      env[name ?? plain ?? ''] ?? ifMissing ?? '',
  );
