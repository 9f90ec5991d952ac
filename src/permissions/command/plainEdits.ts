/**
 * For acceptEdits: `mkdir`, `touch`, `mv`, `cp`, `rm`, `rmdir` and `sed -i` of paths that could also be edited. For a moved
 * or copied folder every entry is checked at its new place.
 */
import { basename, dirname, join } from 'node:path';
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { decideFile } from '../files/fileDecision.ts';
import { contains } from '../files/filePattern.ts';
import { hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { foldText } from '../files/sensitive.ts';
import { type OptionList, readOptions } from '../options/readOptions.ts';
import { gravest, isTracked, type Policy, workspaceFolders } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import { sedUse } from '../readOnly/sed.ts';
import { hasSafeEnvironment } from '../rules/commandRule.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { changesDirectory, type Visit } from '../shell/workingDirectory.ts';

const commands: Readonly<Record<string, OptionList>> = {
  mkdir: { flags: 'pv', long: ['--parents', '--verbose'] },
  touch: { flags: 'acm' },
  mv: { flags: 'finv', long: ['--force', '--no-clobber', '--verbose'] },
  cp: { flags: 'aRrfinpuv', long: ['--recursive', '--force', '--no-clobber', '--verbose'] },
  rm: { flags: 'rRfvd', long: ['--recursive', '--force', '--verbose', '--dir'] },
  rmdir: { flags: 'v', long: ['--verbose'] },
};

/** Folders that builds recreate, unless git tracks them; deleting any other folder is left to the user. */
export const buildOutput =
  /(?:^|\/)(?:dist|build|out|target|coverage|node_modules|\.next|\.cache|\.turbo|\.parcel-cache|__pycache__|\.pytest_cache|\.mypy_cache|\.ruff_cache)\/?$/;

/** Of these, folders that never hold anything but what tools make again. */
const caches = /(?:^|\/)(?:node_modules|coverage|__pycache__|\.[^/]+)\/?$/;

/** The effect of one such command. */
type PlainEdit =
  | { readonly type: 'make'; readonly paths: readonly string[]; readonly foldersOnly: boolean }
  /** Removes entries, or replaces them by other content: links, not what they lead to. `whole`: with everything in it. */
  | {
      readonly type: 'remove' | 'rewrite';
      readonly paths: readonly string[];
      readonly whole: boolean;
    }
  | {
      readonly type: 'transfer';
      readonly moves: boolean;
      /** True if folders and links are transferred as they are, and not only file contents. */
      readonly whole: boolean;
      readonly sources: readonly string[];
      readonly target: string;
    };

/** Paths that a command may change before or while one of its parts runs; null = unknown. */
export type Touched = readonly string[] | null;

/**
 * Undefined for another command, or one that is not understood. `others`: the paths that other parts of the command
 * touch.
 */
export function decideEdits(visit: Visit, others: Touched, policy: Policy): PermissionDecision | undefined {
  const edit = readEdit(visit.part, policy);
  if (edit === undefined || visit.directories === null || !hasSafeEnvironment(visit.part)) return undefined;
  const verdicts = visit.directories.flatMap((directory) => {
    const at = (word: string): string => locate(word, directory, policy);
    if (edit.type === 'make')
      return edit.paths.map((word) => decideWrite(at(word), policy, !edit.foldersOnly));
    if (edit.type === 'transfer')
      return edit.sources.flatMap((source) => decideTransfer(source, edit, directory, others, policy));
    return edit.paths.flatMap((word) => decideEntry(at(word), edit, others, policy));
  });
  const gravestOne = gravest(verdicts);
  // Only allowed writes count, not the reads they need.
  const worst =
    gravestOne?.behavior === 'allow'
      ? (verdicts.find(({ basis }) => basis !== 'read-only') ?? gravestOne)
      : gravestOne;
  const replaces =
    worst?.behavior === 'allow' && verdicts.some(({ basis }) => basis === 'mode')
      ? visit.directories.flatMap((directory) => replacedBy(edit, directory, policy))
      : [];
  return (
    worst && {
      behavior: worst.behavior,
      reason: worst.reason,
      ...(replaces.length > 0 && { replaces }),
      ...(worst.basis && { basis: worst.basis }),
      ...(worst.rule && { rule: worst.rule }),
    }
  );
}

/** The paths that are removed, or replaced if they exist. */
function replacedBy(edit: PlainEdit, directory: string, policy: Policy): readonly string[] {
  if (edit.type === 'make') return [];
  const at = (word: string): string => locate(word, directory, policy);
  const below = (path: string): readonly string[] =>
    edit.whole ? (policy.listTree(path)?.map((entry) => entry.path) ?? ['']) : [''];
  if (edit.type !== 'transfer')
    return edit.paths
      .filter((path) => !edit.whole || !caches.test(path))
      .flatMap((path) => below(at(path)).map((name) => join(at(path), name)));
  const target = at(edit.target);
  return edit.sources.map(at).flatMap((source) => {
    const ends = [target, join(target, basename(source)), ...(edit.moves ? [source] : [])];
    return below(source).flatMap((name) => ends.map((end) => join(end, name)));
  });
}

/**
 * Every path that such a command touches, including each operand; undefined for another command, or one that is not
 * understood.
 */
export function editedPaths(
  part: CommandPart,
  policy: Pick<Policy, 'platform'>,
): readonly string[] | undefined {
  const edit = readEdit(part, policy);
  if (edit === undefined) return undefined;
  if (edit.type !== 'transfer') return edit.paths;
  const { sources, target } = edit;
  // If the target is a folder, the entry of the same name in it is written, which may be a link.
  return [...sources, target, ...sources.map((source) => join(target, basename(source)))];
}

/** Maximum number of parts, or of sources of one part, that are compared with each other. */
const MAX_COMPARED = 40;

/** What the rest of a command may do before or while one of its parts runs. */
export interface Around {
  /** Paths that may change. */
  readonly touched: Touched;
  /** These, and new folders: they change nothing, but have names, which a pattern or a search finds. */
  readonly named: Touched;
}

/** For each part: what earlier parts and redirections may do; without a certain order, all other parts. */
export function aroundEach(
  visits: readonly Visit[],
  writes: readonly (string | null)[],
  policy: Policy,
): readonly Around[] {
  const redirected = redirections(visits, writes, policy);
  const touched = touchedByOthers(visits, redirected, (visit) => touchedBy(visit, false, policy));
  const named = touchedByOthers(visits, redirected, (visit) => touchedBy(visit, true, policy));
  return visits.map((_, index) => ({ touched: touched[index] ?? null, named: named[index] ?? null }));
}

/** For each part: the paths that redirections and those earlier parts that count may change; see `aroundEach`. */
export function touchedBefore(
  visits: readonly Visit[],
  writes: readonly (string | null)[],
  counts: (part: CommandPart) => boolean,
  policy: Policy,
): readonly Touched[] {
  const touch = (visit: Visit): Touched => (counts(visit.part) ? touchedBy(visit, false, policy) : []);
  return touchedByOthers(visits, redirections(visits, writes, policy), touch);
}

function touchedByOthers(
  visits: readonly Visit[],
  redirected: Touched,
  touch: (visit: Visit) => Touched,
): readonly Touched[] {
  const own = visits.map(touch);
  const isTooMuch = own.filter((touched) => touched?.length !== 0).length > MAX_COMPARED;
  return visits.map(({ part }, index) => {
    if (isTooMuch) return null;
    const later = part.certain ? [] : own.slice(index + 1);
    const counted = [
      redirected,
      ...own.slice(0, index),
      ...(part.repeats ? own.slice(index, index + 1) : []),
      ...later,
    ];
    return counted.includes(null) ? null : counted.flatMap((paths) => paths ?? []);
  });
}

function redirections(visits: readonly Visit[], writes: readonly (string | null)[], policy: Policy): Touched {
  const files = writes.filter((path) => path === null || !/^\/dev\/(?:null|stdout|stderr|tty)$/.test(path));
  if (files.length === 0) return [];
  const directories = new Set<string>();
  for (const { directories: own, goesTo } of visits) {
    if (own === null || goesTo === null || files.length > MAX_COMPARED) return null;
    for (const directory of [...own, ...goesTo]) directories.add(directory);
  }
  return files.includes(null)
    ? null
    : files.flatMap((path) => [...directories].map((directory) => locate(path ?? '', directory, policy)));
}

function touchedBy({ part, directories }: Visit, countsFolders: boolean, policy: Policy): Touched {
  if (part.argv.length === 0 || changesDirectory(part)) return [];
  const edit = readEdit(part, policy);
  if (edit === undefined) return readOnlyUse(part) === undefined ? null : [];
  // A new, empty folder has no effect on what is copied.
  if (edit.type === 'make' && edit.foldersOnly && !countsFolders) return [];
  if (directories === null) return null;
  return directories.flatMap((directory) => {
    const at = (word: string): string => locate(word, directory, policy);
    if (edit.type !== 'transfer') return edit.paths.map(at);
    const target = at(edit.target);
    return [
      ...(edit.moves ? edit.sources.map(at) : []),
      ...edit.sources.map((source) => join(target, basename(source))),
      ...(policy.isDirectory(target) ? [] : [target]),
    ];
  });
}

function decideWrite(path: string, policy: Policy, isFile = true): PermissionDecision {
  return decideFile({ tool: 'Edit', verb: 'write', path, isFile }, policy, true);
}

function decideEntry(
  path: string,
  { type, whole }: Extract<PlainEdit, { type: 'remove' | 'rewrite' }>,
  others: Touched,
  policy: Policy,
): readonly PermissionDecision[] {
  const plain = decideWrite(path, policy);
  const ask = (reason: string): PermissionDecision[] => [plain, { behavior: 'ask', reason }];
  const place = join(policy.realpath(dirname(path)), basename(path));
  if (!workspaceFolders(policy).some((folder) => contains(policy.realpath(folder), place)))
    return ask(`${place} is outside the project.`);
  // Afterwards, it could no longer be recognized and redacted.
  if (type === 'rewrite' && policy.holdsAnySecret?.(policy.realpath(path)) === true)
    return ask(`${path} contains what looks like a secret.`);
  if (!whole) return [plain];
  if (workspaceFolders(policy).some((folder) => contains(path, policy.realpath(folder))))
    return ask(`${path} contains the project.`);
  if (isTracked(policy.realpath(path), policy)) return ask(`Git tracks ${path}.`);
  if (others === null || others.some((other) => overlap(other, path)))
    return ask(`The contents of ${path} are known only at run time.`);
  const entries = policy.listTree(path);
  if (entries === undefined) return ask(`${path} has too many files to check.`);
  return [plain, ...entries.map((entry) => decideWrite(join(path, entry.path), policy))];
}

function decideTransfer(
  source: string,
  edit: Extract<PlainEdit, { type: 'transfer' }>,
  directory: string,
  others: Touched,
  policy: Policy,
): readonly PermissionDecision[] {
  const { moves, whole } = edit;
  const from = locate(source, directory, policy);
  const target = locate(edit.target, directory, policy);
  // If the target is a folder, the entry of the same name in it is written, which may be a link.
  const ends = [...new Set([target, join(target, basename(source))])];
  const take = (path: string): PermissionDecision =>
    moves ? decideWrite(path, policy) : decideFile({ tool: 'Read', verb: 'read', path }, policy, true);
  const plain = [take(from), ...ends.map((end) => decideWrite(end, policy))];
  if (!whole) return plain;

  const ask = (reason: string): PermissionDecision[] => [...plain, { behavior: 'ask', reason }];
  if (basename(source) === '..') return ask(`${source} is a parent folder.`);
  if (
    others === null ||
    others.some((path) => overlap(path, from)) ||
    overlapsItself(edit, directory, policy)
  )
    return ask(`The contents of ${source} are known only at run time.`);
  const entries = policy.listTree(from);
  if (entries === undefined) return ask(`${from} has too many files to check.`);
  const link = entries.find(({ kind }) => kind === 'link');
  if (link !== undefined)
    return ask(`${join(from, link.path)} is a link, which may lead elsewhere from its new location.`);
  const below = entries.filter(({ path }) => path !== '');
  return [
    ...plain,
    ...below.flatMap(({ path }) => [
      take(join(from, path)),
      ...ends.map((end) => decideWrite(join(end, path), policy)),
    ]),
  ];
}

/** True if transferring one source may change the next one. */
function overlapsItself(
  { sources, target }: Extract<PlainEdit, { type: 'transfer' }>,
  directory: string,
  policy: Policy,
): boolean {
  if (sources.length < 2 || sources.length > MAX_COMPARED) return sources.length > 1;
  const into = locate(target, directory, policy);
  const ends = sources.map((source) => join(into, basename(source)));
  return sources.some((source) => ends.some((end) => overlap(end, locate(source, directory, policy))));
}

function overlap(a: string, b: string): boolean {
  const [left, right] = [foldText(a), foldText(b)];
  return contains(left, right) || contains(right, left);
}

function readEdit(part: CommandPart, { platform }: Pick<Policy, 'platform'>): PlainEdit | undefined {
  const [name, ...args] = part.argv;
  const list = name != null && Object.hasOwn(commands, name) ? commands[name] : undefined;
  // Unknown regardless of its text, because shells interpret it differently (`=x` in zsh).
  if (part.runs === null) return undefined;
  if (name === 'sed') return platform === 'darwin' ? undefined : readSedEdit(args);
  const read = list && readOptions(args, list);
  if (read === undefined || read.operands.length === 0) return undefined;
  const paths = read.operands.filter((word) => word !== null);
  if (paths.length < read.operands.length || paths.some(hasGlob)) return undefined;
  if (name === 'mkdir' || name === 'touch') return { type: 'make', paths, foldersOnly: name === 'mkdir' };
  const isRecursive = read.options.some((option) => /^(?:-[aRr]|--recursive)$/.test(option.name));
  if (isRecursive && name === 'rm' && !paths.every((path) => buildOutput.test(path))) return undefined;
  if (name === 'rm' || name === 'rmdir') return { type: 'remove', paths, whole: isRecursive };
  const target = paths.at(-1);
  if (target === undefined || paths.length < 2) return undefined;
  const moves = name === 'mv';
  const whole = moves || isRecursive;
  return { type: 'transfer', moves, whole, sources: paths.slice(0, -1), target };
}

/**
 * `sed -i` with a script that starts no program and names no other file. Of GNU's sed: for that of
 * BSD and macOS, the word after `-i` is a suffix, and the one after that the script.
 */
function readSedEdit(args: readonly (string | null)[]): PlainEdit | undefined {
  const inPlace = args.findIndex((word) => /^(?:-i|--in-place)$/.test(word ?? ''));
  const words = args.filter((word, at) => word !== null && at !== inPlace) as readonly string[];
  if (inPlace === -1 || words.length < args.length - 1) return undefined;
  const paths = sedUse(words)?.contents;
  if (paths === undefined || paths.length === 0 || paths.some(hasGlob)) return undefined;
  return { type: 'rewrite', paths, whole: false };
}
