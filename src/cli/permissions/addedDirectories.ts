/** Decides which directories may be added to the workspace, and adds those of `/add-dir`. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DirectoryPort } from '../../commands/types.ts';
import type { AddedDirectories } from '../../config/addedDirectories.ts';
import { statOf } from '../../disk/fileLookups.ts';
import { placesGitSettings } from '../../disk/ownPrograms.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import type { ResolvedPath } from '../../disk/realFile.ts';
import { absolutePath } from '../../disk/settingsPaths.ts';
import { protectedName, protectionPlace } from '../../permissions/files/protectedNames.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { programPath } from '../process/lookUp.ts';
import { scriptsOfFolders } from './workspaceScripts.ts';

interface PortParts {
  readonly place: AppPaths;
  readonly added: AddedDirectories;
  /** True if the model must not see what is there unasked. */
  readonly isWithheld: (path: string) => boolean;
  /** Called when a directory belongs to the workspace. */
  readonly onAdded: (folder: string) => Promise<void>;
}

export function createDirectoryPort({ place, added, isWithheld, onAdded }: PortParts): DirectoryPort {
  const list = (): readonly string[] => [place.root, ...added.directories()];
  return {
    list,
    async add(written) {
      const { home, cwd, env } = place;
      const path = absolutePath(written, { home, root: cwd });
      const folder = realpath(path);
      const missing = missingDirectory(path, folder);
      const around = list().find((one) => isInside(folder, realpath(one)));
      if (missing === undefined && around !== undefined) return { type: 'known', folder, around };
      const refusal =
        missing ??
        directoryRefusal({ path, realPath: folder }, place, list(), isWithheld) ??
        lookUpRefusal(path, folder, env, list());
      if (refusal !== undefined) return { type: 'refused', message: refusal };
      // Before commands may write there.
      const found = await scriptsOfFolders(place, [folder]);
      if (added.directories().includes(folder)) return { type: 'added', folder };
      added.add(folder, found);
      await onAdded(folder);
      return { type: 'added', folder };
    },
  };
}

/**
 * Why a directory must not be added to the workspace, whether by `/add-dir`, on the command line or in settings; undefined
 * if it may, or already belongs to it.
 */
export function directoryRefusal(
  { path, realPath: folder }: ResolvedPath,
  { home, root, dataRoot }: Pick<AppPaths, 'home' | 'root' | 'dataRoot'>,
  workspace: readonly string[] = [root],
  isWithheld: (path: string) => boolean = isSensitive,
): string | undefined {
  if (workspace.some((one) => isInside(folder, realpath(one)))) return undefined;
  const missing = missingDirectory(path, folder);
  if (missing !== undefined) return missing;
  if (isInside(realpath(home), folder))
    return `${path} contains your home folder, with the keys and settings of other programs. Add a directory in it.`;
  const data = realpath(dataRoot);
  if (isInside(folder, data) || isInside(data, folder))
    return `${path} holds ClawdCode's own settings and sessions, which commands must not change.`;
  const name = protectedName(folder, protectionPlace(home, workspace, realpath, []));
  // A repository, such as a worktree in `.claude/worktrees`, is there to be worked on.
  if (name !== undefined && !existsSync(join(folder, '.git')))
    return `${path} is protected, because what is there controls ${name.usedBy}. To work there, start clawdcode in it.`;
  return isWithheld(folder) ? `${path} holds secrets, or a rule denies reading it.` : undefined;
}

function missingDirectory(path: string, folder: string): string | undefined {
  const info = statOf(folder);
  if (info === undefined) return `${path} does not exist.`;
  return info.isDirectory()
    ? undefined
    : `${path} is not a directory. Add the one that it is in: ${resolve(path, '..')}`;
}

/** Programs that are already running look programs and git settings up in these places. */
function lookUpRefusal(
  path: string,
  folder: string,
  env: AppPaths['env'],
  workspace: readonly string[],
): string | undefined {
  return outsideParts(env, workspace) === outsideParts(env, [...workspace, folder])
    ? undefined
    : `Your PATH or your git settings lead into ${path}, so it can only be added at the start: clawdcode --add-dir ${path}`;
}

/** The `PATH` and the variables for git that lead outside these folders. */
function outsideParts(env: AppPaths['env'], workspace: readonly string[]): string {
  const [root = '', ...added] = workspace;
  const ofGit = Object.entries(env).filter(([name, value = '']) =>
    placesGitSettings(name, value, env, workspace, realpath),
  );
  return JSON.stringify([programPath({ root, addedDirectories: () => added, env }), ofGit]);
}
