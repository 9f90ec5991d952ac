/** Looks through a workspace for repositories and for files that other programs obey. */
import { basename, join } from 'node:path';
import { lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { createIndexLook } from './indexLook.ts';

const MAX_REPOSITORIES = 50;
/** Of a folder that is obeyed as a whole. */
const MAX_ENTRIES = 100;

export interface Walked {
  /** Repositories below the folder, the nearest first and without it, and submodules wherever they are. */
  readonly repositories: readonly string[];
  /** What other programs obey, each with a stamp that is another once it has changed or been replaced. */
  readonly obeyed: ReadonlyMap<string, string>;
}

export interface ProjectRules {
  /** Whether other programs obey what a file says. */
  readonly isObeyed: (path: string) => boolean;
  /** Whether git, only asked for a status in a folder, would start programs. */
  readonly gitRunsPrograms: (folder: string) => boolean;
}

/** The stamp of a submodule in which git would start programs. */
export const RUNS_PROGRAMS = 'runs programs';

/** A function that looks at a folder; never throws. */
export function createProjectWalk({ isObeyed, gitRunsPrograms }: ProjectRules): (root: string) => Walked {
  const lookAtIndex = createIndexLook();
  const walk = createFolderWalk((path, entries) => {
    // A folder with a HEAD is a repository, whose settings git obeys there. Source: gitrepository-layout.
    const obeyed = entries
      .filter((entry) => (entry.name === 'HEAD' && entry.isFile()) || isObeyed(join(path, entry.name)))
      .map(({ name }) => name);
    const isRepository = entries.some(({ name }) => name === '.git');
    return { found: { obeyed, isRepository }, enters: (name) => !obeyed.includes(name) };
  });
  return (root) => {
    const folders = walk(root);
    const repositories = folders.filter(({ found }) => found.isRepository).map(({ path }) => path);
    // Git looks into a submodule for the status of what is around it, and runs what the settings in there name: a
    // repository that a command has made is obeyed from the moment on in which an index lists it, wherever it lies.
    const submodules = repositories
      .flatMap((at) => lookAtIndex(at).submodules)
      .filter((path) => lstatOf(join(path, '.git')) !== undefined)
      .slice(0, MAX_REPOSITORIES);
    return {
      repositories: [
        ...new Set([
          ...repositories.filter((path) => path !== root).slice(0, MAX_REPOSITORIES),
          ...submodules,
        ]),
      ],
      obeyed: new Map([
        ...folders.flatMap(({ path, found }) =>
          found.obeyed.map((name) => [join(path, name), stampOf(join(path, name))] as const),
        ),
        ...submodules.map(
          (path) => [join(path, '.git'), gitRunsPrograms(path) ? RUNS_PROGRAMS : ''] as const,
        ),
      ]),
    };
  };
}

/** The time is that of the change, which no program can set. */
function stampOf(path: string): string {
  const found = lstatOf(path);
  if (found === undefined) return '';
  if (!found.isDirectory()) return `${found.ino} ${found.ctimeNs}`;
  // Git writes into its folder constantly; the files in it that git obeys are protected separately.
  const entries = basename(path) === '.git' ? [] : namesIn(path).slice(0, MAX_ENTRIES);
  return [found.ino, ...entries.map((name) => `${name} ${lstatOf(join(path, name))?.ctimeNs}`)].join(' ');
}
