/**
 * Decides whether a command may change git folders in the sandbox: only if it runs nothing but git and programs that do
 * not write there. Anything else could leave files in a git folder that make the user's next git command run programs
 * or write elsewhere. Errs on the side of no.
 */
import type { GitUse } from '../../../protocol/sandbox.ts';
import { inWorkspace } from '../../files/fileDecision.ts';
import { locate } from '../../files/locate.ts';
import { isGitClient, isLikeGit } from '../../options/git/gitClients.ts';
import { subcommandAt } from '../../options/riskyOptions.ts';
import type { Policy } from '../../policy.ts';
import { readOnlyUse } from '../../readOnly/readOnly.ts';
import { hasSafeEnvironment } from '../../rules/commandRule.ts';
import { isHarmlessAssignment, isPlainVariable } from '../../shell/assignments.ts';
import type { CommandPart, ParsedCommand } from '../../shell/parsedCommand.ts';
import { track, type Visit } from '../../shell/workingDirectory.ts';
import { comesFromProject, underItsName } from '../programOrigin.ts';
import { isNoFile } from '../treeDecision.ts';
import { clientUse, isInGitFolder, type PartUse } from './gitClientUse.ts';
import { addedRemote } from './gitRepositories.ts';
import { gitWorkOf } from './gitWork.ts';

/** Pure, except for the lookups of the policy. */
export function gitUseOf(parsed: ParsedCommand, cwd: string, policy: Policy): GitUse {
  if (!parsed.ok) return { type: 'none' };
  const visits = track(parsed.parts, cwd, policy);
  const added = new Set<string>();
  const uses = visits.map((visit) => {
    const use = partUse(visit, policy, added);
    const { argv } = visit.part;
    const remote = use === 'changes' ? addedRemote(argv, subcommandAt(argv)) : undefined;
    if (remote !== undefined) added.add(remote);
    return use;
  });
  if (!uses.includes('changes')) return { type: 'none' };
  const isAlone = uses.every((use) => use === 'changes' || use === 'nothing');
  const written = parsed.writes.filter((path) => path === null || !isOutput(path));
  const isOnlyGit = isAlone && written.every((path) => isOrdinaryFile(path, visits, policy));
  const work = isOnlyGit ? gitWorkOf(visits, policy) : undefined;
  return work === undefined ? { type: 'mixed' } : { type: 'only', ...work };
}

/**
 * True if a redirection writes a file in the workspace outside git folders, and no git command of the same line could
 * replace it with a link.
 */
export function isOrdinaryFile(path: string | null, visits: readonly Visit[], policy: Policy): boolean {
  if (path === null) return false;
  const isOrdinary = (directory: string): boolean => {
    const place = locate(path, directory, policy);
    return !isInGitFolder(place, policy) && inWorkspace(policy.realpath(place), policy);
  };
  return visits.every(
    (visit) => keepsFiles(underItsName(visit.part)) && visit.directories?.every(isOrdinary) === true,
  );
}

/** True if a part creates no links in the worktree; called only for parts that are git or write no content. */
function keepsFiles({ argv }: CommandPart): boolean {
  const [name] = argv;
  if (name == null || !isGitClient(name)) return true;
  return isLikeGit(name) && keepingSubcommands.test(argv[subcommandAt(argv)] ?? '');
}

/** These leave the worktree's files as they are. */
const keepingSubcommands = /^(?:add|stage|commit|tag|push|fetch|branch|status|log|diff|show)$/;

export const isOutput = (path: string): boolean => isNoFile(path) || /^\/dev\/(?:stdout|stderr)$/.test(path);

/** `added`: names of remotes that the same line adds. */
export function partUse(visit: Visit, policy: Policy, added?: ReadonlySet<string>): PartUse {
  const part = underItsName(visit.part);
  const [name] = part.argv;
  if (part.argv.length === 0)
    return part.envPrefix.every((set) => isPlainVariable(set.name) || isHarmlessAssignment(set))
      ? 'nothing'
      : 'other';
  if (name == null || part.runs === null || isWrappedByProject(visit, policy)) return 'other';
  // `xargs git add`: the words that xargs adds are unknown.
  const isKnown = part.runs.every(([first]) => first?.type === 'text' && isSameName(first.text, name));
  if (isGitClient(name)) {
    const isMeant = isKnown && !comesFromProject({ ...visit, part }, policy);
    return isMeant ? clientUse({ ...visit, part }, name, { policy, added }) : 'other';
  }
  if (!isKnown || !hasSafeEnvironment(part)) return 'other';
  if (isBuiltin.test(name)) return 'nothing';
  if (comesFromProject({ ...visit, part }, policy)) return 'other';
  // The commands that it contains follow as separate parts.
  return part.carrier || writesNoContent.test(name) || readOnlyUse(part) !== undefined ? 'nothing' : 'other';
}

export const isSameName = (word: string, name: string): boolean => word === name || word.endsWith(`/${name}`);

/** Builtins that evaluate none of their words in any shell. */
const isBuiltin = /^(?:cd|echo|:|true|false)$/;
/** Programs that start no others, and create at most empty files and folders, whatever their options. */
const writesNoContent = /^(?:cat|ls|head|tail|wc|mkdir|rmdir|rm|touch|sleep|pwd|basename|dirname)$/;

/** True if a wrapper such as `timeout` is a program of the project. */
function isWrappedByProject(visit: Visit, policy: Policy): boolean {
  const { part } = visit;
  const [wrapper] = part.full;
  return (
    part.full.length !== part.argv.length &&
    comesFromProject({ ...visit, part: { ...part, argv: [wrapper ?? null] } }, policy)
  );
}
