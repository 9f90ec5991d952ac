import { type Dirent, readdirSync } from 'node:fs';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { isMisread } from './filesBelow.ts';

/** Maximum entries read for one pattern; a command that matches more needs approval anyway. */
const MAX_ENTRIES = 5000;

/**
 * The existing paths to which a shell may expand an absolute path with wildcards, in which a backslash escapes the next
 * character; undefined if there are too many. May include paths that the shell would not: `**` matches both as in bash
 * (like `*`) and, as in zsh, at any depth.
 */
export function expandGlob(pattern: string): readonly string[] | undefined {
  let looked = 0;
  const list = (directory: string): readonly Dirent[] => {
    if (looked > MAX_ENTRIES) return [];
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      looked += entries.some(({ name }) => isMisread(name)) ? Number.POSITIVE_INFINITY : entries.length;
      return entries;
    } catch {
      // Not a directory, or unreadable: the shell finds nothing there either.
      return [];
    }
  };
  /** With a third star, zsh follows links. */
  const below = (directory: string, follows: boolean): readonly string[] => [
    directory,
    ...list(directory)
      .filter(
        (entry) =>
          !entry.name.startsWith('.') && (entry.isDirectory() || (follows && entry.isSymbolicLink())),
      )
      .flatMap(({ name }) => below(`${directory}/${name}`, follows)),
  ];
  let found: readonly string[] = ['/'];
  for (const part of pattern.split('/').filter((one) => one !== '')) {
    if (!hasGlob(part)) found = found.map((directory) => inside(directory, part));
    else
      found = found.flatMap((directory) => [
        ...(/^\*{2,}$/.test(part) ? below(directory, part.length > 2) : []),
        ...[...list(directory).map(({ name }) => name), ...dots(part)]
          .filter((name) => mayMatch(part, name))
          .map((name) => inside(directory, name)),
      ]);
  }
  return looked > MAX_ENTRIES ? undefined : found;
}

/** Not normalized: `..` after a link is the parent of its target, and `.?/x` matches `../x` in some shells. */
const inside = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

/** In some shells `.*` matches the directory itself and its parent. */
const dots = (part: string): readonly string[] => (part.startsWith('.') ? ['.', '..'] : []);

function mayMatch(part: string, name: string): boolean {
  // A quoted wildcard is an ordinary character.
  if (name === part) return true;
  if (name.startsWith('.') && /^[*?]/.test(part)) return false;
  return globsOverlap(part, name.replace(/[*?[\]{}()]/g, '?'));
}
