/** Reads what a plugin's folder contains. Runs nothing, and reads nothing outside of the folder. */
import { realpath } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import * as z from 'zod';
import { readSmallFile } from '../disk/realFile.ts';
import type { HookDefinition } from '../protocol/extensions/hooks.ts';
import {
  type McpServerDefinition,
  mcpServerNamePattern,
  sharedMcpServerSchema,
} from '../protocol/extensions/mcp.ts';
import type { PluginContents } from '../protocol/extensions/plugins.ts';
import { JITLESS, parseJson } from '../protocol/json.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import { findPluginAgents } from './findAgents.ts';
import { findPluginSkills, namesIn } from './findSkills.ts';

const MAX_BYTES = 200_000;
const MAX_SERVERS = 20;
/** Characters of a server's definition: an approval shows it in full. */
const MAX_SERVER = 4000;

/** A plugin's name: a part of the names of its skills and servers. */
export const pluginNamePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const manifestSchema = z.looseObject({
  name: z.string().max(30).regex(pluginNamePattern, 'lower-case letters, digits and hyphens'),
  description: z.string().optional(),
  version: z.string().optional(),
});

const serversSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() });

/** Reads the value of `hooks` in a settings file: what would run, and what is wrong with it. */
export type HookReader = (value: unknown) => {
  readonly hooks: readonly HookDefinition[];
  readonly problems: readonly string[];
};

/** Returns the contents, or one sentence that says why the folder is no plugin. */
export async function readPlugin(folder: string, readHooks: HookReader): Promise<PluginContents | string> {
  const text = await readSmallFile(join(folder, '.claude-plugin/plugin.json'), MAX_BYTES);
  if (text === undefined) return 'It has no .claude-plugin/plugin.json that can be read.';
  const manifest = manifestSchema.safeParse(parseJson(text), JITLESS);
  if (!manifest.success) {
    const [issue] = manifest.error.issues;
    return `Its .claude-plugin/plugin.json cannot be used: ${issue?.path.join('.') || 'it'}: ${visibleLine(issue?.message ?? 'invalid', 200)}.`;
  }
  const { name, description = '', version = '', ...rest } = manifest.data;
  const [skills, agents, hooks, servers, top] = await Promise.all([
    findPluginSkills([{ name, folder }]),
    findPluginAgents([{ name, folder }]),
    hooksOf(folder, rest.hooks, readHooks),
    serversOf(folder, name, rest.mcpServers),
    namesIn(folder),
  ]);
  const outputStyles = top.some((entry) => entry.name === 'output-styles') || rest.outputStyles !== undefined;
  const moved = ['skills', 'commands', 'agents'].filter((key) => !isStandard(rest[key], key));
  return {
    ...{ name, description: visibleLine(description, 300), version: visibleLine(version, 40) },
    skills: skills.skills.filter(({ kind }) => kind === 'skill').map((one) => one.name),
    commands: skills.skills.filter(({ kind }) => kind === 'command').map((one) => one.name),
    agents: agents.agents,
    hooks: hooks.hooks,
    servers: servers.servers,
    problems: firstOf([
      ...(outputStyles ? ['Not supported and not used: output styles.'] : []),
      ...(moved.length === 0
        ? []
        : [`Only the standard folders are read: "${moved.join('", "')}" is ignored.`]),
      ...hooks.problems,
      ...servers.problems,
      ...[...skills.problems, ...agents.problems].map(
        ({ file, message }) => `${visibleLine(file.slice(folder.length + 1), 100)}: ${message}`,
      ),
    ]),
  };
}

const MAX_PROBLEMS = 30;

function firstOf(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS;
  return more <= 0 ? problems : [...problems.slice(0, MAX_PROBLEMS), `… and ${more} more problems.`];
}

/** True if the manifest names nothing but the folder that is read anyway. */
function isStandard(value: unknown, folder: string): boolean {
  if (Array.isArray(value)) return value.every((one) => isStandard(one, folder));
  return (
    value === undefined || (typeof value === 'string' && /^(?:\.\/)?(.*?)\/?$/.exec(value)?.[1] === folder)
  );
}

/** Files of hooks that a manifest may name. */
const MAX_HOOK_FILES = 10;
/** All of them are shown. */
const MAX_HOOKS = 50;
const HOOKS_FILE = 'hooks/hooks.json';

