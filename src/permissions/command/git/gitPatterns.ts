/**
 * Patterns without quotes among the paths of a git command (`git diff -- src/*.ts`). The shell passes the matching files,
 * or the pattern itself if there are none. As its own pattern, git takes it for at least these files.
 */
import { relative } from 'node:path';
import { locate } from '../../files/locate.ts';
import type { Policy } from '../../policy.ts';
import { readOnlyUse } from '../../readOnly/readOnly.ts';
import type { ReadOnlyUse } from '../../readOnly/use.ts';
import type { Argument } from '../../shell/argument.ts';
import type { Visit } from '../../shell/workingDirectory.ts';
import type { Touched } from '../plainEdits.ts';

/**
 * What a command shows with its patterns as git's own. Unchanged if another part of the command may create a file that
 * they match, or if git could take a match for something other than the name of a file.
 */
export function withGitPatterns(
  use: ReadOnlyUse,
  { part, directories }: Visit,
  named: Touched,
  policy: Policy,
): ReadOnlyUse {
  const { patterns = [] } = use;
  if (patterns.length === 0 || part.runs === null || directories === null || named?.length !== 0) return use;
  const areNames = patterns.every(({ pattern }) =>
    directories.every((directory) => matchesNames(pattern, directory, policy)),
  );
  if (!areNames || !part.runs.every(takesPatterns)) return use;
  const quoted = readOnlyUse({ ...part, runs: part.runs.map((run) => run.map(asText)) });
  if (quoted === undefined) return use;
  const { tracked, shown } = quoted;
  return { ...use, ...(tracked && { tracked }), ...(shown && { shown }) };
}

/**
 * True for the subcommands whose paths may be patterns. In the current folder, they refuse a word without `--` that is
 * both a commit and a file.
 */
function takesPatterns(run: readonly Argument[]): boolean {
  const words = run.map((word) => (word.type === 'text' ? word.text : ''));
  const name = words.slice(1).find((word) => !/^(?:--no-pager|--no-optional-locks|-P)$/.test(word));
  return words[0] === 'git' && /^(?:diff|diff-files|diff-index|diff-tree|grep|log|show)$/.test(name ?? '');
}

const asText = (word: Argument): Argument =>
  word.type === 'files' ? { type: 'text', text: word.pattern } : word;

/** A pattern that means the same to every shell, and no less to git. */
const plainPattern = /^(?![-=~])[\w./@%+=,*?[\]-]+$/;

/** True if everything that a pattern matches is the name of a file to git: no option, commit, range or magic. */
function matchesNames(pattern: string, directory: string, policy: Policy): boolean {
  if (!plainPattern.test(pattern)) return false;
  const files = policy.expandGlob(locate(pattern, directory, policy));
  return files?.map((file) => relative(directory, file)).every(isName) === true;
}

const isName = (word: string): boolean =>
  /^(?![-:])[^~^:{}\\\p{Cc}]*$/u.test(word) &&
  word.split('/').every((part) => part === '..' || !part.includes('..'));
