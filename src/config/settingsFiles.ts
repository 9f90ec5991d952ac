/** The files that settings come from, and the models that a layer names. Pure. */
import { join, relative } from 'node:path';
import type { ManagedSource } from './managed.ts';
import type { LoadedSettings, Values } from './types.ts';

export interface SettingsPaths {
  /** The data folder; `config.json` in it is the user's file. */
  readonly dataRoot: string;
  readonly home: string;
  /** The project's root: absolute, resolved. */
  readonly root: string;
  /** Where managed settings are; absent = the system's location. For tests only: nothing else moves them. */
  readonly managed?: ManagedSource | undefined;
}

/** The files that settings come from, lowest precedence first. */
export function settingsFiles({ dataRoot, root }: Pick<SettingsPaths, 'dataRoot' | 'root'>): {
  user: string;
  project: string;
  local: string;
} {
  return {
    user: join(dataRoot, 'config.json'),
    project: join(root, '.clawdcode.json'),
    local: join(root, '.clawdcode.local.json'),
  };
}

/** The path in messages: relative to the project or the home if it is inside. */
export function shownPath(path: string, { home, root }: Pick<SettingsPaths, 'home' | 'root'>): string {
  const below = (from: string): string | undefined => {
    const rest = relative(from, path);
    return rest === '' || rest.startsWith('..') ? undefined : rest;
  };
  const inProject = below(root);
  if (inProject !== undefined && !inProject.includes('/')) return inProject;
  const inHome = below(home);
  return inHome === undefined ? path : `~/${inHome}`;
}

/** True if the value of a setting comes from a file of the folder. */
export function namedByFolder(
  { files, sources }: Pick<LoadedSettings, 'files' | 'sources'>,
  key: 'statusLine' | 'notificationCommand',
): boolean {
  const source = sources[key] ?? sources[`${key}.command`];
  return files.some(({ layer, name }) => name === source && (layer === 'project' || layer === 'local'));
}

/** The models that a layer names; a pattern in `models` could cover any. */
export function modelsNamedIn({ model, fallbackModels, smallModel, models, providers }: Values): string[] {
  const ofProviders = Object.entries((providers ?? {}) as Record<string, Values>).flatMap(([name, one]) =>
    Object.keys(one.models ?? {}).map((id) => `${name}/${id}`),
  );
  const chosen = [model ?? [], fallbackModels ?? [], smallModel ?? []].flat() as string[];
  return [...chosen, ...Object.keys(models ?? {}), ...ofProviders].filter((id) => !id.includes('*'));
}
