/**
 * Decides whether a command may change git folders in the sandbox: only if it runs nothing but git, and programs that
 * write nothing there. Everything else could leave files in a git folder that make the user's next git command run
 * programs or write elsewhere. Errs on the side of no.
 */
import { isInside } from '../../disk/paths.ts';
import type { GitUse } from '../../protocol/sandbox.ts';
import { inWorkspace } from '../files/fileDecision.ts';
import {
  harmlessGlobals,
  harmlessVariables,
  harmlessWords,
  isGitClient,
  isHarmlessSetting,
  isLikeGit,
  otherSubcommands,
  runningWords,
  strategies,
  takesAnyWord,
} from '../options/gitClients.ts';
import { riskyWords, subcommandAt } from '../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import { isHarmlessAssignment, isPlainVariable } from '../shell/assignments.ts';
import type { CommandPart, ParsedCommand } from '../shell/parsedCommand.ts';
import type { Argument } from '../shell/wordValues.ts';
import { track, type Visit } from '../shell/workingDirectory.ts';
import { comesFromProject, underItsName } from './commandEffects.ts';
import { isNoFile } from './treeDecision.ts';
import { gitPlaceOf, locate, pathsIn, textWords } from './words.ts';

/** What one part of a command line means for git folders. */
type PartUse =
  /** It changes them, and runs nothing else. */
  | 'changes'
  /** It neither changes them nor runs other programs. */
  | 'nothing'
  /** It is git, but together with a program, a folder or a file that its words name. */
  | 'git and more'
  | 'other';

/** Pure, except for the lookups of the policy. */
export function gitUseOf(parsed: ParsedCommand, cwd: string, policy: Policy): GitUse {
  if (!parsed.ok) return 'none';
  const visits = track(parsed.parts, cwd, policy);
  const uses = visits.map((visit) => partUse(visit, policy));
  if (!uses.includes('changes')) return 'none';
  const isAlone = uses.every((use) => use === 'changes' || use === 'nothing');
  const written = parsed.writes.filter((path) => path === null || !isOutput(path));
  return isAlone && written.every((path) => isOrdinaryFile(path, visits, policy)) ? 'only' : 'mixed';
}

/**
 * True if a redirection writes a file of the workspace outside of git folders, and no git command of the same line may
 * put a link in its place.
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

/** True if a part creates no links in the worktree; only parts that are git, or write no content, are asked about. */
function keepsFiles({ argv }: CommandPart): boolean {
  const [name] = argv;
  if (name == null || !isGitClient(name)) return true;
  return isLikeGit(name) && keepingSubcommands.test(argv[subcommandAt(argv)] ?? '');
}

/** They leave the files of the worktree as they are. */
const keepingSubcommands = /^(?:add|stage|commit|tag|push|fetch|branch|status|log|diff|show)$/;

export const isOutput = (path: string): boolean => isNoFile(path) || /^\/dev\/(?:stdout|stderr)$/.test(path);

export function partUse(visit: Visit, policy: Policy): PartUse {
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
    return isMeant ? clientUse({ ...visit, part }, name, policy) : 'other';
  }
  if (!isKnown || !hasSafeEnvironment(part)) return 'other';
  if (isBuiltin.test(name)) return 'nothing';
  if (comesFromProject({ ...visit, part }, policy)) return 'other';
  // The commands that it carries follow as parts of their own.
  return part.carrier || writesNoContent.test(name) || readOnlyUse(part) !== undefined ? 'nothing' : 'other';
}

export const isSameName = (word: string, name: string): boolean => word === name || word.endsWith(`/${name}`);

/** Builtins of every shell that evaluate none of their words. */
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

function clientUse(visit: Visit, name: string, policy: Policy): PartUse {
  const { part, directories } = visit;
  if (isLikeGit(name) && readOnlyUse(part) !== undefined) return 'nothing';
  if (!part.envPrefix.every(isHarmlessForGit)) return 'git and more';
  if (directories?.some((directory) => isInGitFolder(directory, policy))) return 'git and more';
  if (!isLikeGit(name)) {
    const running = runningWords[name];
    return part.argv.some((word) => word !== null && running?.test(word)) ? 'git and more' : 'changes';
  }
  const at = subcommandAt(part.argv);
  const subcommand = part.argv[at];
  const isPlain =
    subcommand != null &&
    !otherSubcommands.test(subcommand) &&
    hasHarmlessGlobals(part.argv.slice(1, at)) &&
    hasHarmlessWords(part, at, subcommand) &&
    staysInOwnRepository(visit, at, policy);
  return isPlain ? 'changes' : 'git and more';
}

const isHarmlessForGit = (set: CommandPart['envPrefix'][number]): boolean => {
  const values = Object.hasOwn(harmlessVariables, set.name) ? harmlessVariables[set.name] : undefined;
  return isHarmlessAssignment(set) || (set.value !== null && values?.test(set.value) === true);
};