/** The hooks of `hooks/hooks.json`, and those that the manifest contains or names files of. */
async function hooksOf(
  folder: string,
  inManifest: unknown,
  readHooks: HookReader,
): Promise<ReturnType<HookReader>> {
  const named = (Array.isArray(inManifest) ? inManifest : [inManifest]).filter((one) => one !== undefined);
  const problems: string[] = [];
  const files = new Set([resolve(folder, HOOKS_FILE)]);
  for (const one of named) if (typeof one === 'string') files.add(resolve(folder, one));
  const values: unknown[] = named.filter((one) => typeof one !== 'string').map(hooksIn);
  for (const file of [...files].slice(0, MAX_HOOK_FILES)) {
    const shown = file.startsWith(folder + sep) ? file.slice(folder.length + 1) : file;
    const text = await readInside(folder, file);
    if (text === undefined && shown === HOOKS_FILE) continue;
    const value = text === undefined ? undefined : hooksIn(parseJson(text));
    if (value === undefined)
      problems.push(`${visibleLine(shown, 100)} cannot be read as a file of hooks in the plugin.`);
    else values.push(value);
  }
  if (files.size > MAX_HOOK_FILES) problems.push(`Only ${MAX_HOOK_FILES} files of hooks are read.`);
  const read = values.slice(0, MAX_HOOKS).map(readHooks);
  const hooks = read.flatMap((one) => one.hooks);
  if (hooks.length > MAX_HOOKS || values.length > MAX_HOOKS)
    problems.push(`Only its first ${MAX_HOOKS} hooks are used.`);
  return {
    hooks: hooks.slice(0, MAX_HOOKS),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
}

/** The file's text, if neither its path nor a link leads out of the folder. */
async function readInside(folder: string, file: string): Promise<string | undefined> {
  const [root, real] = await Promise.all([realpath(folder), realpath(file).catch(() => undefined)]);
  return real?.startsWith(root + sep) === true ? readSmallFile(real, MAX_BYTES) : undefined;
}

/** Hooks by event, which are below `hooks` in files and may be in the manifest. */
function hooksIn(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'hooks' in value ? value.hooks : value;
}

/** The servers of `.mcp.json` and of the manifest. */
async function serversOf(
  folder: string,
  plugin: string,
  inManifest: unknown,
): Promise<Pick<PluginContents, 'servers' | 'problems'>> {
  const text = await readSmallFile(join(folder, '.mcp.json'), MAX_BYTES);
  const shared = serversSchema.safeParse(text === undefined ? {} : parseJson(text), JITLESS);
  const own = z.record(z.string(), z.unknown()).safeParse(inManifest ?? {}, JITLESS);
  const problems = [
    ...(shared.success ? [] : ['Its .mcp.json cannot be read, so its servers are not used.']),
    ...(own.success ? [] : ['Only servers that are written in the manifest or in .mcp.json are used.']),
  ];
  const all = {
    ...(shared.success ? (shared.data.mcpServers ?? {}) : {}),
    ...(own.success ? own.data : {}),
  };
  const servers = Object.entries(all)
    .slice(0, MAX_SERVERS)
    .flatMap(([written, value]) => {
      const name = `${plugin}-${written}`;
      const parsed = sharedMcpServerSchema.safeParse(value, JITLESS);
      const isShown = JSON.stringify(parsed.data ?? '').length <= MAX_SERVER;
      if (mcpServerNamePattern.test(name) && parsed.success && isShown)
        return [{ name, definition: parsed.data as McpServerDefinition }];
      problems.push(`The MCP server ${JSON.stringify(written.slice(0, 40))} cannot be used.`);
      return [];
    });
  return { servers, problems };
}

/** Fills in the folders of an installed plugin. */
export function inFolders(
  definition: McpServerDefinition,
  { root, data }: { readonly root: string; readonly data: string },
): McpServerDefinition {
  const text = JSON.stringify(definition, (_, value: unknown) =>
    typeof value === 'string'
      ? value.replace(/\$\{CLAUDE_PLUGIN_(ROOT|DATA)\}/g, (_, which) => (which === 'ROOT' ? root : data))
      : value,
  );
  return sharedMcpServerSchema.parse(JSON.parse(text), JITLESS) as McpServerDefinition;
}
