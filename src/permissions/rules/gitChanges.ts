/**
 * What git shows after another part of the same command has changed files, the index, objects or names: `git add -A && git
 * diff --cached`, `git checkout x && git log -p`. Decisions are made before the command runs, so whatever could have become
 * part of the output counts as shown.
 */
import { basename, dirname } from 'node:path';
import { type Touched, touchedBefore } from '../command/plainEdits.ts';
import { needsCheck } from '../command/treeDecision.ts';
import { textWords } from '../command/words.ts';
import { mayShowAny, type Shown } from '../lookups/gitShown.ts';
import { isGitClient } from '../options/git/gitClients.ts';
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import type { Policy } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { ReadOnlyUse, Tree } from '../readOnly/use.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { changesDirectory, type Visit } from '../shell/workingDirectory.ts';
import { addedFiles } from './gitAdds.ts';

/** What other parts of a command may have changed before one of its parts runs. */
export interface GitChange {
  /**
   * In the repository: the index, by adding files (`added`) or in other ways, which known commits its names stand for
   * (`names`), or anything, such as new commits from a server.
   */
  readonly inside: 'nothing' | 'added' | 'index' | 'names' | 'anything';
  /** Words of git commands, some of which may name objects that nothing else names. */
  readonly words: readonly string[];
  /** The paths on disk that may have changed, but for those that git takes from commits; null = any. */
  readonly disk: Touched;
  /** The files that were added to the repository, absolute; null = any. */
  readonly added: () => readonly string[] | null;
}

/** As if nothing came before. */
export const unchanged: GitChange = { inside: 'nothing', words: [], disk: [], added: () => [] };

/** True if git writes and shows other files than it would have before. */
export const followsGit = ({ inside }: GitChange): boolean => inside !== 'nothing';

/** For each part of a command, what other parts may have changed before. */
export function changesBefore(
  visits: readonly Visit[],
  writes: readonly (string | null)[],
  policy: Policy,
): readonly GitChange[] {
  const counts = (part: CommandPart): boolean => programName(part.argv[0]) !== 'git' || changesDisk(part);
  const disk = touchedBefore(visits, writes, counts, policy);
  const own = visits.map((visit) => changeOf(visit, policy));
  return visits.map(({ part }, index) => {
    const before = part.certain && !part.repeats ? own.slice(0, index) : own.toSpliced(index, 1);
    const adding = before.filter(({ adds }) => adds);
    const isKnown = disk[index]?.length === 0 && before.every(({ keepsDisk }) => keepsDisk);
    return {
      inside: before.reduce<GitChange['inside']>(
        (worst, { inside }) => (severity[inside] > severity[worst] ? inside : worst),
        'nothing',
      ),
      words: before.flatMap(({ words }) => words),
      disk: disk[index] ?? null,
      added: () => {
        const lists = adding.map(({ adds }) => (isKnown ? adds?.() : undefined));
        return lists.includes(undefined) ? null : lists.flatMap((files) => files ?? []);
      },
    };
  });
}

const severity = { nothing: 0, added: 1, index: 2, names: 3, anything: 4 } as const;

/** The effect of one part on the repository. */
interface OwnChange extends Pick<GitChange, 'inside' | 'words'> {
  /** The files that it adds; undefined if they are not known. Absent = none. */
  readonly adds?: () => readonly string[] | undefined;
  /** Leaves ignore files, and whatever else is on disk, as they are. */
  readonly keepsDisk: boolean;
}

const nothing: OwnChange = { inside: 'nothing', words: [], keepsDisk: true };
const anything: OwnChange = { inside: 'anything', words: [], keepsDisk: false, adds: () => undefined };

/** Subcommands that create commits from what is known, or let names stand for other commits. */
const moving =
  /^(?:am|apply|branch|checkout|cherry-pick|commit|merge|push|rebase|reset|restore|revert|stash|switch|tag|worktree)$/;
const keeping = /^(?:branch|commit|push|tag)$/;
/** Options that run other commands. */
const running = /^(?:-[a-zA-Z]*x|--exec)/;

function changeOf({ part, directories }: Visit, policy: Policy): OwnChange {
  if (part.argv.length === 0 || part.carrier || changesDirectory(part)) return nothing;
  if (readOnlyUse(part) !== undefined) return nothing;
  if (programName(part.argv[0]) !== 'git') return startsGit(part) ? anything : nothing;
  if (changesDisk(part)) return { ...nothing, keepsDisk: false };
  const { name, args } = callOf(part);
  const words = args.filter((word) => word !== null);
  const adds = (): readonly string[] | undefined => {
    const lists = directories?.map((directory) => addedFiles(part, directory, policy));
    const isKnown = words.length === args.length && lists?.includes(undefined) === false;
    return isKnown ? lists.flatMap((files) => files ?? []) : undefined;
  };
  if (/^(?:add|stage)$/.test(name)) return { inside: 'added', words: [], keepsDisk: true, adds };
  if (/^(?:mv|rm)$/.test(name)) return { inside: 'index', words: [], keepsDisk: false };
  const isKnown = words.length === args.length && !words.some((word) => running.test(word));
  if (!moving.test(name) || !isKnown) return anything;
  const takesOthers = name === 'stash' && words.some((word) => /^(?:-[a-zA-Z]*[ua]|--inc|--all)/.test(word));
  return { inside: 'names', words, keepsDisk: keeping.test(name), ...(takesOthers && { adds }) };
}

