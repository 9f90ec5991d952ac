/**
 * The directories that belong to the workspace besides the project. `/add-dir` extends the
 * list in the settings during a session, so its users must not copy it. Each start has its own list.
 */
import { resolve } from 'node:path';
import type { AddedDirectory, DirectoryPort } from '../../commands/types.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { statOf } from '../../disk/fileLookups.ts';
import { placesGitSettings } from '../../disk/ownPrograms.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { absolutePath } from '../../disk/settingsPaths.ts';
import { protectedName, protectionPlace } from '../../permissions/files/protectedNames.ts';
import { type AppPaths, workspaceOf } from '../process/appPaths.ts';
import { programPath } from '../process/lookUp.ts';
import { scriptsOfFolders } from './workspaceScripts.ts';

/** Returns the settings with a list of directories that only this start extends. */
export function withOwnDirectories(loaded: LoadedSettings): LoadedSettings {
  const { settings } = loaded;
  const { permissions } = settings;
  const additionalDirectories = [...permissions.additionalDirectories];
  return { ...loaded, settings: { ...settings, permissions: { ...permissions, additionalDirectories } } };
}

/** Returns a function that calls `make` again once the list has grown. */
export function rebuiltOnGrowth<T>(list: readonly unknown[], make: () => T): () => T {
  let built: { readonly length: number; readonly value: T } | undefined;
  return () => {
    if (built?.length !== list.length) built = { length: list.length, value: make() };
    return built.value;
  };
}

interface PortParts {
  /** With the live list as its `addedDirectories`. */
  readonly place: AppPaths;
  readonly loaded: LoadedSettings;
  /** True if the model must not see what is there unasked. */
  readonly isWithheld: (path: string) => boolean;
  /** Called when a directory belongs to the workspace. */
  readonly onAdded: (folder: string) => Promise<void>;
}

export function createDirectoryPort({ place, loaded, isWithheld, onAdded }: PortParts): DirectoryPort {
  const { settings, scripts } = loaded;
  const { additionalDirectories } = settings.permissions;
  const list = (): readonly string[] =>
    workspaceOf({ root: place.root, addedDirectories: additionalDirectories });
  return {
    list,
    async add(written) {
      const { home, cwd } = place;
      const path = absolutePath(written, { home, root: cwd });
      const folder = realpath(path);
      const refusal =
        refusalOf(folder, path, list(), place) ?? (isWithheld(folder) ? secret(path) : undefined);
      if (refusal !== undefined) return refusal;
      // Before commands may write there.
      const found = await scriptsOfFolders(place, [folder]);
      if (additionalDirectories.includes(folder)) return { type: 'added', folder };
      scripts?.push(...found);
      additionalDirectories.push(folder);
      await onAdded(folder);
      return { type: 'added', folder };
    },
  };
}

function refusalOf(
  folder: string,
  path: string,
  workspace: readonly string[],
  { home, dataRoot, env }: AppPaths,
): AddedDirectory | undefined {
  const info = statOf(folder);
  if (info === undefined) return refused(`${path} does not exist.`);
  if (!info.isDirectory())
    return refused(`${path} is not a directory. Add the one that it is in: /add-dir ${resolve(path, '..')}`);
  const around = workspace.find((one) => isInside(folder, realpath(one)));
  if (around !== undefined) return { type: 'known', folder, around };
  if (isInside(realpath(home), folder))
    return refused(
      `${path} contains your home folder, with the keys and settings of other programs. Add a directory in it.`,
    );
  const data = realpath(dataRoot);
  if (isInside(folder, data) || isInside(data, folder))
    return refused(`${path} holds ClawdCode's own settings and sessions, which commands must not change.`);
  const name = protectedName(folder, protectionPlace(home, workspace, realpath));
  if (name !== undefined) return refused(`${path} is protected: ${name.usedBy} reads or runs what is there.`);
  // Programs that are already running have these variables.
  if (outsideParts(env, workspace) !== outsideParts(env, [...workspace, folder]))
    return refused(
      `Your PATH or your git settings lead into ${path}, so it can only be added at the start: clawdcode --add-dir ${path}`,
    );
  return undefined;
}

/** The `PATH` and the variables for git that lead outside these folders. */
function outsideParts(env: AppPaths['env'], [root = '', ...addedDirectories]: readonly string[]): string {
  const all = [root, ...addedDirectories];
  const ofGit = Object.entries(env).filter(([name, value = '']) =>
    placesGitSettings(name, value, env, all, realpath),
  );
  return JSON.stringify([programPath({ root, addedDirectories, env }), ofGit]);
}

const secret = (path: string): AddedDirectory =>
  refused(`${path} holds secrets, or a rule denies reading it.`);

const refused = (message: string): AddedDirectory => ({ type: 'refused', message });
