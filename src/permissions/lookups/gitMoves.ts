/** Finds the files that git writes when it checks out, merges or applies commits. */

/** A checkout, merge or application of commits. */
export interface Moves {
  readonly how: 'switch' | 'merge' | 'pick' | 'stash';
  /** Names of commits, among other words. */
  readonly words: readonly string[];
  /** True if uncommitted changes are lost. */
  readonly drops: boolean;
}

type Git = (args: readonly string[], input?: string) => string | undefined;

const NAMES = ['-z', '--name-only', '--no-renames', '--no-relative'];

/**
 * The names of the files that git writes, in lists; an unknown list is undefined. A word that is not a commit writes
 * nothing. `onDisk`: the files that may have changed on disk.
 */
export function movedNames(
  git: Git,
  { how, words, drops }: Moves,
  onDisk: () => string | undefined,
): readonly (string | undefined)[] {
  // If uncommitted changes are lost, those files are written as well.
  const dropped = drops ? [git(['diff', '--cached', ...NAMES, 'HEAD', '--']), onDisk()] : [];
  return [
    ...dropped,
    ...words.flatMap((word) => (word.includes('\n') ? [undefined] : namesOf(git, how, word))),
  ];
}

/** The names of the files in a stash, including untracked ones; see `movedNames`. */
export const stashedNames = (git: Git, word: string): readonly (string | undefined)[] => {
  const lists = namesOf(git, 'stash', word);
  return lists.length === 0 ? [undefined] : lists;
};

function namesOf(git: Git, how: Moves['how'], word: string): readonly (string | undefined)[] {
  if (how === 'pick' && word.includes('..'))
    return [git(['log', '--format=', '-m', '--root', ...NAMES, '--end-of-options', word, '--'])];
  return commitsOf(git, word).flatMap((id) => namesOfCommit(git, how, id));
}

function namesOfCommit(git: Git, how: Moves['how'], id: string): readonly (string | undefined)[] {
  switch (how) {
    case 'switch':
      return [git(['diff-tree', '-r', ...NAMES, 'HEAD', id])];
    case 'merge':
      // Changes on that branch since the merge base; without a merge base, everything that differs.
      return [
        git(['diff', ...NAMES, `HEAD...${id}`, '--']) ?? git(['diff-tree', '-r', ...NAMES, 'HEAD', id]),
      ];
    case 'pick':
      return [git(['log', '--no-walk', '--format=', '-m', '--root', ...NAMES, id, '--'])];
    case 'stash': {
      const untracked = git(['ls-tree', '-r', '-z', '--name-only', '--full-tree', `${id}^3`]) ?? '';
      return [git(['diff-tree', '-r', ...NAMES, `${id}^1`, id]), untracked];
    }
  }
}

/** The commits that a word may mean: git also finds a remote branch of that name. */
function commitsOf(git: Git, word: string): readonly string[] {
  const id = git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${word}^{commit}`])?.trim();
  if (id !== undefined) return [id];
  if (!/^[\w./-]+$/.test(word) || word.includes('..')) return [];
  return (
    git(['for-each-ref', '--format=%(objectname)', `refs/remotes/*/${word}`])?.match(/[\da-f]{40,}/g) ?? []
  );
}
