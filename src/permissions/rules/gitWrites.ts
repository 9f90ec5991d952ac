/** The files of a working tree that a git command writes or deletes, for rules that forbid editing some. */
import { locate } from '../files/locate.ts';
import type { Shown } from '../lookups/gitShown.ts';
import { subcommandAt } from '../options/riskyOptions.ts';
import { type Policy, workspaceFolders } from '../policy.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { movesOf, restored } from './gitScope.ts';

/** Subcommands that leave the files of the working tree as they are, except for those that their words name. */
const leavingFiles = new Set(
  `add annotate archive blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format cherry commit
  commit-graph commit-tree config count-objects describe diff diff-files diff-index diff-tree fast-export fetch fetch-pack
  for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote ls-tree merge-base
  mktag mktree name-rev notes pack-objects pack-refs prune push range-diff reflog remote repack replace request-pull
  rev-list rev-parse shortlog show show-branch show-ref stage status stripspace symbolic-ref tag update-index update-ref
  var verify-commit verify-pack verify-tag version whatchanged write-tree`.split(/\s+/),
);

interface WrittenByGit {
  /** Absolute; `none` if the command changes no file of the working tree. */
  readonly files: readonly string[] | 'none';
  /** New folders that it fills. */
  readonly folders: readonly string[];
}

const none: WrittenByGit = { files: 'none', folders: [] };

/** What a git command that is not read-only writes; undefined if unknown. */
export function writtenByGit(part: CommandPart, directory: string, policy: Policy): WrittenByGit | undefined {
  const at = subcommandAt(part.argv);
  const name = part.argv[at] ?? '';
  const args = part.argv.slice(at + 1).filter((word) => word !== null);
  if (leavingFiles.has(name)) return none;
  // It works in another repository.
  if (part.argv.slice(1, at).some((word) => /^-C|^--(?:git-dir|work-tree)/.test(word ?? '')))
    return undefined;
  const operands = args.filter((word) => !word.startsWith('-'));
  const folders = (): readonly string[] => operands.map((word) => locate(word, directory, policy));
  if (name === 'worktree') return args[0] === 'add' ? { files: 'none', folders: folders() } : none;
  if (name === 'clone') {
    const own =
      operands
        .at(-1)
        ?.replace(/(?:\/|\.git)+$/, '')
        .replace(/^.*[/:]/, '') ?? '.';
    return { files: 'none', folders: [...folders(), locate(own, directory, policy)] };
  }
  // Of the words of `checkout` and `restore`, some are commits and branches.
  const isPath = (word: string): boolean => {
    const path = locate(word, directory, policy);
    return (
      /^:|[*?[\\]/.test(word) ||
      policy.isDirectory(path) ||
      policy
        .trackedFiles(policy.realpath(directory))
        ?.some((one) => one === path || one.startsWith(`${path}/`)) !== false
    );
  };
  const queries = queriesOf(name, args, isPath);
  if (queries === undefined) return undefined;
  if (queries.length === 0) return none;
  const lists = queries.map((query) =>
    policy.gitShows(policy.realpath(directory), query, workspaceFolders(policy)),
  );
  return lists.includes(undefined)
    ? undefined
    : { files: lists.flatMap((files) => files ?? []), folders: [] };
}

/** Queries for the names of all files that a subcommand writes; undefined if it may write any. */
function queriesOf(
  name: string,
  args: readonly string[],
  isPath: (word: string) => boolean,
): readonly Shown[] | undefined {
  const has = (option: RegExp): boolean => args.some((word) => option.test(word));
  const operands = args.filter((word) => !word.startsWith('-'));
  if (has(/^--pathspec-from-file|^-x|^--exec/) && name !== 'clean') return undefined;
  // It ends or continues an operation in progress.
  if (operands.length === 0 && has(/^--(?:abort|continue|quit|skip)/)) return undefined;
  // `main...` is the merge base of two branches.
  if (/^(?:checkout|restore)$/.test(name) && has(/\.\.\./)) return undefined;
  const listed = (options: readonly string[], paths: readonly string[]): readonly Shown[] => [
    { objects: [], listed: [{ options, paths }] },
  ];
  switch (name) {
    case 'restore':
      if (has(/^(?:-S|--staged)$/) && !has(/^-[a-zA-Z]*W|^--work/)) return [];
      return [restored(args, operands.filter(isPath))];
    case 'checkout':
    case 'switch':
    case 'merge':
    case 'rebase':
    case 'cherry-pick':
    case 'revert':
    case 'reset':
    case 'bisect':
      return [
        ...(name === 'checkout' ? [restored(args, operands.filter(isPath))] : []),
        ...moved(name, args),
      ];
    case 'stash': {
      const [action = 'push'] = operands;
      if (/^(?:list|show|drop|clear|create|store)$/.test(action)) return [];
      if (/^(?:pop|apply|branch)$/.test(action)) return moved(name, args);
      const dropped = {
        objects: [],
        moves: { how: 'switch', words: [], drops: true },
      } as const;
      return has(/^-[a-zA-Z]*[ua]|^--(?:inc|all)/) ? [dropped, ...listed(['--others'], [':/'])] : [dropped];
    }
    case 'rm':
      return has(/^--cached$/) ? [] : listed(['--cached'], operands);
    case 'mv':
      return listed(['--cached', '--others'], operands);
    case 'clean':
      if (has(/^-[a-zA-Z]*n|^--dry/)) return [];
      return listed(['--others'], operands.length > 0 ? operands : ['.']);
    default:
      return undefined;
  }
}

function moved(name: string, args: readonly string[]): readonly Shown[] {
  const moves = movesOf(name, args);
  if (moves === undefined) return [];
  return [moves === 'anywhere' ? { objects: [], kind: 'any' } : { objects: [], moves }];
}
