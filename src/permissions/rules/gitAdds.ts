/**
 * The files that a git command copies from the working tree into the repository, most of which no word names: `git add -A`,
 * `git commit -a`, `git stash -u`.
 */
import { gitPlaceOf, textWords } from '../command/words.ts';
import { locate } from '../files/locate.ts';
import type { Shown } from '../lookups/gitShown.ts';
import { programName } from '../options/programTable.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

interface Added {
  /** Pathspecs, relative to the directory of the command. */
  readonly paths: readonly string[];
  /** Of the files that are not tracked yet: all, all but the ignored ones, or none. */
  readonly others: 'all' | 'listed' | 'none';
  /** Whether it also adds changed files that are tracked. */
  readonly changed: boolean;
}

const WHOLE = [':/'];

/** These files, absolute; undefined if they are not known. Empty for other programs. */
export function addedFiles(
  part: CommandPart,
  directory: string,
  policy: Policy,
): readonly string[] | undefined {
  if (programName(part.argv[0]) !== 'git') return [];
  const at = subcommandAt(part.argv);
  const text = textWords(part);
  const args = part.argv.flatMap((word, index) =>
    index <= at || word === null || text.has(index) ? [] : [word],
  );
  const added = addedBy(part.argv[at] ?? '', args);
  if (added === 'unknown') return undefined;
  if (added === 'nothing' || added.paths.length === 0) return [];
  const place = gitPlaceOf(part, at, directory, policy);
  if (place === undefined) return undefined;
  return policy.gitShows(policy.realpath(place), queryFor(added, place, policy), workspaceFolders(policy));
}

function queryFor({ paths, others, changed }: Added, directory: string, policy: Policy): Shown {
  const standard = others === 'all' ? [] : ['--exclude-standard'];
  const tracked = changed ? paths.filter((path) => namesTracked(path, directory, policy)) : [];
  return {
    objects: [],
    listed: others === 'none' ? [] : [{ options: ['--others', ...standard], paths }],
    // Those that differ from the index, as for `git restore`.
    ...(tracked.length > 0 && { restored: tracked }),
  };
}

/**
 * What the words mean, or more than that if an option may be undone by another one. Source: git-add(1), git-commit(1),
 * git-stash(1).
 */
function addedBy(name: string, args: readonly string[]): Added | 'nothing' | 'unknown' {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const options = args.slice(0, end).filter((word) => word.startsWith('-'));
  const has = (option: RegExp): boolean => options.some((word) => option.test(word));
  const operands = args.filter((word, at) => at > end || (at < end && !word.startsWith('-')));
  const isUndone = has(/^--no-/);
  switch (name) {
    case 'add':
    case 'stage': {
      if (has(/^(?:-n|--dry-run)$/) && !isUndone) return 'nothing';
      if (has(/^--pathspec-f/)) return 'unknown';
      const isWhole = operands.length === 0 && has(/^(?:-[A-Za-z]*[Au]|--(?:al|up|no-ignore-r))/);
      const onlyTracked = !isUndone && has(/^(?:-[A-Za-z]*u|--(?:up|ren|ref))/);
      const isForced = has(/^(?:-[A-Za-z]*f|--fo)/);
      return {
        paths: isWhole ? WHOLE : operands,
        others: onlyTracked ? 'none' : isForced ? 'all' : 'listed',
        changed: true,
      };
    }
    case 'commit': {
      if (has(/^--pathspec-f/)) return 'unknown';
      // Letters before the first one that takes a value.
      const isWhole = has(/^(?:-[^-mFCctSu]*a|--al)/);
      return { paths: isWhole ? WHOLE : operands, others: 'none', changed: true };
    }
    case 'stash': {
      if (!/^(?:push|save)$/.test(operands[0] ?? 'push') || !has(/^(?:-[A-Za-z]*[ua]|--(?:inc|al))/))
        return 'nothing';
      const isForced = has(/^(?:-[A-Za-z]*a|--al)/);
      return { paths: WHOLE, others: isForced ? 'all' : 'listed', changed: false };
    }
    default:
      return 'nothing';
  }
}

/** True if a pathspec may name a tracked file; the words of `git commit` include values of options. */
function namesTracked(word: string, directory: string, policy: Policy): boolean {
  if (/^:|[*?[\\]/.test(word)) return true;
  const path = policy.realpath(locate(word, directory, policy));
  const files = policy.trackedFiles(policy.realpath(directory));
  return files?.some((one) => one === path || one.startsWith(`${path}/`)) !== false;
}
