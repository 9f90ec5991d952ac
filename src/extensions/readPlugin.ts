/** Reads what a plugin's folder contains. Runs nothing, and reads nothing outside of the folder. */
import { join } from 'node:path';
import * as z from 'zod';
import { readSmallFile } from '../disk/readSmallFile.ts';
import {
  type McpServerDefinition,
  mcpServerNamePattern,
  sharedMcpServerSchema,
} from '../protocol/extensions/mcp.ts';
import type { PluginContents } from '../protocol/extensions/plugins.ts';
import { ONCE } from '../protocol/once.ts';
import { visibleLine } from '../protocol/text/visible.ts';
import { findPluginSkills, namesIn } from './findSkills.ts';

const MAX_BYTES = 200_000;
const MAX_SERVERS = 20;

/** A plugin's name: a part of the names of its skills and servers. */
export const pluginNamePattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

const manifestSchema = z.looseObject({
  name: z.string().max(30).regex(pluginNamePattern, 'lower-case letters, digits and hyphens'),
  description: z.string().optional(),
  version: z.string().optional(),
});

const serversSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).optional() });

/** Returns the contents, or one sentence that says why the folder is no plugin. */
export async function readPlugin(folder: string): Promise<PluginContents | string> {
  const text = await readSmallFile(join(folder, '.claude-plugin/plugin.json'), MAX_BYTES);
  if (text === undefined) return 'It has no .claude-plugin/plugin.json that can be read.';
  const manifest = manifestSchema.safeParse(jsonOf(text), ONCE);
  if (!manifest.success) {
    const [issue] = manifest.error.issues;
    return `Its .claude-plugin/plugin.json cannot be used: ${issue?.path.join('.') || 'it'}: ${visibleLine(issue?.message ?? 'invalid', 200)}.`;
  }
  const { name, description = '', version = '', ...rest } = manifest.data;
  const [skills, servers, top] = await Promise.all([
    findPluginSkills([{ name, folder }]),
    serversOf(folder, name, rest.mcpServers),
    namesIn(folder),
  ]);
  const kinds = { agents: 'subagents', hooks: 'hooks', 'output-styles': 'output styles' } as const;
  const unsupported = Object.entries(kinds).flatMap(([key, words]) =>
    top.some((entry) => entry.name === key) || rest[key] !== undefined ? [words] : [],
  );
  const moved = ['skills', 'commands'].filter((key) => rest[key] !== undefined);
  return {
    ...{ name, description: visibleLine(description, 300), version: visibleLine(version, 40) },
    skills: skills.skills.filter(({ kind }) => kind === 'skill').map((one) => one.name),
    commands: skills.skills.filter(({ kind }) => kind === 'command').map((one) => one.name),
    servers: servers.servers,
    problems: [
      ...(unsupported.length === 0 ? [] : [`Not supported and not used: ${unsupported.join(', ')}.`]),
      ...(moved.length === 0
        ? []
        : [`Only the standard folders are read: "${moved.join('", "')}" is ignored.`]),
      ...servers.problems,
      ...skills.problems.map(
        ({ file, message }) => `${visibleLine(file.slice(folder.length + 1), 100)}: ${message}`,
      ),
    ],
  };
}

/** The servers of `.mcp.json` and of the manifest, with `${CLAUDE_PLUGIN_ROOT}` filled in. */
async function serversOf(
  folder: string,
  plugin: string,
  inManifest: unknown,
): Promise<Pick<PluginContents, 'servers' | 'problems'>> {
  const text = await readSmallFile(join(folder, '.mcp.json'), MAX_BYTES);
  const shared = serversSchema.safeParse(text === undefined ? {} : jsonOf(text), ONCE);
  const own = z.record(z.string(), z.unknown()).safeParse(inManifest ?? {}, ONCE);
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
      const parsed = sharedMcpServerSchema.safeParse(value, ONCE);
      if (mcpServerNamePattern.test(name) && parsed.success)
        return [{ name, definition: inFolder(parsed.data as McpServerDefinition, folder) }];
      problems.push(`The MCP server ${JSON.stringify(written.slice(0, 40))} cannot be used.`);
      return [];
    });
  return { servers, problems };
}

/** How a definition names the plugin's folder. */
const PLUGIN_ROOT = /\$\{CLAUDE_PLUGIN_ROOT\}/g;

/** Fills in the plugin's folder. */
function inFolder(definition: McpServerDefinition, folder: string): McpServerDefinition {
  const text = JSON.stringify(definition, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(PLUGIN_ROOT, () => folder) : value,
  );
  return sharedMcpServerSchema.parse(JSON.parse(text), ONCE) as McpServerDefinition;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
