import { type Dirent, readdirSync } from 'node:fs';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { isMisread } from './filesBelow.ts';

/** Entries looked at for one pattern; a shell command that means more is a question anyway. */
const MAX_ENTRIES = 5000;

/**
 * The existing paths to which a shell may expand an absolute path with wildcards, in which a backslash escapes the next
 * character; undefined when there are too many to look at. May include a few that the shell would not: `**` matches both
 * what bash takes it for (`*`) and, as in zsh, any depth.
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
      // No directory, or one that may not be read: the shell finds nothing there either.
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

/** Not normalised: the parent of a link is where it leads, and `.?/x` stands for `../x` in some shells. */
const inside = (directory: string, name: string): string => `${directory === '/' ? '' : directory}/${name}`;

/** Some shells let `.*` match the directory itself and its parent. */
const dots = (part: string): readonly string[] => (part.startsWith('.') ? ['.', '..'] : []);

function mayMatch(part: string, name: string): boolean {
  // Quoted, a wildcard is a character.
  if (name === part) return true;
  if (name.startsWith('.') && /^[*?]/.test(part)) return false;
  return globsOverlap(part, name.replace(/[*?[\]{}()]/g, '?'));
}
