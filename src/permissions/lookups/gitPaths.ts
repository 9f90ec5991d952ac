/**
 * The paths among the words of a git command, as names from the top of the worktree: gitglossary(7), "pathspec". We
 * never pass such words to git ourselves, since its subcommands read them in different ways. Pure.
 */
import { posix } from 'node:path';

/** Where git reads the words: the top folder, and the current one relative to it (`''` or `src/a`). */
export interface WordsPlace {
  readonly worktree: string;
  readonly prefix: string;
}

export interface Within {
  /** Includes at least the names that git includes. */
  readonly has: (name: string) => boolean;
  /** The same for `git ls-files`, or more. */
  readonly specs: readonly string[];
}

const WHOLE = { start: '', end: '' };

/** An excluded path in its plainest form. */
const exclusion = /^:[!^]([\w.@ /-]*[\w.])$/;

/** Without words, or with exclusions only, everything counts, whatever the current folder. */
export function withinPaths(words: readonly string[], place: WordsPlace): Within {
  const left = words.flatMap((word) => {
    const path = exclusion.exec(word)?.[1];
    return path === undefined ? [] : (nameFromTop(path, place) ?? []);
  });
  const taken = words.filter((word) => !exclusion.test(word));
  const spans = taken.length === 0 ? [WHOLE] : taken.map((word) => spanOf(word, place));
  return {
    has: (name) => {
      const folded = name.toLowerCase();
      const isLeft = left.some((path) => name === path || name.startsWith(`${path}/`));
      return !isLeft && spans.some((span) => includes(span, folded));
    },
    specs: spans.map(({ start, end }) => {
      const folder = end === undefined ? start : start.slice(0, Math.max(0, start.lastIndexOf('/')));
      return folder === '' ? ':/' : `:(top,literal)${folder}`;
    }),
  };
}

/** How names begin and end; without an end, the name of a file or folder. */
interface Span {
  readonly start: string;
  readonly end?: string;
}

/** May match more than the pattern. Magic, and what depends on the system, counts as everything. */
function spanOf(word: string, place: WordsPlace): Span {
  const at = word.search(/[*?[\\]/);
  const literal = at === -1 ? word : word.slice(0, at);
  const pattern = at === -1 ? '' : word.slice(at);
  const slash = literal.lastIndexOf('/') + 1;
  const folder = nameFromTop(at === -1 ? literal : literal.slice(0, slash) || '.', place);
  const isOdd = word === '' || word.startsWith(':') || /[^ -~]/.test(`${word}${place.prefix}`);
  if (isOdd || folder === undefined || /\/\//.test(pattern) || /(?:^|\/)\.\.?(?:\/|$)/.test(pattern))
    return WHOLE;
  if (at === -1) return { start: folder };
  const start = `${folder === '' ? '' : `${folder}/`}${literal.slice(slash)}`;
  // Git also takes a pattern literally, as a folder's name.
  const end = /^\*[^?[\\]*$/.test(pattern)
    ? pattern.slice(pattern.lastIndexOf('*') + 1).replace(/\/$/, '')
    : '';
  return { start, end };
}

function includes({ start, end }: Span, name: string): boolean {
  const first = start.toLowerCase();
  if (end === undefined) return first === '' || name === first || name.startsWith(`${first}/`);
  const last = end.toLowerCase();
  return name.startsWith(first) && (name.endsWith(last) || name.includes(`${last}/`));
}

/** True for `a/../b`: git reads it as `b`, but if `a` is a link, the system looks beside its target. */
export const goesBack = (path: string): boolean =>
  /(?:^|\/)\.\.(?:\/|$)/.test(path.replace(/^(?:\.{1,2}(?:\/+|$))*/, ''));

/** The name of a path without magic, from the top; undefined if it is outside. */
export function nameFromTop(path: string, { worktree, prefix }: WordsPlace): string | undefined {
  const from = path.startsWith('/') ? posix.relative(worktree, path) : posix.join(prefix, path);
  const name = from.replace(/\/+$/, '');
  if (name === '..' || name.startsWith('../')) return undefined;
  return name === '.' ? '' : name;
}
