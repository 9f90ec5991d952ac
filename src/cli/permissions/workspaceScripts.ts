/**
 * The scripts that sessions in the workspace's folders may run outside the sandbox. Another session may have loaded
 * settings that this one has not: the user may trust a folder only there, or add it there as a directory. So every
 * session protects the scripts of all of them.
 */
import { createAddedDirectories } from '../../config/addedDirectories.ts';
import { loadSettings } from '../../config/loadSettings.ts';
import type { LoadedSettings } from '../../config/types.ts';
import { pathsInWorktree } from '../../disk/settingsPaths.ts';
import { type AppPaths, findRoot } from '../process/appPaths.ts';
import { readRecords } from './approvedRecords.ts';
import { executedFiles, programsIn } from './executedFiles.ts';

/** Projects name far fewer; without a limit, an untrusted repository could name any number. */
const MAX_FILES = 200;

/** Adds the files that settings in the workspace's folders run, approved or not, and those approved earlier. */
export async function withScriptsOfWorkspace(
  place: AppPaths,
  loaded: LoadedSettings,
): Promise<LoadedSettings> {
  const directories = loaded.added.directories();
  const scripts = await scriptsOfFolders(place, [place.root, ...directories]);
  return { ...loaded, added: createAddedDirectories(directories, scripts) };
}

/** Such files in these folders and the repositories around them. */
export async function scriptsOfFolders(
  { home, dataRoot, managed, env }: AppPaths,
  given: readonly string[],
): Promise<string[]> {
  const folders = [...new Set([...given, ...given.map(findRoot)])];
  const files = await Promise.all(
    folders.map(async (folder) => {
      const place = { home, dataRoot, root: folder, cwd: folder, managed, env };
      const all = await loadSettings({ ...place, trusted: true, flags: {} });
      const named = executedFiles(programsIn(all), { root: folder, home });
      return [...named.slice(0, MAX_FILES), ...Object.keys(readRecords(place).files)];
    }),
  );
  return [...new Set(files.flat())];
}

/** All files that settings run, for an agent that works in `root`: the project, or a worktree of it. */
export function scriptsIn(
  loaded: LoadedSettings,
  { project, root, home }: { readonly project: string; readonly root: string; readonly home: string },
): readonly string[] {
  const scripts = loaded.added.scripts();
  // An agent in a worktree also runs those of the project.
  const own = [...new Set([project, root])].flatMap((at) =>
    executedFiles(programsIn(loaded), { root: at, home }),
  );
  return [...new Set([...own, ...scripts, ...pathsInWorktree(scripts, { project, worktree: root })])];
}
