/**
 * Checks the git folders of submodules. When git checks out a submodule (`git submodule update --init`), it reuses an
 * existing folder with its settings and hooks, so a command could prepare one.
 */
import { join } from 'node:path';
import { lstatOf, namesIn, readFileNow } from '../../../disk/fileLookups.ts';
import { isPlainSettings } from '../plainSettings.ts';
import type { AllGitFolders } from './moduleWalk.ts';

const MAX_BYTES = 2 ** 20;

/** The folders in which git would start programs; absolute. */
export function preparedModules({
  folders: [own],
  modules,
  links,
  unsearched,
}: AllGitFolders): readonly string[] {
  const prepared = modules.filter((folder) => runsPrograms(folder, join(own ?? folder, 'hooks')));
  return [...prepared, ...links, ...unsearched];
}

/** True if git would take this folder, which has no `.git`, for a bare repository and start programs in it. */
export const isPreparedBare = (folder: string): boolean =>
  lstatOf(join(folder, '.git')) === undefined &&
  ['HEAD', 'objects', 'refs'].every((name) => lstatOf(join(folder, name)) !== undefined) &&
  runsPrograms(folder);

/** `ownHooks`: the hooks of the surrounding repository. The user's template may have put the same ones into both. */
function runsPrograms(folder: string, ownHooks?: string): boolean {
  const isOther = (file: string): boolean => {
    const own = ownHooks === undefined ? null : readFileNow(join(ownHooks, file), MAX_BYTES);
    return own == null || readFileNow(join(folder, 'hooks', file), MAX_BYTES)?.equals(own) !== true;
  };
  const hooks = namesIn(join(folder, 'hooks')).filter((name) => !name.endsWith('.sample'));
  if (hooks.some(isOther)) return true;
  const settings = ['config', 'config.worktree', 'commondir'].map((name) => {
    const path = join(folder, name);
    const found = lstatOf(path);
    // A submodule may have such a name, too.
    if (found === undefined || found.isDirectory()) return '';
    const text = found.isFile() ? readFileNow(path, MAX_BYTES)?.toString('utf8') : undefined;
    return name === 'commondir' ? (text?.trim() === '.' ? '' : undefined) : text;
  });
  return settings.some((text) => text === undefined || !isPlainSettings(text));
}
