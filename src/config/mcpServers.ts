/**
 * The MCP servers defined by settings, `.mcp.json` and the command line. Definitions are not merged: of two with the
 * same name the one with higher precedence applies in full (user < project < local < flag < managed). A folder's server
 * replaces the user's only once it is approved.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import * as z from 'zod';
import {
  type McpScope,
  type McpServerDefinition,
  type McpServerSource,
  mcpScopes,
  mcpServerNamePattern,
  sharedMcpServerSchema,
} from '../protocol/extensions/mcp.ts';
import { JITLESS } from '../protocol/json.ts';
import { readSettingsText } from './files.ts';
import { position } from './parseSettings.ts';
import type { Layer, Problem, Values } from './types.ts';

/** The project file that is shared with other agents. */
export const SHARED_SERVERS_FILE = '.mcp.json';

/**
 * The text of the grant for naming MCP servers in a trusted folder, whichever they are: each server still needs its own
 * approval, by its content.
 */
export const SERVERS_GRANT = 'you are asked about each before it is used.';

/**
 * The text of the grant for a server of `.mcp.json` that the user's settings for Claude Code enable by its name: the
 * whole definition, because the user is not asked about it separately.
 */
export const enabledServerGrant = ({ name, definition }: McpServerSource): string =>
  `${name}, used without another question because your ~/.claude/settings.json enables it: ${JSON.stringify(definition)}`;

interface ServerFile {
  readonly servers: readonly McpServerSource[];
  readonly problems: readonly Problem[];
  /** True if the file names servers, usable or not. */
  readonly namesAny: boolean;
}

/**
 * Removes `mcpServers` from a layer's checked values, since servers are not merged like other settings. Modifies
 * `values`.
 */
export function extractServers(values: Values, scope: McpScope, source: string): McpServerSource[] {
  const { mcpServers = {} } = values as { mcpServers?: Record<string, McpServerDefinition> };
  delete values.mcpServers;
  return Object.entries(mcpServers).map(([name, definition]) => ({ name, definition, scope, source }));
}

/** Reads the `.mcp.json` of a project. Never rejects: mistakes become problems. */
export async function readSharedServers(root: string): Promise<ServerFile> {
  const file = SHARED_SERVERS_FILE;
  try {
    const text = await readSettingsText(resolve(root, file));
    return serversIn(text, { scope: 'project', layer: 'project', source: file });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { servers: [], problems: [], namesAny: false };
    return failed({
      layer: 'project',
      file,
      message: `${file} cannot be read, so it is ignored: ${message}`,
    });
  }
}

/** The servers that a file defines now, including those that another file overrides; empty if it cannot be read. */
export async function definedServers(
  file: string,
  scope: 'user' | 'project' | 'local',
): Promise<readonly McpServerSource[]> {
  const text = await readSettingsText(file).catch(() => '{}');
  return serversIn(text, { scope, layer: scope, source: file }).servers;
}

/** Reads the values of `--mcp-config`: files, or inline JSON. Never rejects. */
export async function readServerFlags(values: readonly string[], cwd: string): Promise<ServerFile> {
  const layer = 'flag';
  const read = await Promise.all(
    values.map(async (value): Promise<ServerFile> => {
      const source = '--mcp-config';
      if (/^\s*\{/.test(value)) return serversIn(value, { scope: 'flag', layer, source });
      try {
        const text = await readSettingsText(resolve(cwd, value));
        return serversIn(text, { scope: 'flag', layer, source: `${source} ${value}` });
      } catch (error) {
        const message = `${source}: ${value} cannot be read: ${(error as Error).message}`;
        return failed({ layer, file: source, message });
      }
    }),
  );
  return {
    servers: read.flatMap(({ servers }) => servers),
    problems: read.flatMap(({ problems }) => problems),
    namesAny: read.some(({ namesAny }) => namesAny),
  };
}

/**
 * The definitions that may apply: the highest of each name, and the user's own below one of the folder, which may not be
 * approved. `strict`: only those of the command line and of managed settings.
 */
export function candidateServers(found: readonly McpServerSource[], strict: boolean): McpServerSource[] {
  const lowest = strict ? mcpScopes.indexOf('flag') : 0;
  const highest = effectiveServers(found.filter((one) => rankOf(one) >= lowest));
  return highest.flatMap((one) => {
    const own = isFolderServer(one)
      ? effectiveServers(found.filter(({ name, scope }) => name === one.name && scope === 'user'))
      : [];
    return [...own, one];
  });
}

/** The definition that applies for each name. */
export function effectiveServers(servers: readonly McpServerSource[]): McpServerSource[] {
  const byName = new Map<string, McpServerSource>();
  for (const one of servers) {
    const before = byName.get(one.name);
    if (before === undefined || rankOf(one) >= rankOf(before)) byName.set(one.name, one);
  }
  return [...byName.values()];
}

const rankOf = ({ scope }: McpServerSource): number => mcpScopes.indexOf(scope);

/**
 * Identifies the name and content for which a server is approved, regardless of the file. Variables are not expanded.
 */
export function serverHash({ name, definition }: Pick<McpServerSource, 'name' | 'definition'>): string {
  const sorted = JSON.stringify([name, definition], (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest('hex');
}

/** True if a server is defined by a folder, and so needs the user's approval. */
export function isFolderServer({ scope }: Pick<McpServerSource, 'scope'>): boolean {
  return scope === 'project' || scope === 'local';
}

interface Origin {
  readonly scope: McpScope;
  readonly layer: Layer;
  readonly source: string;
}

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/** Much more than a handwritten file has; each needs approval. */
const MAX_SERVERS = 100;

function placeOf(text: string, { offset }: ParseError): string {
  const { line, column } = position(text, offset);
  return `:${line}:${column}`;
}

/** A mistake disables only the server that contains it. */
function serversIn(text: string, { scope, layer, source }: Origin): ServerFile {
  const errors: ParseError[] = [];
  const data: unknown = parse(text, errors, { allowTrailingComma: true });
  const file = fileSchema.safeParse(data, JITLESS);
  if (errors.length > 0 || !file.success) {
    const [error] = errors;
    const what =
      error === undefined
        ? ' must be an object with "mcpServers" in it'
        : `${placeOf(text, error)} is not JSON`;
    return failed({ layer, file: source, message: `${source}${what}, so it is ignored. Correct it.` });
  }
  const entries = Object.entries(file.data.mcpServers);
  const problems: Problem[] = [];
  const servers = entries.slice(0, MAX_SERVERS).flatMap(([name, value]): McpServerSource[] => {
    const parsed = sharedMcpServerSchema.safeParse(value, JITLESS);
    const isNamed = mcpServerNamePattern.test(name);
    if (isNamed && parsed.success)
      return [{ name, definition: parsed.data as McpServerDefinition, scope, source }];
    const [issue] = parsed.error?.issues ?? [];
    const why = isNamed
      ? [issue?.path.join('.') ?? '', issue?.message ?? ''].filter((part) => part !== '').join(': ')
      : 'a name has letters, digits, - and single _ (at most 40)';
    const shown = JSON.stringify(name.slice(0, 60));
    const message = `${source}: the MCP server ${shown} is ignored: ${why}.`;
    problems.push({ layer, file: source, key: `mcpServers.${name}`, message });
    return [];
  });
  return { servers, problems: problems.slice(0, 5), namesAny: entries.length > 0 };
}

function failed(problem: Problem): ServerFile {
  return { servers: [], problems: [problem], namesAny: false };
}
