/** `--settings`: a layer above the files and the environment, below the other flags. It is the user's own word. */
import { resolve } from 'node:path';
import type { McpServerSource } from '../protocol/extensions/mcp.ts';
import { readSettingsText } from './files.ts';
import { takeServers } from './mcpServers.ts';
import { parseSettings } from './parseSettings.ts';
import { dropReserved } from './reserved.ts';
import type { Problem, Values } from './types.ts';

export const SETTINGS_FLAG = '--settings';

interface FlagSettings {
  readonly values: Values;
  readonly servers: readonly McpServerSource[];
  readonly problems: readonly Problem[];
}

/** Reads JSON text, or a file relative to `cwd`. Never rejects: mistakes become problems. */
export async function readSettingsFlag(value: string | undefined, cwd: string): Promise<FlagSettings> {
  if (value === undefined) return { values: {}, servers: [], problems: [] };
  let text = value;
  if (!/^\s*\{/.test(value)) {
    try {
      text = await readSettingsText(resolve(cwd, value));
    } catch (error) {
      const message = `${SETTINGS_FLAG}: ${value} cannot be read: ${(error as Error).message}`;
      return { values: {}, servers: [], problems: [{ layer: 'flag', file: SETTINGS_FLAG, message }] };
    }
  }
  const { values, problems } = parseSettings(text, SETTINGS_FLAG, 'flag');
  const reserved = dropReserved(values, SETTINGS_FLAG, 'user');
  return {
    values,
    servers: takeServers(values, 'flag', SETTINGS_FLAG),
    problems: [...problems, ...reserved],
  };
}
