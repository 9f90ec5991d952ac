/**
 * Owns the PATH on which ClawdCode looks up the programs that it starts by name: the user's, without folders that the
 * workspace controls.
 */
import { delimiter, join } from 'node:path';
import { statOf } from '../../disk/fileLookups.ts';
import type { OwnGit } from '../../disk/ownGit.ts';
import { ownProgramEnvironment, pathOutside } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/paths.ts';
import { type AppPaths, workspaceOf } from './appPaths.ts';

/** Directories that settings add are part of it once these have been read (`inWorkspace`). */
export type LookUpPlace = Pick<AppPaths, 'root' | 'addedDirectories' | 'env'>;

/** The user's environment with that PATH, for programs. */
export const ownEnvironment = (place: LookUpPlace): AppPaths['env'] =>
  ownProgramEnvironment(place.env, workspaceOf(place), realpath);

/** Git for this place. */
export const gitFor = (place: LookUpPlace): OwnGit => ({ env: place.env, workspace: workspaceOf(place) });

export const programPath = (place: LookUpPlace): string =>
  pathOutside(place.env, workspaceOf(place), realpath);

/** Folders in which systems and package managers install programs; they are never part of a workspace. */
const systemFolders = /^(?:\/usr|\/usr\/local|\/opt\/homebrew|\/run\/current-system\/sw)?\/bin\/?$/;

/** True if a program of that name is found in no folder that could turn out to be part of the workspace. */
export function isSystemProgram(name: string, place: LookUpPlace): boolean {
  const folder = programPath(place)
    .split(delimiter)
    .find((one) => statOf(join(one, name))?.isFile() === true);
  return folder !== undefined && systemFolders.test(folder);
}
