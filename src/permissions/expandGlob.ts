import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { globsOverlap, hasGlob } from './globOverlap.ts';

/** Entries looked at for one pattern; a shell command that means more is a question anyway. */
const MAX_ENTRIES = 5000;

/**
 * The existing paths that a shell may make of an absolute path with wildcards, where a backslash takes the meaning of the
 * character behind it away; undefined when there are too many to look at. May name a few that the shell would not.
 * `**` is both `*`, as to bash and dash, and any number of folders, as to zsh.
 */
export function expandGlob(pattern: string): readonly string[] | undefined {
  let looked = 0;
  const list = (directory: string): readonly { name: string; isDirectory: boolean }[] => {
    if (looked > MAX_ENTRIES) return [];
    try {
      const entries = readdirSync(directory, { withFileTypes: true });
      looked += entries.length;
      return entries.map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }));
    } catch {
      // No directory, or one that may not be read: the shell finds nothing there either.
      return [];
    }
  };
  const below = (directory: string): readonly string[] => [
    directory,
    ...list(directory)
      .filter(({ name, isDirectory }) => isDirectory && !name.startsWith('.'))
      .flatMap(({ name }) => below(join(directory, name))),
  ];
  const matching = (directory: string, part: string): readonly string[] =>
    [...list(directory).map(({ name }) => name), ...dots(part)]
      .filter((name) => mayMatch(part, name))
      // Not normalised: the parent of a link is where it leads.
      .map((name) => `${directory === '/' ? '' : directory}/${name}`);
  let found: readonly string[] = ['/'];
  const parts = pattern.split('/').filter((one) => one !== '');
  for (const [index, part] of parts.entries()) {
    // To zsh `***/` is every folder below, those behind links included.
    if (/^\*{3,}$/.test(part)) return undefined;
    if (!hasGlob(part)) found = found.map((directory) => join(directory, part));
    else if (part === '**' && index < parts.length - 1)
      found = [...new Set(found.flatMap((directory) => [...below(directory), ...matching(directory, '*')]))];
    else found = found.flatMap((directory) => matching(directory, part));
  }
  return looked > MAX_ENTRIES ? undefined : found;
}

/** Some shells let `.*` match the directory itself and its parent. */
const dots = (part: string): readonly string[] => (part.startsWith('.') ? ['.', '..'] : []);

function mayMatch(part: string, name: string): boolean {
  // Quoted, a wildcard is a character.
  if (name === part) return true;
  if (name.startsWith('.') && /^[*?]/.test(part)) return false;
  return globsOverlap(part, name.replace(/[*?[\]{}()]/g, '?'));
}
