/** Decides which directories `/add-dir` may add to the workspace. */
import { resolve } from 'node:path';
import type { AddedDirectory, DirectoryPort } from '../../commands/types.ts';
import type { AddedDirectories } from '../../config/addedDirectories.ts';
import { statOf } from '../../disk/fileLookups.ts';
import { placesGitSettings } from '../../disk/ownPrograms.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { absolutePath } from '../../disk/settingsPaths.ts';
import { protectedName, protectionPlace } from '../../permissions/files/protectedNames.ts';
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
      const { home, cwd } = place;
      const path = absolutePath(written, { home, root: cwd });
      const folder = realpath(path);
      const refusal =
        refusalOf(folder, path, list(), place) ?? (isWithheld(folder) ? secret(path) : undefined);
      if (refusal !== undefined) return refusal;
      // Before commands may write there.
      const found = await scriptsOfFolders(place, [folder]);
      if (added.directories().includes(folder)) return { type: 'added', folder };
      added.add(folder, found);
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
  const name = protectedName(folder, protectionPlace(home, workspace, realpath, []));
  if (name !== undefined) return refused(`${path} is protected: ${name.usedBy} reads or runs what is there.`);
  // Programs that are already running have these variables.
  if (outsideParts(env, workspace) !== outsideParts(env, [...workspace, folder]))
    return refused(
      `Your PATH or your git settings lead into ${path}, so it can only be added at the start: clawdcode --add-dir ${path}`,
    );
  return undefined;
}

/** The `PATH` and the variables for git that lead outside these folders. */
function outsideParts(env: AppPaths['env'], workspace: readonly string[]): string {
  const [root = '', ...added] = workspace;
  const ofGit = Object.entries(env).filter(([name, value = '']) =>
    placesGitSettings(name, value, env, workspace, realpath),
  );
  return JSON.stringify([programPath({ root, addedDirectories: () => added, env }), ofGit]);
}

const secret = (path: string): AddedDirectory =>
  refused(`${path} holds secrets, or a rule denies reading it.`);

const refused = (message: string): AddedDirectory => ({ type: 'refused', message });
