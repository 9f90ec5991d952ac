/**
 * What git shows after another part of the same command has changed the index, objects or names: `git add -A && git diff
 * --cached`. Decisions are made before the command runs, so any file that could have been added counts as shown.
 */
import { basename, dirname } from 'node:path';
import { programName } from '../options/programTable.ts';
import type { Policy } from '../policy.ts';
import { readOnlyUse } from '../readOnly/readOnly.ts';
import type { ReadOnlyUse, Tree } from '../readOnly/use.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

/** For each part of a command, whether such a change may come before it. */
export function followsGitChange(parts: readonly CommandPart[]): readonly boolean[] {
  const changes = parts.map((part) => programName(part.argv[0]) === 'git' && readOnlyUse(part) === undefined);
  return parts.map((part, index) => {
    const others = part.certain && !part.repeats ? changes.slice(0, index) : changes.toSpliced(index, 1);
    return others.includes(true);
  });
}

/** The files that may have been added to the repository at a directory. */
export function filesToAdd(directory: string, policy: Policy): Tree {
  const folder = policy.gitFolder(directory) ?? '';
  return {
    path: basename(folder) === '.git' ? dirname(folder) : policy.root,
    ...{ hidden: true, follows: false, without: ['.git', 'node_modules'] },
  };
}

/** What a git command accesses after such a change. */
export function withFilesToAdd(
  use: ReadOnlyUse,
  directories: readonly string[] | null,
  policy: Policy,
): ReadOnlyUse {
  if (!showsContent(use)) return use;
  const added = (directories ?? [policy.root]).map((directory) => filesToAdd(directory, policy));
  return { ...use, trees: [...(use.trees ?? []), ...added] };
}

/** True if a git command shows the content of files that none of its words names. */
export const showsContent = ({ shown = [], tracked = [] }: ReadOnlyUse): boolean =>
  shown.length + tracked.length > 0;
