/** Decides what a single command of git or of a git client does to git folders. */
import { isInside } from '../../../disk/paths.ts';
import type { GitSetting } from '../../../protocol/files/gitSettings.ts';
import { locate } from '../../files/locate.ts';
import type { GitCall } from '../../lookups/gitSettingPrograms.ts';
import {
  changingSubcommands,
  firstWords,
  harmlessGlobals,
  harmlessVariables,
  harmlessWords,
  isHarmlessSetting,
  otherClients,
  runningWords,
  strategies,
  takesAnyWord,
} from '../../options/git/gitClients.ts';
import { hasSubcommand, riskyWords, subcommandAt } from '../../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../../policy.ts';
import { readOnlyUse } from '../../readOnly/readOnly.ts';
import type { Argument } from '../../shell/argument.ts';
import { isHarmlessAssignment } from '../../shell/assignments.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import type { Visit } from '../../shell/workingDirectory.ts';
import { underName } from '../programOrigin.ts';
import { gitPlaceOf, pathsIn, textWords } from '../words.ts';
import { aliasValues, expand } from './gitAlias.ts';
import { kindOfRepository, repositoryWords } from './gitRepositories.ts';
import { isOwnFolder } from './gitWork.ts';

/** What one part of a command line does to git folders. */
export type PartUse =
  /** It changes them, and runs nothing else. */
  | 'changes'
  /** It neither changes them nor runs other programs. */
  | 'nothing'
  /** It is git, but its words name a program, a folder or a file. */
  | 'git and more'
  | 'other';

interface Line {
  readonly policy: Policy;
  /** Names of remotes that the same line adds. */
  readonly added?: ReadonlySet<string> | undefined;
  /** The aliases, in lower case, that this command stands for. */
  readonly aliases?: readonly string[];
}

/** More than any real chain of aliases. */
const MAX_ALIASES = 10;

/** `visit`: a call of a program by its plain name, which is not a program of the project. */
export function clientUse(visit: Visit, name: string, line: Line): PartUse {
  // hub passes what it does not know on to git.
  if (name === 'hub') return clientUse({ ...visit, part: underName('git', visit.part) }, 'git', line);
  const { part, directories } = visit;
  const { policy, aliases = [] } = line;
  const alias = name === 'git' && aliases.length < MAX_ALIASES ? aliasOf(visit, line) : undefined;
  if (name === 'git' && !alias?.isOwn && readOnlyUse(part) !== undefined) return 'nothing';
  if (!part.envPrefix.every(isHarmlessForGit)) return 'git and more';
  if (directories?.some((directory) => isInGitFolder(directory, policy))) return 'git and more';
  if (name !== 'git') return otherClientUse(visit, name, policy);
  const at = subcommandAt(part.argv);
  const subcommand = part.argv[at] ?? '';
  if (policy.projectProgram(workspaceFolders(policy), `git-${subcommand}`) !== undefined)
    return 'git and more';
  if (alias !== undefined) {
    const inner = { ...line, aliases: [...aliases, subcommand.toLowerCase()] };
    const expanded = alias.values.map((value) => expand(part, at, value));
    const uses = expanded.map((one) => (one ? clientUse({ ...visit, part: one }, name, inner) : 'other'));
    if (!uses.every((use) => use === 'changes' || use === 'nothing')) return 'git and more';
    // Git prefers its own subcommands to aliases.
    if (!isSubcommand(subcommand)) return uses.includes('changes') ? 'changes' : 'nothing';
  }
  const isPlain =
    changingSubcommands.test(subcommand) &&
    hasHarmlessGlobals(part.argv.slice(1, at)) &&
    hasHarmlessWords(part, at, subcommand) &&
    staysInOwnRepository(visit, at, policy) &&
    namesNoFolder(visit, at, line);
  return isPlain ? 'changes' : 'git and more';
}

const isSubcommand = (name: string): boolean => changingSubcommands.test(name) || hasSubcommand('git', name);

/** What a subcommand stands for by the repository's aliases, or by the user's if git has no such subcommand. */
function aliasOf(
  { part, directories }: Visit,
  { policy, aliases = [] }: Line,
): { readonly values: readonly string[]; readonly isOwn: boolean } | undefined {
  const at = subcommandAt(part.argv);
  const name = part.argv[at];
  if (at === 0 || name == null || aliases.includes(name.toLowerCase())) return undefined;
  const settings = (directories ?? []).map((directory) =>
    policy.gitSettings(gitPlaceOf(part, at, directory, policy) ?? directory, policy.home),
  );
  const own = settings.flatMap((one) => aliasValues({ ...one, user: [] }, name));
  const values =
    own.length > 0 || isSubcommand(name) ? own : settings.flatMap((one) => aliasValues(one, name));
  return values.length === 0 ? undefined : { values, isOwn: own.length > 0 };
}

