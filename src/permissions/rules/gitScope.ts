/**
 * What a call of git reaches that an open-ended rule must not cover: files in the index and in the history that no word
 * names, and files that only git's patterns name.
 */
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { decideShown, decideTracked, trackedIn } from '../command/treeDecision.ts';
import { locate, textWords } from '../command/words.ts';
import { decideFile } from '../files/fileDecision.ts';
import type { Moves } from '../lookups/gitMoves.ts';
import { mayShowAny, type Shown } from '../lookups/gitShown.ts';
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import type { Policy } from '../policy.ts';
import type { ReadOnlyUse } from '../readOnly/use.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

interface GitCall {
  readonly part: CommandPart;
  /** The accesses of the command, if it is known to be read-only. */
  readonly use: ReadOnlyUse | undefined;
  readonly directory: string;
  /** Tells which words the rule spells out. */
  readonly isSpelled: (at: number) => boolean;
  /** Earlier parts of the command do not change what its words name. */
  readonly isFirst: boolean;
}

/** The decisions about everything that a call of git shows or changes, apart from the paths among its words. */
export function reachedByGit(call: GitCall, policy: Policy): readonly PermissionDecision[] {
  if (programName(call.part.argv[0]) !== 'git') return [];
  const at = subcommandAt(call.part.argv);
  const name = call.part.argv[at] ?? '';
  const text = textWords(call.part);
  const words = call.part.argv.flatMap((word, index) =>
    index <= at || word === null || text.has(index) ? [] : [{ word, isSpelled: call.isSpelled(index) }],
  );
  const given = words.map(({ word }) => word);
  const open = words.filter(({ isSpelled }) => !isSpelled).map(({ word }) => word);
  if (refs.test(name) && call.part.argv.some((word) => /%\(\*?raw/.test(word ?? '')))
    return [{ behavior: 'ask', reason: `What git ${name} shows with %(raw) is not known.` }];
  return [
    ...decideContents(call, name, given, policy),
    ...decidePaths(call, name, given, open, policy),
    ...decideMoves(call, name, given, policy),
  ];
}

/** Subcommands of git that list references, and with `%(raw)` the content of the files that these name. */
const refs = /^(?:branch|for-each-ref|tag)$/;

/** Subcommands of git that may show the content of files that no word names. */
const showing =
  /^(?:archive|cat-file|diff|diff-files|diff-index|diff-tree|difftool|fast-export|format-patch|grep|log|merge-tree|range-diff|reflog|request-pull|rerere|show|stash (?:list|show)|whatchanged)$/;

/** Options with which others show differences as well, as words or abbreviated. */
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

/** What a call of git shows, as queries. */
interface Contents {
  /** Places whose tracked files it shows. */
  readonly tracked: readonly string[];
  readonly shown: readonly { readonly place: string; readonly query: Shown }[];
}

/** Subcommands that put tracked files where no rule about their folder applies. */
const copying = /^(?:bundle|checkout-index|worktree add)$/;

/**
 * The files whose content a call of git may show or copy without naming them, for rules that forbid reading some;
 * undefined if unknown.
 */
export function shownByGit(
  part: CommandPart,
  use: ReadOnlyUse | undefined,
  directory: string,
  policy: Policy,
): readonly string[] | undefined {
  const at = subcommandAt(part.argv);
  const name = part.argv[at] ?? '';
  const text = textWords(part);
  const given = part.argv.flatMap((word, index) =>
    index <= at || word === null || text.has(index) ? [] : [word],
  );
  if (refs.test(name) && part.argv.some((word) => /%\(\*?raw/.test(word ?? ''))) return undefined;
  const isCopy =
    copying.test(name === 'worktree' ? `worktree ${given[0]}` : name) ||
    (name === 'clone' && given.some((word) => policy.isDirectory(locate(word, directory, policy))));
  const contents = isCopy
    ? everything(given, [policy.realpath(directory)])
    : contentsOf({ part, use, directory }, name, given, policy);
  const { tracked, shown } = contents;
  if (tracked.length === 0 && shown.length === 0) return [];
  // It works in another repository.
  if (
    use === undefined &&
    part.argv.slice(1, at).some((word) => /^-C|^--(?:git-dir|work-tree)/.test(word ?? ''))
  )
    return undefined;
  const lists = [
    ...(tracked.length > 0 ? [trackedIn(tracked, directory, policy)] : []),
    ...shown.map(({ place, query }) => policy.gitShows(place, query)),
  ];
  return lists.includes(undefined) ? undefined : lists.flatMap((files) => files ?? []);
}

const everything = (given: readonly string[], places: readonly string[]): Contents => ({
  tracked: [':/'],
  shown: places.map((place) => ({ place, query: mayShowAny(given) })),
});

function decideContents(
  call: GitCall,
  name: string,
  given: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const what = `git ${name}`;
  const { tracked, shown } = contentsOf(call, name, given, policy);
  return [
    ...(tracked.length > 0 ? [decideTracked(tracked, call.directory, what, policy)] : []),
    ...shown.map(({ place, query }) => decideShown(query, place, what, policy)),
  ];
}

/** Git shows the files it tracks or once tracked; if not all options are known, that may be any of them. */
function contentsOf(
  { part, use, directory }: Pick<GitCall, 'part' | 'use' | 'directory'>,
  name: string,
  given: readonly string[],
  policy: Policy,
): Contents {
  const place = policy.realpath(directory);
  const isKnown = use !== undefined && !policy.gitRunsPrograms(directory);
  if (!isKnown || use.repositories?.some((one) => one !== '.')) {
    const isShown =
      showing.test(name === 'stash' ? `stash ${part.argv[subcommandAt(part.argv) + 1]}` : name) ||
      (Object.hasOwn(showingWith, name) && given.some((word) => showingWith[name]?.test(word)));
    if (!isShown) return { tracked: [], shown: [] };
    const places = use?.repositories?.map((one) => locate(one, directory, policy)) ?? [place];
    return everything(given, places.map(policy.realpath));
  }
  return { tracked: use.tracked ?? [], shown: (use.shown ?? []).map((query) => ({ place, query })) };
}

/** With more files it asks. */
const MAX_FILES = 2000;

/** Subcommands with paths that git itself expands; `read`: they only put the files into commits. */
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

/** Git resolves folders, and patterns that it is given with or without `:`. */
function decidePaths(
  { directory }: GitCall,
  name: string,
  given: readonly string[],
  open: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const verb = Object.hasOwn(taking, name) ? taking[name] : undefined;
  const operands = open.filter((word) => !word.startsWith('-'));
  const isSource = name === 'checkout' || name === 'restore';
  const paths = isSource || name === 'rm' ? operands : operands.filter((word) => /^:|[*?[\\]/.test(word));
  if (verb === undefined || paths.length === 0) return [];
  const shown = isSource
    ? restored(given, paths, policy.gitRunsPrograms(directory))
    : listed(name, given, paths);
  // `main...` is the commit where two branches part.
  const isUnclear = isSource && given.some((word) => word.includes('...'));
  const files = isUnclear ? undefined : policy.gitShows(policy.realpath(directory), shown);
  if (files === undefined || files.length > MAX_FILES)
    return [{ behavior: 'ask', reason: `Which files git ${name} reaches is not known.` }];
  return files.map((path) => decideReached(verb, path, policy));
}

function decideReached(verb: 'read' | 'write', path: string, policy: Policy): PermissionDecision {
  const tool = verb === 'read' ? 'Read' : 'Edit';
  const { behavior, reason } = decideFile(
    { tool, verb, path, isFile: false },
    { ...policy, mode: 'acceptEdits' },
  );
  return { behavior, reason: `${path}: ${reason}` };
}

/** With more files it asks. */
const MAX_MOVED = 10_000;

/** A branch may bring protected files, such as editor settings. What `git pull` brings is not known before. */
function decideMoves(
  { directory, isFirst }: GitCall,
  name: string,
  given: readonly string[],
  policy: Policy,
): readonly PermissionDecision[] {
  const moves = movesOf(name, given);
  if (moves === undefined) return [];
  if (moves !== 'anywhere' && moves.words.length === 0 && !moves.drops) return [];
  const shown: Shown = {
    ...{ listings: [], objects: [], isBlind: policy.gitRunsPrograms(directory) },
    ...(moves === 'anywhere' ? { kind: 'any' } : { moves }),
  };
  const files = isFirst ? policy.gitShows(policy.realpath(directory), shown) : undefined;
  if (files === undefined || files.length > MAX_MOVED)
    return [{ behavior: 'ask', reason: `Which files git ${name} writes is not known.` }];
  return files.map((path) => decideReached('write', path, policy));
}

/** The source may be any word, or the value of an option. */
function restored(given: readonly string[], paths: readonly string[], isBlind: boolean): Shown {
  const objects = given.flatMap((word) => {
    if (!word.startsWith('-')) return [word];
    const value = word.replace(/^[^=]*=/, '');
    return value === word && !word.startsWith('--')
      ? Array.from({ length: Math.min(word.length, 9) - 1 }, (_, at) => word.slice(at + 1))
      : [value];
  });
  return { listings: [], objects: objects.filter((word) => word !== ''), kind: 'restores', paths, isBlind };
}

function listed(name: string, given: readonly string[], paths: readonly string[]): Shown {
  const isForced = given.some((word) => /^(?:-[A-Za-z]*[fx]|--fo)/.test(word));
  const others = name === 'rm' ? [] : ['--others', ...(isForced ? [] : ['--exclude-standard'])];
  return {
    listings: [['ls-files', '-z', '--full-name', '--cached', ...others, '--', ...paths]],
    objects: [],
  };
}

/** Ends or continues what has begun. */
const resumes = /^--(?:abort|continue|quit|skip|edit-todo|show-current-patch)$/;

/**
 * The commits to which a call of git goes, or that it applies; undefined if it writes no files from commits. `anywhere`:
 * to any commit, or it puts the files of one into another folder, where the same names are protected.
 */
function movesOf(name: string, given: readonly string[]): Moves | 'anywhere' | undefined {
  const has = (option: RegExp): boolean => given.some((word) => option.test(word));
  const end = given.indexOf('--');
  const own = end === -1 ? given : given.slice(0, end);
  // The value of an option is no commit, so it changes nothing.
  const words = own.filter((word) => !/^-./.test(word)).map((word) => (word === '-' ? '@{-1}' : word));
  if (words.length === 0 && has(resumes)) return undefined;
  const isForced = has(/^-[a-zA-Z]*f|^--(?:fo|disc)/);
  const orUpstream = words.length > 0 ? words : ['@{upstream}'];
  switch (name) {
    case 'checkout':
    case 'switch': {
      if (has(/^--orp/)) return 'anywhere';
      // With a new branch, or an option with a value, a second word is no path.
      const isOne = has(/^-[a-zA-Z]*[bBU]|^--(?:con|int|uni)/) || words.length < 2;
      const hasPaths = end !== -1 && end < given.length - 1;
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