/** The subcommand of git, and its other words except for messages. */
function callOf(part: CommandPart): { readonly name: string; readonly args: CommandPart['argv'] } {
  const text = textWords(part);
  const args = part.argv.slice(1).filter((_, index) => !text.has(index + 1));
  return { name: part.argv[subcommandAt(part.argv)] ?? '', args };
}

/** True for a git command that changes files on disk, but neither the index nor what its names stand for. */
function changesDisk(part: CommandPart): boolean {
  if (programName(part.argv[0]) !== 'git') return false;
  const { name, args } = callOf(part);
  const isFromCommit = args.some((word) => word === null || /^(?:-[a-zA-Z]*[sS]|--so|--st)/.test(word));
  return name === 'clean' || (name === 'restore' && !isFromCommit);
}

/** Words with which these clients of git only show what a server has. */
const showing = /^(?:view|list|ls|status|diff|checks|create|comment|edit|close|review)$/;

/** True for a program that may run git, or do its work: one of its clients, or one whose words mention it. */
function startsGit({ argv }: CommandPart): boolean {
  if (argv[0] === null) return true;
  if (isGitClient(programName(argv[0]))) return !showing.test(argv[2] ?? '');
  return argv.some((word) => /(?:^|[^.\w-])git(?![\w.-])/.test(word ?? ''));
}

/** The files that may have been added to the repository at a directory, if they are not known. */
export function filesToAdd(directory: string, policy: Policy): Tree {
  const folder = policy.gitFolder(directory) ?? '';
  return {
    path: basename(folder) === '.git' ? dirname(folder) : policy.root,
    ...{ hidden: true, follows: false, without: ['.git', 'node_modules'] },
  };
}

/** The files that may have been added there, absolute; undefined if unknown. */
export function addedBefore(
  { inside, added }: GitChange,
  directory: string,
  policy: Policy,
): readonly string[] | undefined {
  const known = inside === 'nothing' ? [] : added();
  if (known !== null) return known;
  const tree = filesToAdd(directory, policy);
  return policy.filesBelow(policy.realpath(tree.path), tree)?.files;
}

/** What a git command accesses after such a change. */
export function afterChange(
  use: ReadOnlyUse,
  change: GitChange,
  directories: readonly string[] | null,
  policy: Policy,
): ReadOnlyUse {
  if (!showsContent(use)) return use;
  const known = shownAfter(use.shown ?? [], change);
  if (change.inside === 'nothing') return { ...use, shown: known };
  const added = change.added();
  // Compared with what was added, git also shows what was there before.
  const before: Shown =
    added === null
      ? { objects: [], kind: 'any' }
      : { objects: [], compared: [{ how: 'named', words: [], paths: added }] };
  const shown = [...known, before];
  const trees = (directories ?? [policy.root]).map((directory) => filesToAdd(directory, policy));
  return {
    ...use,
    shown,
    // What was staged or removed may be any tracked file.
    tracked: [...(use.tracked ?? []), ...(change.inside === 'index' || added === null ? [':/'] : [])],
    ...(added === null
      ? { trees: [...(use.trees ?? []), ...trees] }
      : { contents: [...use.contents, ...added.filter(needsCheck(policy))] }),
  };
}

/** The queries of a git command that shows content, after such a change. */
export function shownAfter(shown: readonly Shown[], { inside, words, disk }: GitChange): readonly Shown[] {
  if (inside === 'anything') return [{ objects: [], kind: 'unknown' }];
  if (inside === 'index' || inside === 'names') {
    const objects = [...shown.flatMap((one) => one.objects), ...mayShowAny(words).objects];
    const onDisk = shown.flatMap((one) => one.onDisk ?? []);
    return [{ objects, named: shown.flatMap((one) => one.named ?? []), onDisk, kind: 'any' }];
  }
  return disk?.length === 0 ? shown : shown.map((one) => ({ ...one, touched: disk }));
}

/** True if a git command shows the content of files that none of its words names. */
export const showsContent = ({ shown = [], tracked = [] }: ReadOnlyUse): boolean =>
  shown.length + tracked.length > 0;
