/** File patterns of rules, similar to `.gitignore`: `/x` `//x` `~/x` `./x` `x` `dir/**`. */
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import picomatch from 'picomatch';
import { globsOverlap } from './globOverlap.ts';
import { foldText } from './sensitive.ts';

export interface PatternPlace {
  /** The directory that `/x`, `./x` and bare `x` are relative to. */
  readonly base: string;
  readonly home: string;
  readonly realpath: (path: string) => string;
}

/**
 * True if a pattern that permits covers an absolute, resolved path. The pattern's own path is used as written, so that
 * a link created at that path permits nothing else.
 */
export function permits(pattern: string, realPath: string, place: PatternPlace): boolean {
  const { root, glob } = locatePattern(pattern, place);
  return [root, place.realpath(root)].some((directory) => matches(glob, directory, realPath, false));
}

/** True if a pattern without wildcards is exactly this file, and not a parent folder or a name at any depth. */
export function isExactly(pattern: string, realPath: string, place: PatternPlace): boolean {
  const { root, glob } = locatePattern(pattern, place);
  if (/[*?[{(!]/.test(glob)) return false;
  return [root, place.realpath(root)].some((directory) => join(directory, glob) === realPath);
}

/** The pattern as an absolute path, wildcards included. */
export function fixedPath(pattern: string, place: PatternPlace): string {
  const { root, glob } = locatePattern(pattern, place);
  return join(root, glob);
}

/**
 * True if a pattern that forbids covers a path, given as written and as resolved. The pattern is matched as written and
 * with its links resolved; spellings that are equal on some file system count as equal.
 */
export function forbids(pattern: string, paths: readonly string[], place: PatternPlace): boolean {
  return anchors(pattern, place).some(({ root, glob }) =>
    [root, place.realpath(root)].some((directory) =>
      paths.some((candidate) => matches(glob, directory, candidate, true)),
    ),
  );
}

/** A pattern that forbids, prepared for many paths. */
export interface ForbiddingPattern {
  /** As `forbids`, for one path. */
  covers(path: string): boolean;
  /** True if the pattern could cover something inside a folder; errs on the side of true. */
  mayCoverInside(folder: string): boolean;
  /** Changes if links change where the pattern leads. */
  readonly key: string;
}

/** Prepares a pattern, resolving the links in it now. */
export function forbidding(pattern: string, place: PatternPlace): ForbiddingPattern {
  const located = anchors(pattern, place).flatMap(({ root, glob }) =>
    [root, place.realpath(root)].map((directory) => ({
      root: foldText(directory).replace(/\/+$/, ''),
      glob: foldText(glob),
    })),
  );
  const all = [...new Map(located.map((one) => [`${one.root}\n${one.glob}`, one])).values()];
  const tests = all.map(({ root, glob }) => ({
    root,
    isEverything: /^(?:\*\*\/?)+$/.test(glob),
    isMatch: matcherOf(glob, true),
    whole: `${root}/${glob.replace(/^\*\*\//, '*')}`,
  }));
  return {
    key: JSON.stringify(all),
    covers(path) {
      const folded = foldText(path);
      return tests.some(({ root, isEverything, isMatch }) =>
        folded === root
          ? isEverything
          : folded.startsWith(`${root}/`) && isMatch(folded.slice(root.length + 1)),
      );
    },
    mayCoverInside(folder) {
      const inside = `${foldText(folder)}/*`;
      return tests.some(({ whole }) => globsOverlap(whole, inside) || globsOverlap(`${whole}/*`, inside));
    },
  };
}

/** The pattern as written, and with its fixed beginning split off so that links in it can be resolved. */
function anchors(pattern: string, place: PatternPlace): readonly { root: string; glob: string }[] {
  const located = locatePattern(pattern, place);
  const fixed = located.glob.replace(/^\*\*\//, '');
  const wild = /[*?[{(!]/.exec(fixed)?.index ?? fixed.length;
  const slash = fixed.lastIndexOf('/', wild);
  const below = {
    root: join(located.root, fixed.slice(0, slash + 1)),
    glob: fixed.slice(slash + 1) || '**',
  };
  if (wild < fixed.length) return [located, below];
  return [located, below, { root: place.realpath(join(located.root, fixed)), glob: '**' }];
}

/**
 * True if a pattern that forbids could cover some file that a path with wildcards stands for. `ofShell`: the shell
 * expands it, so that its `*` stands for one name.
 */
export function mayForbid(pattern: string, path: string, place: PatternPlace, ofShell = false): boolean {
  const { root, glob } = locatePattern(pattern, place);
  // A shell wildcard does not match a leading dot.
  if (/^[*?]/.test(basename(path)) && basename(glob).startsWith('.')) return false;
  const folded = foldText(path);
  return [root, place.realpath(root)].some((directory) => {
    const whole = foldText(join(directory, glob.replace(/^\*\*\//, '*')));
    if (!globsOverlap(whole, folded) && !globsOverlap(`${whole}/*`, folded)) return false;
    return !ofShell || namesOverlap(foldText(join(directory, glob)), folded);
  });
}

/** Compares name by name; `**` stands for any number of them, also in the path, as in zsh. */
function namesOverlap(pattern: string, path: string): boolean {
  // Braces may contain slashes.
  if (/[{(]/.test(pattern + path)) return true;
  const [rule, given] = [[...pattern.split('/'), '**'], path.split('/')];
  const overlap = (i: number, j: number): boolean => {
    const [a, b] = [rule[i], given[j]];
    if (a === undefined || b === undefined)
      return a === b || (b === undefined && rule.slice(i).every(isAnyDepth));
    if (isAnyDepth(a)) return overlap(i + 1, j) || overlap(i, j + 1);
    if (isAnyDepth(b)) return overlap(i, j + 1) || overlap(i + 1, j);
    return globsOverlap(a, b) && overlap(i + 1, j + 1);
  };
  return overlap(0, 0);
}

const isAnyDepth = (name: string): boolean => /^\*{2,}$/.test(name);

/** True if `path` is `directory` or inside it. Both absolute. */
export function contains(directory: string, path: string): boolean {
  const relativePath = relative(directory, path);
  return (
    relativePath === '' ||
    !(relativePath === '..' || relativePath.startsWith('../') || isAbsolute(relativePath))
  );
}

function locatePattern(pattern: string, { base, home }: PatternPlace): { root: string; glob: string } {
  if (pattern.startsWith('//')) return literalPrefix(pattern.slice(1));
  if (pattern === '~' || pattern.startsWith('~/')) return { root: home, glob: pattern.slice(2) || '**' };
  if (pattern.startsWith('/')) return { root: base, glob: pattern.slice(1) || '**' };
  if (pattern.startsWith('./')) return { root: base, glob: pattern.slice(2) || '**' };
  const hasFolder = pattern.slice(0, -1).includes('/');
  return { root: base, glob: hasFolder ? pattern : `**/${pattern}` };
}

/** Splits an absolute pattern at its first wildcard. */
function literalPrefix(pattern: string): { root: string; glob: string } {
  const wild = /[*?[{(!]/.exec(pattern)?.index ?? pattern.length;
  const root = dirname(`${pattern.slice(0, wild)}x`);
  return { root, glob: pattern.slice(root === '/' ? 1 : root.length + 1) || '**' };
}

function matches(glob: string, root: string, path: string, nocase: boolean): boolean {
  const [from, to] = nocase ? [foldText(root), foldText(path)] : [root, path];
  if (!contains(from, to)) return false;
  const relativePath = relative(from, to);
  if (relativePath === '') return /^(?:\*\*\/?)+$/.test(glob);
  return matcherOf(nocase ? foldText(glob) : glob, nocase)(relativePath);
}

/** Cache of compiled patterns: a long command checks the same few rules for thousands of words. */
const compiled = new Map<string, (relativePath: string) => boolean>();
const MAX_COMPILED = 500;

function matcherOf(glob: string, nocase: boolean): (relativePath: string) => boolean {
  const key = `${nocase}${glob}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const pattern = glob.replace(/\/+$/, '');
  const options = { dot: true, nonegate: true, noextglob: true, nocase };
  // A pattern for a directory also covers everything in it.
  const isMatch = picomatch([pattern, `${pattern}/**`], options);
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, isMatch);
  return isMatch;
}
