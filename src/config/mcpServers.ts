/**
 * The MCP servers that settings, `.mcp.json` and the command line define. A definition counts as a whole: of two with the
 * same name the nearer one does (user < project < local < flag < managed), and nothing of the other is mixed in.
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
} from '../protocol/mcp.ts';
import { ONCE } from '../protocol/once.ts';
import { readSettingsText } from './files.ts';
import type { Layer, Problem, Values } from './types.ts';

/** The file of a project that all agents read. */
export const SHARED_SERVERS_FILE = '.mcp.json';

/**
 * What trust in a folder agrees to where its files name servers, whatever these are: which of them are used is another
 * question, for each of them by its content.
 */
export const SERVERS_GRANT = 'you are asked about each before it is used.';

/** One file or flag that defines servers. */
export interface ServerFile {
  readonly servers: readonly McpServerSource[];
  readonly problems: readonly Problem[];
  /** The file names servers, usable or not. */
  readonly namesAny: boolean;
}

/** Takes `mcpServers` out of a layer's checked values: they are not merged like other settings. Changes `values`. */
export function takeServers(values: Values, scope: McpScope, source: string): McpServerSource[] {
  const { mcpServers = {} } = values as { mcpServers?: Record<string, McpServerDefinition> };
  delete values.mcpServers;
  return Object.entries(mcpServers).map(([name, definition]) => ({ name, definition, scope, source }));
}

/** Reads `.mcp.json` of a project. Never rejects: what is wrong with it is a problem. */
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

/** What a file defines at this moment, usable or shadowed; nothing where it cannot be read. */
export async function definedServers(
  file: string,
  scope: 'user' | 'project' | 'local',
): Promise<readonly McpServerSource[]> {
  const text = await readSettingsText(file).catch(() => '{}');
  return serversIn(text, { scope, layer: scope, source: file }).servers;
}

/** Reads what `--mcp-config` names: files, or JSON itself. Never rejects. */
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

/** Of each name the definition that counts. `strict`: only those of the command line and of managed settings. */
export function countingServers(found: readonly McpServerSource[], strict: boolean): McpServerSource[] {
  const rank = ({ scope }: McpServerSource): number => mcpScopes.indexOf(scope);
  const byName = new Map<string, McpServerSource>();
  for (const one of found) {
    if (strict && rank(one) < mcpScopes.indexOf('flag')) continue;
    const before = byName.get(one.name);
    if (before === undefined || rank(one) >= rank(before)) byName.set(one.name, one);
  }
  return [...byName.values()];
}

/** What an approval holds for: the same name with the same content, in whichever file. Variables are not filled in. */
export function serverHash({ name, definition }: Pick<McpServerSource, 'name' | 'definition'>): string {
  const sorted = JSON.stringify([name, definition], (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(sorted).digest('hex');
}

/** Whether a server comes with a folder, so that it needs the user's word. */
export function isOfFolder({ scope }: Pick<McpServerSource, 'scope'>): boolean {
  return scope === 'project' || scope === 'local';
}

interface Origin {
  readonly scope: McpScope;
  readonly layer: Layer;
  readonly source: string;
}

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/** Nobody writes more by hand; each costs a question. */
const MAX_SERVERS = 100;

/** A mistake costs the server that it is in. */
function serversIn(text: string, { scope, layer, source }: Origin): ServerFile {
  const errors: ParseError[] = [];
  const data: unknown = parse(text, errors, { allowTrailingComma: true });
  const file = fileSchema.safeParse(data, ONCE);
  if (errors.length > 0 || !file.success) {
    const what = errors.length > 0 ? 'is not JSON' : 'must be an object with "mcpServers" in it';
    return failed({ layer, file: source, message: `${source} ${what}, so it is ignored. Correct it.` });
  }
  const entries = Object.entries(file.data.mcpServers);
  const problems: Problem[] = [];
  const servers = entries.slice(0, MAX_SERVERS).flatMap(([name, value]): McpServerSource[] => {
    const parsed = sharedMcpServerSchema.safeParse(value, ONCE);
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
