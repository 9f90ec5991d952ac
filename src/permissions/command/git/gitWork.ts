/**
 * Determines the repositories in which the git commands of a line work. A repository that is not the workspace's own
 * may have been created by a command, and a background program may still change its hooks and settings. So whatever it
 * starts must not be able to change the git folder of another repository.
 */
import { basename, dirname, join } from 'node:path';
import { isInside } from '../../../disk/paths.ts';
import type { GitUse } from '../../../protocol/sandbox.ts';
import { locate } from '../../files/locate.ts';
import { isGitClient, isLikeGit } from '../../options/git/gitClients.ts';
import { subcommandAt } from '../../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../../policy.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import type { Visit } from '../../shell/workingDirectory.ts';
import { underItsName } from '../programOrigin.ts';
import { gitPlaceOf } from '../words.ts';
import { createdRepository } from './gitRepositories.ts';

type GitWork = Omit<Extract<GitUse, { type: 'only' }>, 'type'>;

/** A git folder, and the working directory in which git uses it. */
interface Used {
  readonly folder: string;
  readonly place?: string;
}

/** A repository that is known only at run time. */
const UNKNOWN = '';

/**
 * The work of all git commands of a line, even those that only read, since they also start what the settings name.
 * Undefined if they work in a foreign repository and in another one. `visits`: all parts of the line.
 */
export function gitWorkOf(visits: readonly Visit[], policy: Policy): GitWork | undefined {
  const created: string[] = [];
  const used = visits.flatMap((visit) => usedBy(visit, created, policy));
  const all = new Set(used.map(({ folder }) => folder));
  const foreign = [...all].filter((folder) => folder === UNKNOWN || !isOwnFolder(folder, policy));
  if (foreign.length > 0 && all.size > 1) return undefined;
  const [place, ...others] = new Set(used.map((one) => one.place));
  return {
    folders: [...all].filter((folder) => folder !== UNKNOWN),
    isForeign: foreign.length > 0,
    ...(place !== undefined && others.length === 0 && { place }),
  };
}

/** What a command uses. `created`: the repositories that the line creates; extended here. */
function usedBy(visit: Visit, created: string[], policy: Policy): readonly Used[] {
  const part = underItsName(visit.part);
  const [name] = part.argv;
  if (name == null || !isGitClient(name)) return [];
  const at = isLikeGit(name) ? subcommandAt(part.argv) : 0;
  // The word after `-C` is known only at run time.
  if (visit.directories === null || (at === 0 && part.argv.includes('-C'))) return [{ folder: UNKNOWN }];
  return visit.directories.flatMap((directory) => {
    const place = gitPlaceOf(part, at, directory, policy);
    const target = createdBy(part, at);
    if (place === undefined || target === null) return [{ folder: UNKNOWN }];
    const worktree = policy.realpath(locate(target ?? '.', place, policy));
    if (target !== undefined) created.push(worktree);
    return [{ folder: gitFolderAt(worktree, created, policy), place: worktree }];
  });
}

/** Like `createdRepository`, for every client. */
function createdBy({ argv }: CommandPart, at: number): string | null | undefined {
  if (at > 0) return createdRepository(argv, at);
  const isCloning =
    argv[1] === 'repo' && argv.slice(2).some((word) => /^(?:clone|fork|create)$/.test(word ?? ''));
  return isCloning ? null : undefined;
}

/** The git folder that git would find from a place once the line has created these repositories. */
function gitFolderAt(place: string, created: readonly string[], policy: Policy): string {
  const around = created.filter((worktree) => isInside(place, worktree));
  const [nearest] = [...around].sort((a, b) => b.length - a.length);
  const found = policy.gitFolder(place);
  if (nearest === undefined) return found ?? join(place, '.git');
  return found !== undefined && isInside(found, nearest) ? found : join(nearest, '.git');
}

/** True for the git folders of the workspace's own repositories, and those of their submodules and linked worktrees. */
export const isOwnFolder = (folder: string, policy: Policy): boolean =>
  workspaceFolders(policy).some((workspace) => {
    const own = policy.gitFolder(workspace);
    const top = join(policy.realpath(workspace), '.git');
    return folder === top || (own !== undefined && isInside(folder, commonOf(own, policy)));
  });

/** The git folder around that of a linked worktree: gitrepository-layout(5). */
function commonOf(folder: string, policy: Policy): string {
  const around = dirname(dirname(folder));
  const isLinked = basename(dirname(folder)) === 'worktrees' && policy.isDirectory(join(around, 'objects'));
  return isLinked ? around : folder;
}
