/** Passwords and tokens that settings held in any version that git keeps, whatever is in them now. */
import { relative } from 'node:path';
import { credentialIn } from './credentialSettings.ts';
import { findObjects, type Git } from './gitContent.ts';

/** With more settings files than this, the answer is true without a search. */
const MAX_FILES = 20;

/** With the colors that settings may force, no line would begin with its sign. */
const DIFF = [
  ...['-p', '-U0', '--text', '--no-color'],
  ...['--no-renames', '--no-ext-diff', '--no-textconv', '--no-relative'],
];

/** Commits of a merge or the like in progress, or fetched last: no branch may contain them. gitglossary(7) */
const PSEUDO_REFS = [
  'MERGE_HEAD',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'ORIG_HEAD',
  'FETCH_HEAD',
];

/**
 * True if one of these settings ever held a credential: in the history, in the index, or in the commits among `objects`,
 * which no branch may contain. Also true if that cannot be determined. `paths` are absolute.
 */
export function heldCredentials(
  git: Git,
  worktree: string,
  paths: readonly string[],
  objects: readonly string[],
): boolean {
  const found = findObjects(git, [...objects, ...PSEUDO_REFS]);
  if (found === undefined || paths.length > MAX_FILES) return true;
  const commits = found.filter(({ type }) => type === 'commit').map(({ id }) => id);
  const places = paths.map((path) => `:(top,literal)${relative(worktree, path)}`);
  const all = ['log', '--all', '--reflog', '--format=', '-m', '--root'];
  const past = git([...all, ...DIFF, ...commits, '--', ...places]);
  const staged = git(['diff', '--cached', ...DIFF, '--', ...places]);
  if (past === undefined || staged === undefined) return true;
  const texts = [past, staged].flatMap(textsIn);
  return paths.some((path) => texts.some((text) => credentialIn(path, text)));
}

/** What each hunk of a diff adds, and what it removes. */
function textsIn(diff: string): readonly string[] {
  const hunks: { readonly added: string[]; readonly removed: string[] }[] = [];
  let isHeader = true;
  for (const line of diff.replaceAll('\0', '').split('\n')) {
    if (line.startsWith('diff --git ')) isHeader = true;
    else if (line.startsWith('@@')) {
      isHeader = false;
      hunks.push({ added: [], removed: [] });
    } else if (!isHeader && /^[+-]/.test(line))
      hunks.at(-1)?.[line.startsWith('+') ? 'added' : 'removed'].push(line.slice(1));
  }
  return hunks.flatMap(({ added, removed }) => [added.join('\n'), removed.join('\n')]);
}
