import { resolve } from 'node:path';
import type { HookSource } from '../protocol/extensions/hooks.ts';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import { checkValues } from './checkValues.ts';
import { readSettingsText } from './files.ts';
import { extractHooks } from './hooks.ts';
import { dropReserved } from './managed.ts';
import { extractServers } from './mcpServers.ts';
import { parseSettings } from './parseSettings.ts';
import type { Problem, SettingsRule, Values } from './types.ts';

/** Settings from the command line; paths are absolute, lists are already split. */
export interface SettingsFlags {
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly fallbackModels?: readonly string[] | undefined;
  readonly baseUrl?: string | undefined;
  readonly permissionMode?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly contextWindow?: number | undefined;
  readonly appendSystemPrompt?: string | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly addDirs?: readonly string[] | undefined;
}

export const ADD_DIR = '--add-dir';

const single = [
  { field: 'model', flag: '--model', path: ['model'] },
  { field: 'effort', flag: '--effort', path: ['effort'] },
  { field: 'fallbackModels', flag: '--fallback-model', path: ['fallbackModels'] },
  { field: 'baseUrl', flag: '--base-url', path: ['baseUrl'] },
  { field: 'permissionMode', flag: '--permission-mode', path: ['permissions', 'defaultMode'] },
  { field: 'maxTurns', flag: '--max-turns', path: ['maxTurns'] },
  { field: 'contextWindow', flag: '--context-window', path: ['contextWindow'] },
  { field: 'appendSystemPrompt', flag: '--append-system-prompt', path: ['appendSystemPrompt'] },
] as const satisfies readonly { field: keyof SettingsFlags; flag: string; path: readonly string[] }[];

/**
 * Reads the flags as a layer above the files and the environment. A bad value becomes a problem that names its flag.
 */
export function readFlags(
  flags: SettingsFlags,
  base: string,
): { values: Values; problems: Problem[]; rules: SettingsRule[]; sources: Record<string, string> } {
  const permissions: Values = {};
  const values: Values = { permissions };
  const problems: Problem[] = [];
  const sources: Record<string, string> = {};
  for (const { field, flag, path } of single) {
    const value = flags[field];
    if (value === undefined) continue;
    const [head, tail] = path as readonly [string, string?];
    const { complaints } = checkValues(
      tail === undefined ? { [head]: value } : { [head]: { [tail]: value } },
    );
    if (complaints.length > 0) {
      problems.push(...complaints.map(({ message }) => problem(flag, path.join('.'), message)));
      continue;
    }
    if (tail === undefined) values[head] = value;
    else permissions[tail] = value;
    sources[path.join('.')] = flag;
  }
  if (flags.addDirs !== undefined && flags.addDirs.length > 0) {
    permissions.additionalDirectories = [...flags.addDirs];
    sources['permissions.additionalDirectories'] = ADD_DIR;
  }
  const rules: SettingsRule[] = [
    ...(flags.allowedTools ?? []).map((text) => rule(text, 'allow', '--allowed-tools', base)),
    ...(flags.disallowedTools ?? []).map((text) => rule(text, 'deny', '--disallowed-tools', base)),
  ];
  return { values, problems, rules, sources };
}

function problem(flag: string, key: string, message: string): Problem {
  return { layer: 'flag', file: flag, key, message: `${flag}: ${message}` };
}

function rule(text: string, behavior: SettingsRule['behavior'], source: string, base: string): SettingsRule {
  return { text, behavior, source, base };
}

// `--settings`: a layer above the files and the environment, below the other flags. It is the user's own word.

export const SETTINGS_FLAG = '--settings';

interface FlagSettings {
  readonly values: Values;
  readonly servers: readonly McpServerSource[];
  readonly hooks: readonly HookSource[];
  readonly problems: readonly Problem[];
}

const noSettings: FlagSettings = { values: {}, servers: [], hooks: [], problems: [] };

/** Reads JSON text, or a file relative to `cwd`. Never rejects: mistakes become problems. */
export async function readSettingsFlag(value: string | undefined, cwd: string): Promise<FlagSettings> {
  if (value === undefined) return noSettings;
  let text = value;
  if (!/^\s*\{/.test(value)) {
    try {
      text = await readSettingsText(resolve(cwd, value));
    } catch (error) {
      const message = `${SETTINGS_FLAG}: ${value} cannot be read: ${(error as Error).message}`;
      return { ...noSettings, problems: [{ layer: 'flag', file: SETTINGS_FLAG, message }] };
    }
  }
  const { values, problems } = parseSettings(text, SETTINGS_FLAG, 'flag');
  const reserved = dropReserved(values, SETTINGS_FLAG, 'user');
  const found = extractHooks(values, 'flag', SETTINGS_FLAG);
  return {
    values,
    servers: extractServers(values, 'flag', SETTINGS_FLAG),
    hooks: found.hooks,
    problems: [...problems, ...reserved, ...found.problems],
  };
}

/** The names of the settings files for `--setting-sources`, lowest precedence first. Imports nothing: flags need it. */
export const settingSources = ['user', 'project', 'local'] as const;
export type SettingSource = (typeof settingSources)[number];
