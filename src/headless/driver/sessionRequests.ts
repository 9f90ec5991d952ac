/** Requests that change the session's MCP servers, the settings of `--settings`, skills and plugins. */
import type { CommandHost } from '../../commands/types.ts';
import type { Effort } from '../../protocol/models/wires.ts';

/** What the driving program may change in the session: no more than flags can at the start. */
export interface SessionPorts {
  /**
   * Replaces the MCP servers that the driver has set, including those inside it. Rejects with the mistake in the
   * definitions; then nothing has changed.
   */
  setServers(servers: Readonly<Record<string, unknown>>): Promise<ChangedServers>;
  /** Replaces the permission rules of `--settings`. Throws the mistake; then nothing has changed. */
  setRules(permissions: unknown): void;
  /**
   * Reads a file that the Read tool could read without approval; undefined if it could not. `path` is relative to the
   * working directory.
   */
  readFile(path: string, maxBytes: number): Promise<ReadFile | undefined>;
  /** Reads skills, agents and plugins again. */
  reload(): Promise<void>;
}

interface ChangedServers {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

interface ReadFile {
  /** Absolute. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** The file is longer. */
  readonly isCut: boolean;
}

/** Milliseconds to wait for new servers, whose state the response contains. */
const CONNECT_MS = 30_000;

/** Answers `mcp_set_servers`. */
export async function setServers(
  servers: Readonly<Record<string, unknown>>,
  host: CommandHost,
  ports: SessionPorts,
): Promise<object> {
  const { added, removed } = await ports.setServers(servers);
  await host.mcp?.connectAll(new AbortController().signal, CONNECT_MS);
  const failed = (host.mcp?.status() ?? []).flatMap(({ name, state }) =>
    added.includes(name) && state.type === 'failed' ? [[name, state.reason] as const] : [],
  );
  return { added, removed, errors: Object.fromEntries(failed) };
}

/** The settings that can change in a session; null = what applies without `--settings`. */
interface FlagSettings {
  readonly model?: string | null | undefined;
  readonly effortLevel?: Effort | null | undefined;
  readonly permissions?: unknown;
}

/** Answers `apply_flag_settings`. `firstModel` is the one that the session began with. */
export function applySettings(
  { model, effortLevel, permissions }: FlagSettings,
  { agent }: Pick<CommandHost, 'agent'>,
  ports: Pick<SessionPorts, 'setRules'>,
  firstModel: string,
): void {
  // Steps that can fail come first: after an error the driver is told that nothing has changed.
  if (permissions !== undefined) ports.setRules(permissions ?? {});
  if (model !== undefined) agent.submit({ type: 'set_model', model: model ?? firstModel });
  if (effortLevel !== undefined)
    agent.submit({ type: 'set_effort', ...(effortLevel === null ? {} : { effort: effortLevel }) });
}

/** Bytes that `read_file` returns by default, and at most. */
const READ_BYTES = 1024 * 1024;
const MAX_READ_BYTES = 32 * READ_BYTES;

/** Answers `read_file`; undefined if the file cannot be read. */
export async function readFile(
  path: string,
  encoding: 'utf-8' | 'base64',
  maxBytes: number | undefined,
  ports: Pick<SessionPorts, 'readFile'>,
): Promise<object | undefined> {
  const read = await ports.readFile(path, Math.min(maxBytes ?? READ_BYTES, MAX_READ_BYTES));
  if (read === undefined) return undefined;
  const bytes = Buffer.from(read.bytes);
  const head = { absPath: read.path, ...(read.isCut ? { truncated: true } : {}), requested_path: path };
  if (encoding === 'base64') return { contents: bytes.toString('base64'), ...head, encoding };
  const contents = bytes.toString('utf8');
  return { contents, ...head, lossy: !Buffer.from(contents).equals(bytes) };
}

/** The slash commands, as `initialize` and the reloading requests list them. */
export const commandList = ({ commands }: Pick<CommandHost, 'commands'>): readonly object[] =>
  commands.map(({ name, description, argumentHint = '', aliases, isPrompt }) => ({
    name,
    description,
    argumentHint,
    ...(aliases.length === 0 ? {} : { aliases }),
    ...(isPrompt === true ? {} : { builtin: true }),
  }));
