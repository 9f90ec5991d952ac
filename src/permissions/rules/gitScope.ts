/**
 * What a git command reaches that an open-ended rule must not cover: files in the index and in the history that no word
 * names, and files that only git's patterns match.
 */
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { ownAliasBehind } from '../command/git/gitAlias.ts';
import { kindOfRepository, repositoryWords } from '../command/git/gitRepositories.ts';
import { underName } from '../command/programOrigin.ts';
import {
  decideShown,
  decideTracked,
  decideTree,
  needsCheck,
  trackedIn,
  unknownFiles,
} from '../command/treeDecision.ts';
import { gitPlaceOf, textWords } from '../command/words.ts';
import { decideFile } from '../files/fileDecision.ts';
import { locate } from '../files/locate.ts';
import type { Moves } from '../lookups/gitMoves.ts';
import { mayShowAny, type Shown } from '../lookups/gitShown.ts';
import { isGitClient, isLikeGit } from '../options/git/gitClients.ts';
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { addedFiles } from './gitAdds.ts';
import { filesToAdd, type GitChange, shownAfter } from './gitChanges.ts';

interface GitCall {
  readonly part: CommandPart;
  /** The accesses of the command, if it is known to be read-only. */
  readonly use: ReadOnlyUse | undefined;
  readonly directory: string;
  /** Tells which words the rule spells out. */
  readonly isSpelled: (at: number) => boolean;
  /** Earlier parts of the command do not change what its words name. */
  readonly isFirst: boolean;
  /** What the rest of the command may have changed before. */
  readonly change: GitChange;
}

