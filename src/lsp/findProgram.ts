/** Finds a language server in a PATH, and the folder that it works in. */
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isExecutable, statOf } from '../disk/fileLookups.ts';
import { isInside, realpath } from '../disk/paths.ts';
import type { Candidate, ServerRow } from './serverTable.ts';

export interface FoundProgram {
  readonly candidate: Candidate;
  /** Absolute. */
  readonly program: string;
  /** The file that the candidate needs. */
  readonly needed?: string;
  /** The interpreter that the server may run. */
  readonly interpreter: string;
}

/** For settings that need an interpreter if there is none. */
const NO_INTERPRETER = '/nonexistent';

/**
 * Returns the first candidate that is installed, or why none can be used. `path` has no folders of a workspace; a link
 * in one of its folders must not lead into a workspace either.
 */
export function findProgram(
  { candidates, interpreters = [] }: ServerRow,
  path: string,
  workspaces: readonly string[],
): FoundProgram | { readonly problem: string } | undefined {
  const folders = path.split(delimiter).filter(isAbsolute);
  const isOutside = (file: string): boolean => !workspaces.some((folder) => isInside(realpath(file), folder));
  const interpreter =
    interpreters
      .flatMap((name) => folders.map((folder) => join(folder, name)))
      .find((file) => isExecutable(file) && isOutside(file)) ?? NO_INTERPRETER;
  let problem: string | undefined;
  for (const candidate of candidates) {
    const program = folders.map((folder) => join(folder, candidate.name)).find(isExecutable);
    if (program === undefined) continue;
    const real = realpath(program);
    if (!isOutside(program)) {
      problem ??= `${candidate.name} is a file of this folder, which is never started.`;
      continue;
    }
    if (candidate.needs === undefined) return { candidate, program, interpreter };
    const needed = neighbor(real, candidate.needs);
    if (needed !== undefined) return { candidate, program, needed, interpreter };
    // Before version 7, tsc is only a compiler: there is nothing to say about it.
    if (candidate.name !== 'tsc')
      problem ??= `${candidate.name} needs the package ${candidate.needs.split('/')[0]} (with ${candidate.needs}) installed next to it.`;
  }
  return problem === undefined ? undefined : { problem };
}

/** Finds a file of a package the way Node does: in the `node_modules` of the folders above. */
function neighbor(real: string, file: string): string | undefined {
  for (let at = dirname(real); at !== dirname(at); at = dirname(at)) {
    const path = join(at, 'node_modules', file);
    if (exists(path)) return realpath(path);
  }
  return undefined;
}

const exists = (path: string): boolean => statOf(path)?.isFile() === true;

/** Returns the nearest folder above the file, up to the workspace, that holds a marker; else the workspace. */
export function rootFor(path: string, { rootMarkers }: ServerRow, workspace: string): string {
  for (let at = dirname(path); isInside(at, workspace); at = dirname(at)) {
    if (rootMarkers.some((name) => exists(join(at, name)))) return at;
    if (at === workspace) break;
  }
  return workspace;
}