function otherClientUse(visit: Visit, name: string, policy: Policy): PartUse {
  const client = Object.hasOwn(otherClients, name) ? otherClients[name] : undefined;
  const [first, ...words] = visit.part.argv.slice(1);
  const isPlain =
    client?.changing.test(first ?? '') === true &&
    !words.some((word) => word !== null && client.unless?.test(word)) &&
    staysInOwnRepository(visit, 0, policy);
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
  // Leaves out the words before the subcommand, which could be mistaken for it.
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

/** True for words such as `-s ours`; `next` is the following word. */
function namesStrategy(word: string, next: string | null | undefined): boolean {
  const [, own] = /^(?:-s|--strategy(?:=|$))(.*)$/.exec(word) ?? [];
  return own !== undefined && strategies.test(own === '' ? (next ?? '') : own);
}

/**
 * True unless `git config` only changes or shows a setting that names nothing: a command may set a remote or a program
 * in a repository that it creates, and use it at once.
 */
function setsMore(args: readonly (string | null)[]): boolean {
  const [first, second] = args.filter((word) => word === null || !word.startsWith('-'));
  const key = /^(?:set|get|unset|list)$/.test(first ?? '') ? second : first;
  const isOther = args.some((word) => /^(?:-f|--fi|--bl|-e$|--ed|--ren|--rem)/.test(word ?? ''));
  return isOther || (key !== undefined && !isHarmlessSetting(key ?? ''));
}

/** True if one of the subcommand's own words names a program or a file to write. */
function runsItsWords(subcommand: string, args: readonly (string | null)[]): boolean {
  const running = Object.hasOwn(runningWords, subcommand) ? runningWords[subcommand] : undefined;
  if (subcommand === 'config') return setsMore(args);
  // A pattern such as `*.patch` is no option.
  const isVerb = !/^(?:apply|commit-graph|multi-pack-index)$/.test(subcommand);
  const firstWord = Object.hasOwn(firstWords, subcommand) ? firstWords[subcommand] : undefined;
  return (
    (running !== undefined && args.some((word) => (word === null ? isVerb : running.test(word)))) ||
    firstWord?.test(args[0] ?? '') === false
  );
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

/** True if every word that names a repository is a configured remote, or leads to another machine. */
function namesNoFolder({ part, directories }: Visit, at: number, { policy, added }: Line): boolean {
  const places = (directories ?? []).map((directory) => gitPlaceOf(part, at, directory, policy) ?? directory);
  const own = workspaceFolders(policy).map(policy.realpath);
  return places.every((place) => {
    const settings = policy.gitSettings(place, policy.home);
    return (part.runs ?? []).every((run) =>
      repositoryWords(run.map(textOf), at).every((word) => {
        const kind = kindOfRepository(word, settings, added);
        const path = locate(word.word ?? '', place, policy);
        if (kind === 'folder') return !word.mayBeName && own.includes(policy.realpath(path));
        // `git clone` prefers a folder with that name.
        const isFolder = [path, `${path}.git`].some(policy.isDirectory);
        return kind === 'remote' || (kind === 'host' && (word.mayBeName || !isFolder));
      }),
    );
  });
}

const textOf = (argument: Argument): string | null => (argument.type === 'text' ? argument.text : null);

/**
 * True if no word leads into a git folder, and commands cannot have changed the hooks and settings of the repository
 * that git works in.
 */
function staysInOwnRepository(visit: Visit, at: number, policy: Policy): boolean {
  const { part, directories } = visit;
  const call = {
    subcommand: (at === 0 ? undefined : part.argv[at]) ?? '',
    ...{ home: policy.home, workspace: workspaceFolders(policy) },
  };
  const places = directories?.map((directory) => gitPlaceOf(part, at, directory, policy));
  const texts = textWords(part);
  const words = part.argv.flatMap((word, index) =>
    index > 0 && word !== null && !texts.has(index) ? pathsIn(word, word) : [],
  );
  const isSafe = (place: string | undefined): boolean =>
    place !== undefined &&
    !isInGitFolder(place, policy) &&
    words.every((word) => !isInGitFolder(locate(word, place, policy), policy)) &&
    startsNothingOfProject(place, call, policy);
  return places?.every(isSafe) === true;
}

/** True for a path that is, or leads into, a folder called `.git` or the one that git uses in the workspace. */
export function isInGitFolder(path: string, policy: Policy): boolean {
  const real = policy.realpath(path);
  return (
    [path, real].some((one) => one.split('/').some((name) => name.toLowerCase() === '.git')) ||
    ownFolders(policy).some((folder) => isInside(real, folder))
  );
}

const ownFolders = (policy: Policy): readonly string[] =>
  workspaceFolders(policy).flatMap((folder) => policy.gitFolder(folder) ?? []);

/**
 * True for the workspace's repository, whose hooks and settings are read-only, unless its remotes lead to folders in
 * which commands can write. Any other may have been created by a command, so it must have no hooks, and no settings
 * that start programs.
 */
function startsNothingOfProject(place: string, call: GitCall, policy: Policy): boolean {
  const folder = policy.gitFolder(place);
  if (folder === undefined) return true;
  if (isOwnFolder(folder, policy)) return policy.gitRemoteSetting(place, call) === undefined;
  // Its hooks would be skipped.
  const namesHooks = policy.gitSettings(place, policy.home).own.some(isHookFolder);
  const hooks = policy.listTree(`${folder}/hooks`);
  const isSample = ({ path }: { readonly path: string }): boolean => path === '' || path.endsWith('.sample');
  return (
    hooks?.every(isSample) === true &&
    !namesHooks &&
    !policy.gitRunsPrograms(place) &&
    policy.gitProgramSetting(place, call) === undefined
  );
}

const isHookFolder = ({ section, key, value }: GitSetting): boolean =>
  section === 'core' && key === 'hookspath' && value !== '';
