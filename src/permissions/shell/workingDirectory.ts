/** Determines where each part of a command may run, following `cd`. */

import { resolve } from 'node:path';
import { locate } from '../files/locate.ts';
import type { CommandPart } from './parsedCommand.ts';

export interface Visit {
  readonly part: CommandPart;
  /** The directories in which it may run; null = unknown. */
  readonly directories: readonly string[] | null;
  /** True if the command has, or may have, changed directory before. */
  readonly moved: boolean;
  /** For a part that changes directory: the targets, from each of `directories`; null = unknown. */
  readonly goesTo: readonly string[] | null;
}

interface Place {
  readonly home: string;
  readonly realpath: (path: string) => string;
  readonly isDirectory: (path: string) => boolean;
  readonly repositoryTop: (directory: string) => string | undefined;
}

const maxDirectories = 16;

/** After a `cd` that may not happen (after `||`, in a subshell) both directories are possible. */
export function track(parts: readonly CommandPart[], cwd: string, place: Place): readonly Visit[] {
  let directories: readonly string[] | null = [cwd];
  let moved = false;
  return parts.map((part) => {
    const before = directories;
    if (!changesDirectory(part)) return { part, directories: before, moved, goesTo: [] };
    const target = destination(part);
    const goesTo =
      target === undefined || before === null
        ? null
        : toAll(before.map((directory) => destinations(target, directory, place)));
    if (goesTo === null || before === null) directories = null;
    else if (
      isPlain(part) &&
      // If git prints nothing, the shell stays.
      target !== TOP &&
      (part.certain || (part.isReached && mustSucceed(target, before, goesTo, place)))
    )
      directories = goesTo;
    else directories = [...new Set([...before, ...goesTo])];
    if (directories !== null && directories.length > maxDirectories) directories = null;
    const visit = { part, directories: before, moved, goesTo };
    moved = true;
    return visit;
  });
}

function toAll(lists: readonly (readonly string[] | undefined)[]): readonly string[] | null {
  const known = lists.flatMap((list) => list ?? []);
  return lists.includes(undefined) ? null : [...new Set(known)];
}

/** Stands for the output of git; no path contains this character. */
const TOP = '\0';
const asksForTop = /^(?:\$\(git rev-parse --show-toplevel\)|"\$\(git rev-parse --show-toplevel\)")$/;

/** True if the command goes to the top of the repository, as git prints it. */
export const goesToTop = (part: CommandPart): boolean =>
  changesDirectory(part) && part.raw.some((word) => asksForTop.test(word));

/**
 * For `cd`, the parent of a link is the directory of the link, or with `-P` the parent of its target. undefined if that is
 * unknown, as for a path that the shell may split or expand.
 */
const destinations = (target: string, directory: string, place: Place): readonly string[] | undefined => {
  if (target === TOP) {
    const top = place.repositoryTop(place.realpath(directory));
    return top !== undefined && /^[\w./@%+-]+$/.test(top) ? [top] : undefined;
  }
  const real = locate(target, directory, place);
  const path = target === '~' || target.startsWith('~/') ? real : resolve(directory, target);
  return place.realpath(path) === place.realpath(real) ? [path] : [path, real];
};

/** True if a `cd` cannot fail: its targets exist, and so do the folders that `..` leaves again (`cd file/..` fails). */
function mustSucceed(
  target: string | undefined,
  from: readonly string[],
  targets: readonly string[],
  place: Place,
): boolean {
  const names = target?.split('/') ?? [];
  const left = names.flatMap((name, at) =>
    name === '..' && at > 0 ? [names.slice(0, at).join('/') || '/'] : [],
  );
  const passed = from.flatMap((directory) => left.map((path) => locate(path, directory, place)));
  return [...passed, ...targets].every((path) => canEnter(path, place));
}

/** `directory/.` exists only for users with search permission on the directory. */
const canEnter = (directory: string, place: Place): boolean => place.isDirectory(`${directory}/.`);

/**
 * True for a `cd` in a form that bash, dash and zsh interpret alike. In any other form the shell may stay where it is:
 * `env cd x` is a program of that name, bash has no `chdir`, zsh no `command cd`, and only bash has `-e`.
 */
function isPlain({ argv: [name, ...args], full, raw }: CommandPart): boolean {
  const operands = args.slice(args.findIndex((word) => !/^-[LP]$/.test(word ?? '')));
  const rest = operands[0] === '--' ? operands.slice(1) : operands;
  const isWrapped = full.length !== args.length + 1;
  // In dash a dollar sign before quotes is a character.
  return name === 'cd' && !isWrapped && rest.length <= 1 && !raw.some((word) => word.includes("$'"));
}

/** True if the command changes, or may change, the shell's directory. */
export const changesDirectory = ({ argv }: Pick<CommandPart, 'argv'>): boolean =>
  /^(?:cd|pushd|popd|chdir)$/.test(argv[0] ?? '');

/** The argument of `cd`; undefined if it is not one plain directory, or the command may repeat. */
function destination(part: CommandPart): string | undefined {
  if (part.repeats || part.argv[0] === 'popd' || part.envPrefix.length > 0) return undefined;
  if (part.argv[0] === 'cd' && part.argv.length === 2 && goesToTop(part)) return TOP;
  const words = part.argv.slice(1).filter((word) => !/^-(?:[LPe]|-)$/.test(word ?? ''));
  const [target = '~'] = words;
  const plain = words.length <= 1 && target !== null && !/^[-+]|[*?[]/.test(target);
  if (!plain || target === '') return undefined;
  // In quotes it is a character.
  const isQuoted = words.length > 0 && !part.raw[part.argv.lastIndexOf(target)]?.startsWith('~');
  return target.startsWith('~') && isQuoted ? `./${target}` : target;
}

/** Every directory in which a command may be at some time; null = unknown. */
export function everyDirectory(visits: readonly Visit[], cwd: string): readonly string[] | null {
  const all = new Set([cwd]);
  for (const { directories, goesTo } of visits) {
    if (directories === null || goesTo === null) return null;
    for (const directory of [...directories, ...goesTo]) all.add(directory);
  }
  return [...all];
}