/** The words before the subcommand. */
function hasHarmlessGlobals(words: readonly (string | null)[]): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === '-C') at += 1;
    else if (word === '-c') {
      at += 1;
      if (!isHarmlessSetting(words[at] ?? '')) return false;
    } else if (word == null || !harmlessGlobals.test(word)) return false;
  }
  return true;
}

/** True if no word after the subcommand names a program, or a file to write. */
function hasHarmlessWords(part: CommandPart, at: number, subcommand: string): boolean {
  const texts = textWords(part);
  const args = part.argv.slice(at + 1);
  // Without the words before the subcommand, which could be taken for it.
  const isRisky = riskyWords(['git', ...part.argv.slice(at)]).some(
    ({ at: index, word, risk }) =>
      index > 1 &&
      (risk === 'runs' || risk === 'writes') &&
      !texts.has(index + at - 1) &&
      harmlessWords[subcommand]?.test(word) !== true &&
      !namesStrategy(word, args[index - 1]),
  );
  return !isRisky && !runsItsWords(subcommand, args) && !mayBeOption(part, subcommand, texts);
}

/** True for `-s ours` and the like; `next` is the word that follows. */
function namesStrategy(word: string, next: string | null | undefined): boolean {
  const [, own] = /^(?:-s|--strategy(?:=|$))(.*)$/.exec(word) ?? [];
  return own !== undefined && strategies.test(own === '' ? (next ?? '') : own);
}

/** True if words that are no options name a program, a file with settings, or a repository whose hooks git starts. */
function runsItsWords(subcommand: string, args: readonly (string | null)[]): boolean {
  const has = (pattern: RegExp): boolean => args.some((word) => word === null || pattern.test(word));
  if (subcommand === 'bisect') return has(/^(?:run|view|visualize|replay)$/);
  if (subcommand === 'submodule') return has(/^foreach$/);
  if (subcommand === 'config') return has(/^(?:-f|--fi|--bl)/);
  return /^(?:push|pull|fetch)$/.test(subcommand) && args.some(isLocalRepository);
}

/** True if a word that only the shell knows may be an option that runs a program. */
function mayBeOption(part: CommandPart, subcommand: string, texts: ReadonlySet<number>): boolean {
  const isOpen = (argument: Argument): boolean =>
    argument.type === 'secret' ||
    (argument.type === 'output' && (argument.loose || !takesAnyWord.test(subcommand)));
  return (part.runs ?? []).some((run) =>
    run.some((argument, at) => isOpen(argument) && !texts.has(at) && part.argv[at - 1] !== '-C'),
  );
}

/** A repository in a folder, whose hooks a push starts. */
const isLocalRepository = (word: string | null): boolean =>
  /^(?:\.{0,2}\/|~|\.{1,2}$|file:)/.test(word ?? '');

/**
 * True if git works in a repository whose hooks and settings commands cannot have changed, and if no word leads into a
 * git folder.
 */
function staysInOwnRepository({ part, directories }: Visit, at: number, policy: Policy): boolean {
  const places = directories?.map((directory) => gitPlaceOf(part, at, directory, policy));
  const texts = textWords(part);
  const words = part.argv.flatMap((word, index) =>
    index > 0 && word !== null && !texts.has(index) ? pathsIn(word, word) : [],
  );
  const isSafe = (place: string | undefined): boolean =>
    place !== undefined &&
    !isInGitFolder(place, policy) &&
    words.every((word) => !isInGitFolder(locate(word, place, policy), policy)) &&
    startsNothingOfProject(place, policy);
  return places?.every(isSafe) === true;
}

/** True for a path that is, or leads into, a folder called `.git` or the one that git uses in the workspace. */
function isInGitFolder(path: string, policy: Policy): boolean {
  const real = policy.realpath(path);
  return (
    [path, real].some((one) => one.split('/').some((name) => name.toLowerCase() === '.git')) ||
    ownFolders(policy).some((folder) => isInside(real, folder))
  );
}

const ownFolders = (policy: Policy): readonly string[] =>
  workspaceFolders(policy).flatMap((folder) => policy.gitFolder(folder) ?? []);

/**
 * True for the repository of the workspace, whose hooks are read-only, and for one without hooks and settings that start
 * programs: a command may have created it.
 */
function startsNothingOfProject(place: string, policy: Policy): boolean {
  const folder = policy.gitFolder(place);
  if (folder === undefined || ownFolders(policy).some((own) => isInside(folder, own))) return true;
  const hooks = policy.listTree(`${folder}/hooks`);
  const isSample = ({ path }: { readonly path: string }): boolean => path === '' || path.endsWith('.sample');
  return hooks?.every(isSample) === true && !policy.gitRunsPrograms(place);
}
