/** Git commands whose words name the commit that `git merge-base` prints: `git diff $(git merge-base main HEAD)`. */
import type { Argument, Pipeline } from '../shell/argument.ts';
import { gitUse } from './git.ts';
import { mergeUses, type ReadOnlyUse } from './use.ts';

/** In place of the commit, which no repository has. */
const COMMIT = '0'.repeat(40);

/**
 * The output is always an object id, or nothing. Branches may move before the command runs, so the command may show any
 * file in the history. Other commands that name commits print tags or branches, which may look like options.
 */
export function commitUse([first, ...words]: readonly Argument[]): ReadOnlyUse | undefined {
  if (first?.type !== 'text' || first.text !== 'git') return undefined;
  const args: string[] = [];
  const bases: string[] = [];
  for (const word of words) {
    if (word.type === 'text') args.push(word.text);
    else {
      const printed = word.type === 'output' && word.printed?.use !== 'word' ? word.printed : undefined;
      const named = printed && namedCommits(printed.by);
      if (printed === undefined || named === undefined || !/^(?:\.{2,3}[\w./-]*)?$/.test(printed.after))
        return undefined;
      args.push(`${COMMIT}${printed.after}`);
      bases.push(...named);
    }
  }
  // Without quotes, nothing is no word.
  const uses = [args, args.filter((word) => word !== COMMIT)].map(gitUse);
  const isKnown = bases.length > 0 && !uses.includes(undefined);
  return isKnown ? withAnyCommit(mergeUses(uses.filter((use) => use !== undefined)), bases) : undefined;
}

/** The commits whose common ancestor is printed. */
function namedCommits([run = [], ...filters]: Pipeline): readonly string[] | undefined {
  const [name, subcommand, ...commits] = run.map((word) => (word.type === 'text' ? word.text : ''));
  const isKnown =
    filters.length === 0 && commits.length === 2 && commits.every((word) => /^\w[\w./@{}~^-]*$/.test(word));
  return name === 'git' && subcommand === 'merge-base' && isKnown ? commits : undefined;
}

function withAnyCommit(use: ReadOnlyUse, bases: readonly string[]): ReadOnlyUse {
  const isNamed = (word: string): boolean => !word.includes(COMMIT);
  return {
    ...use,
    contents: use.contents.filter(isNamed),
    names: use.names.filter(isNamed),
    ...(use.tracked && { tracked: use.tracked.filter(isNamed) }),
    shown: (use.shown ?? []).map(({ objects, onDisk = [] }) => ({
      objects: [...new Set([...objects.filter(isNamed), ...bases])],
      onDisk,
      kind: 'any',
    })),
  };
}
