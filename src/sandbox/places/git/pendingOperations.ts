/** Finds what git runs when the user continues an operation that a command has left unfinished, such as a rebase. */
import { join } from 'node:path';
import { readSmallText, statOf } from '../../../disk/fileLookups.ts';
import { ownGitFolders, worktreesIn } from './gitFolders.ts';

/** Git's own strategies; any other is a program. Source: git-merge, Merge strategies. */
const strategies = /^(?:|recursive|ort|resolve|octopus|ours|subtree)$/;

/** The files in which git notes the remaining steps, and when these start programs. Source: git's sequencer.c. */
const runsPrograms: Readonly<Record<string, (text: string) => boolean>> = {
  'rebase-merge/git-rebase-todo': (text) => /^[ \t]*(?:x|exec)[ \t]/m.test(text),
  'rebase-merge/strategy': (text) => !strategies.test(text.trim()),
  'sequencer/opts': (text) =>
    [...text.matchAll(/^\s*strategy\s*=(.*)$/gim)].some(([, name = '']) => !strategies.test(name.trim())),
};

/**
 * The files that make git start programs when an operation is continued in the repository at this folder or in a linked
 * worktree; absolute.
 */
export function pendingPrograms(root: string): readonly string[] {
  const folders = ownGitFolders(root);
  return [...folders, ...folders.flatMap((folder) => worktreesIn(folder).found)].flatMap((folder) =>
    Object.entries(runsPrograms).flatMap(([name, runs]) => {
      const path = join(folder, name);
      const text = readSmallText(path);
      const isUnread = text === '' && (statOf(path)?.size ?? 0) > 0;
      return isUnread || runs(text) ? [path] : [];
    }),
  );
}