/** The decisions about everything that a git command shows or changes, apart from the paths among its words. */
export function reachedByGit(call: GitCall, policy: Policy): readonly PermissionDecision[] {
  if (programName(call.part.argv[0]) !== 'git') return [];
  const at = subcommandAt(call.part.argv);
  const name = call.part.argv[at] ?? '';
  const text = textWords(call.part);
  const words = call.part.argv.flatMap((word, index) =>
    index <= at || word === null || text.has(index) ? [] : [{ word, isSpelled: call.isSpelled(index) }],
  );
  const args = words.map(({ word }) => word);
  const open = words.filter(({ isSpelled }) => !isSpelled).map(({ word }) => word);
  if (refs.test(name) && call.part.argv.some((word) => /%\(\*?raw/.test(word ?? '')))
    return [{ behavior: 'ask', reason: `It is unknown what git ${name} shows with %(raw).` }];
  return [
    ...decideContents(call, name, args, policy),
    ...decidePaths(call, name, args, open, policy),
    ...decideAdded(call, name, policy),
    ...decideMoves(call, name, args, policy),
  ];
}

/**
 * The setting that names a program git would start in the repositories that git or one of its clients works in, and
 * why; undefined if there is none, or it is another program.
 */
export function programStartedByGit(visit: Visit, policy: Policy): string | undefined {
  if (!isGitClient(programName(visit.part.argv[0]))) return undefined;
  const part = asGit(visit.part);
  const at = subcommandOfGit(part);
  const subcommand = part.argv[at === 0 ? part.argv.length : at] ?? '';
  const call = { subcommand, home: policy.home, workspace: workspaceFolders(policy) };
  for (const directory of visit.directories ?? []) {
    const place = gitPlaceOf(part, at, directory, policy);
    if (place === undefined) return 'a repository known only at run time';
    const named = gitFoldersNamed(part, at).map((word) => locate(word, place, policy));
    for (const one of [place, ...named]) {
      const alias = at === 0 ? undefined : ownAliasBehind(part, policy.gitSettings(one, policy.home));
      if (alias !== undefined)
        return `alias.${alias} in the settings of ${one}, which does more than read or names a program that git would start`;
      const found = policy.gitProgramSetting(one, call);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** hub passes on to git what it does not know. */
const asGit = (part: CommandPart): CommandPart =>
  isLikeGit(programName(part.argv[0])) ? underName('git', part) : part;

const subcommandOfGit = ({ argv }: CommandPart): number => (argv[0] === 'git' ? subcommandAt(argv) : 0);

/**
 * The word of a git command that names a repository to push to or fetch from other than a remote of the settings: one in
 * a folder may have hooks. A rule may spell out an address or a path; a plain name is meant for a remote.
 */
export function repositoryNamed(
  visit: Visit,
  isSpelled: (at: number) => boolean,
  policy: Policy,
): string | undefined {
  const part = asGit(visit.part);
  const at = subcommandOfGit(part);
  const words = at === 0 ? [] : repositoryWords(part.argv, at);
  const open = words.filter(
    (word) => !isSpelled(word.at) || (word.mayBeName && /^[\w-]+$/.test(word.word ?? '')),
  );
  if (open.length === 0) return undefined;
  for (const directory of visit.directories ?? []) {
    const place = gitPlaceOf(part, at, directory, policy);
    const settings = policy.gitSettings(place ?? directory, policy.home);
    for (const word of open) {
      const kind = kindOfRepository(word, settings);
      if (kind === 'remote' || (kind === 'host' && !word.mayBeName)) continue;
      return `${word.word ?? part.raw[word.at] ?? ''}, which is not a configured git remote`;
    }
  }
  return undefined;
}

function gitFoldersNamed({ argv, envPrefix }: CommandPart, at: number): readonly string[] {
  const options = argv.slice(1, at).flatMap((word, index) => {
    if (word === '--git-dir') return argv[index + 2] ?? [];
    return /^--git-dir=(.+)/.exec(word ?? '')?.[1] ?? [];
  });
  return [...options, ...envPrefix.flatMap(({ name, value }) => (name === 'GIT_DIR' ? (value ?? []) : []))];
}

/** Subcommands that list references, and with `%(raw)` show the content of the objects they name. */
const refs = /^(?:branch|for-each-ref|tag)$/;

/** Subcommands that may show the content of files that no word names. */
export const showing =
  /^(?:archive|cat-file|diff|diff-files|diff-index|diff-tree|difftool|fast-export|format-patch|grep|log|merge-tree|range-diff|reflog|request-pull|rerere|show|stash (?:list|show)|whatchanged)$/;

/** Options, possibly abbreviated, with which other subcommands show differences as well. */
const patch = /^(?:-[A-Za-z]*[pi]|--patc|--inte)/;
const showingWith: Readonly<Record<string, RegExp>> = {
  add: patch,
  checkout: patch,
  commit: /^(?:-[A-Za-z]*p|--patc|--inte|--dr)/,
  rebase: /^--show/,
  reset: patch,
  restore: patch,
  stage: patch,
  stash: patch,
  status: /^(?:-[A-Za-z]*v|--v)/,
};

/** True if a git command with these words after its subcommand may show the content of files that no word names. */
export function mayShow({ argv }: Pick<CommandPart, 'argv'>, args: readonly string[]): boolean {
  const at = subcommandAt(argv);
  const name = argv[at] ?? '';
  return (
    showing.test(name === 'stash' ? `stash ${argv[at + 1]}` : name) ||
    (Object.hasOwn(showingWith, name) && args.some((word) => showingWith[name]?.test(word)))
  );
}

/** What a git command shows, as queries. */
interface Contents {
  /** Places whose tracked files it shows. */
  readonly tracked: readonly string[];
  readonly shown: readonly { readonly place: string; readonly query: Shown }[];
}

/** Subcommands that put tracked files where no rule about their folder applies. */
const copying = /^(?:bundle|checkout-index|worktree add)$/;

/**
 * The files whose content a git command may show or copy without naming them, for rules that forbid reading some;
 * undefined if unknown. `use`: as it is after the change.
 */
export function shownByGit(
  part: CommandPart,
  use: ReadOnlyUse | undefined,
  directory: string,
  change: GitChange,
  policy: Policy,
): readonly string[] | undefined {
  const at = subcommandAt(part.argv);
  const name = part.argv[at] ?? '';
  const text = textWords(part);
  const args = part.argv.flatMap((word, index) =>
    index <= at || word === null || text.has(index) ? [] : [word],
  );
  if (refs.test(name) && part.argv.some((word) => /%\(\*?raw/.test(word ?? ''))) return undefined;
  const isCopy =
    copying.test(name === 'worktree' ? `worktree ${args[0]}` : name) ||
    (name === 'clone' && args.some((word) => policy.isDirectory(locate(word, directory, policy))));
  const contents = isCopy
    ? everything(args, [policy.realpath(directory)], change)
    : contentsOf({ part, use, directory, change }, args, policy);
  const { tracked, shown } = contents;
  if (tracked.length === 0 && shown.length === 0) return [];
  // The command works in another repository.
  if (
    use === undefined &&
    part.argv.slice(1, at).some((word) => /^-C|^--(?:git-dir|work-tree)/.test(word ?? ''))
  )
    return undefined;
  const lists = [
    ...(tracked.length > 0 ? [trackedIn(tracked, directory, policy)] : []),
    ...shown.map(({ place, query }) => policy.gitShows(place, query, workspaceFolders(policy))),
  ];
  return lists.includes(undefined) ? undefined : lists.flatMap((files) => files ?? []);
}

const everything = (args: readonly string[], places: readonly string[], change: GitChange): Contents => ({
  tracked: [':/'],
  shown: shownAfter([mayShowAny(args)], change).flatMap((query) => places.map((place) => ({ place, query }))),
});

function decideContents(
  call: GitCall,
  name: string,
  args: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const what = `git ${name}`;
  const { tracked, shown } = contentsOf(call, args, policy);
  const isAdded = call.change.inside !== 'nothing' && tracked.length + shown.length > 0;
  return [
    ...(isAdded && call.change.added() === null
      ? [decideTree(filesToAdd(call.directory, policy), call.directory, what, policy)]
      : []),
    ...(tracked.length > 0 ? [decideTracked(tracked, call.directory, what, policy)] : []),
    ...shown.map(({ place, query }) => decideShown(query, place, what, policy)),
  ];
}

/** Git shows the files it tracks or once tracked; if not all options are known, that may be any of them. */
function contentsOf(
  { part, use, directory, change }: Pick<GitCall, 'part' | 'use' | 'directory' | 'change'>,
  args: readonly string[],
  policy: Policy,
): Contents {
  const place = policy.realpath(directory);
  const isKnown = use !== undefined && !policy.gitRunsPrograms(directory);
  if (!isKnown || use.repositories?.some((one) => one !== '.')) {
    if (!mayShow(part, args)) return { tracked: [], shown: [] };
    const places = use?.repositories?.map((one) => locate(one, directory, policy)) ?? [place];
    return everything(args, places.map(policy.realpath), change);
  }
  return { tracked: use.tracked ?? [], shown: (use.shown ?? []).map((query) => ({ place, query })) };
}

/** With more files the command needs approval. */
const MAX_FILES = 2000;

/** Subcommands with paths that git itself expands; `read`: they only add the files to commits. */
const taking: Readonly<Record<string, 'read' | 'write'>> = {
  add: 'read',
  checkout: 'write',
  clean: 'write',
  commit: 'read',
  mv: 'write',
  reset: 'read',
  restore: 'write',
  rm: 'write',
  stage: 'read',
  stash: 'write',
};

/** Git itself expands folders and patterns, with or without `:`. */
function decidePaths(
  { directory }: GitCall,
  name: string,
  args: readonly string[],
  open: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const verb = Object.hasOwn(taking, name) ? taking[name] : undefined;
  const operands = open.filter((word) => !word.startsWith('-'));
  const isSource = name === 'checkout' || name === 'restore';
  const paths = isSource || name === 'rm' ? operands : operands.filter((word) => /^:|[*?[\\]/.test(word));
  if (verb === undefined || paths.length === 0) return [];
  const shown = isSource ? restored(args, paths) : listed(name, args, paths);
  // `main...` is the merge base of two branches.
  const isUnclear = isSource && args.some((word) => word.includes('...'));
  const files = isUnclear
    ? undefined
    : policy.gitShows(policy.realpath(directory), shown, workspaceFolders(policy));
  if (files === undefined || files.length > MAX_FILES)
    return [{ behavior: 'ask', reason: unknownFiles(`git ${name} reaches`, policy) }];
  return files.map((path) => decideReached(verb, path, policy));
}

/** A rule with a wildcard covers no secrets that the command adds to the repository, from where a push sends them. */
function decideAdded(
  { part, directory }: GitCall,
  name: string,
  policy: Policy,
): readonly PermissionDecision[] {
  const files = addedFiles(part, directory, policy);
  if (files === undefined)
    return [{ behavior: 'ask', reason: `Which files git ${name} adds to the repository is not known.` }];
  return files.filter(needsCheck(policy)).map((path) => decideReached('read', path, policy));
}

function decideReached(verb: 'read' | 'write', path: string, policy: Policy): PermissionDecision {
  const tool = verb === 'read' ? 'Read' : 'Edit';
  const { behavior, reason } = decideFile(
    { tool, verb, path, isFile: false },
    { ...policy, mode: 'acceptEdits' },
  );
  return { behavior, reason: `${path}: ${reason}` };
}

/** With more files the command needs approval. */
const MAX_MOVED = 10_000;

/**
 * A branch may contain protected files, such as editor settings. What `git pull` fetches cannot be known in advance.
 */
function decideMoves(
  { directory, isFirst }: GitCall,
  name: string,
  args: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const moves = movesOf(name, args);
  if (moves === undefined) return [];
  if (moves !== 'anywhere' && moves.words.length === 0 && !moves.drops) return [];
  const shown: Shown = { objects: [], ...(moves === 'anywhere' ? { kind: 'any' } : { moves }) };
  const files = isFirst
    ? policy.gitShows(policy.realpath(directory), shown, workspaceFolders(policy))
    : undefined;
  if (files === undefined || files.length > MAX_MOVED)
    return [{ behavior: 'ask', reason: unknownFiles(`git ${name} writes`, policy) }];
  return files.map((path) => decideReached('write', path, policy));
}

/** The source may be any word, or the value of an option. */
export function restored(args: readonly string[], paths: readonly string[]): Shown {
  const objects = args.flatMap((word) => {
    if (!word.startsWith('-')) return [word];
    const value = word.replace(/^[^=]*=/, '');
    return value === word && !word.startsWith('--')
      ? Array.from({ length: Math.min(word.length, 9) - 1 }, (_, at) => word.slice(at + 1))
      : [value];
  });
  return { objects: objects.filter((word) => word !== ''), restored: paths };
}

function listed(name: string, args: readonly string[], paths: readonly string[]): Shown {
  const isForced = args.some((word) => /^(?:-[A-Za-z]*[fx]|--fo)/.test(word));
  const others = name === 'rm' ? [] : ['--others', ...(isForced ? [] : ['--exclude-standard'])];
  return { objects: [], listed: [{ options: ['--cached', ...others], paths }] };
}

/** Options that end or continue an operation in progress. */
const resumes = /^--(?:abort|continue|quit|skip|edit-todo|show-current-patch)$/;

/**
 * The commits that a git command checks out or applies; undefined if it writes no files from commits. `anywhere`: any
 * commit, or one whose files it writes to another folder, where the same names are protected.
 */
export function movesOf(name: string, args: readonly string[]): Moves | 'anywhere' | undefined {
  const has = (option: RegExp): boolean => args.some((word) => option.test(word));
  const end = args.indexOf('--');
  const beforeDashes = end === -1 ? args : args.slice(0, end);
  // The value of an option is not a commit, so it changes nothing.
  const words = beforeDashes
    .filter((word) => !/^-./.test(word))
    .map((word) => (word === '-' ? '@{-1}' : word));
  if (words.length === 0 && has(resumes)) return undefined;
  const isForced = has(/^-[a-zA-Z]*f|^--(?:fo|disc)/);
  const orUpstream = words.length > 0 ? words : ['@{upstream}'];
  switch (name) {
    case 'checkout':
    case 'switch': {
      if (has(/^--orp/)) return 'anywhere';
      // With a new branch, or an option with a value, a second word is not a path.
      const isOne = has(/^-[a-zA-Z]*[bBU]|^--(?:con|int|uni)/) || words.length < 2;
      const hasPaths = end !== -1 && end < args.length - 1;
      const goesToPaths = name === 'checkout' && (hasPaths || !isOne);
      return goesToPaths ? undefined : { how: 'switch', words, drops: isForced };
    }
    case 'reset':
      return has(/^--(?:h|me|k)/)
        ? { how: 'switch', words: words.length > 0 ? words : ['HEAD'], drops: true }
        : undefined;
    case 'merge':
      return { how: 'merge', words: orUpstream, drops: false };
    case 'rebase':
      return { how: 'switch', words: orUpstream, drops: false };
    case 'cherry-pick':
    case 'revert':
      return { how: 'pick', words, drops: false };
    case 'stash': {
      const [action = '', stash = '0'] = words;
      if (action === 'branch') return 'anywhere';
      const named = /^\d+$/.test(stash) ? `stash@{${stash}}` : stash;
      return /^(?:pop|apply)$/.test(action) ? { how: 'stash', words: [named], drops: false } : undefined;
    }
    case 'bisect':
      return /^(?:log|terms|help)$/.test(words[0] ?? '') ? undefined : 'anywhere';
    case 'worktree':
      return words[0] === 'add' ? 'anywhere' : undefined;
    default:
      return undefined;
  }
}
