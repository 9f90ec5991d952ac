import type { DiskLookups } from '../policy.ts';
import { expandGlob } from './expandGlob.ts';
import { filesBelow, findUpwards, isDirectory, linksIn, listTree } from './filesBelow.ts';
import { holdsCredentials } from './gitCredentials.ts';
import { gitFolder, gitRunsPrograms, gitShows, includedSettings, trackedFiles } from './gitPrograms.ts';
import { realpathForAll } from './realpathForAll.ts';
import { toolsFolderNamed } from './toolVersions.ts';

/** Lookups on the real disk, and in git with the user's environment. */
export const diskLookups = (env: Readonly<Record<string, string | undefined>>): DiskLookups => ({
  realpath: realpathForAll,
  expandGlob,
  linksIn,
  listTree,
  isDirectory,
  filesBelow,
  findUpwards,
  toolsFolderNamed,
  gitFolder,
  holdsCredentials,
  gitIncludes: includedSettings,
  gitRunsPrograms,
  trackedFiles,
  gitShows: gitShows(env, realpathForAll),
});
