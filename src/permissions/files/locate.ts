/** Finds the absolute path that a word means as a path. Pure, except for the given lookup. */
import { dirname, isAbsolute, join, resolve } from 'node:path';

interface Place {
  readonly home: string;
  readonly realpath: (path: string) => string;
}

/**
 * The absolute path of a word, interpreted as a path. `link/..` is the parent of the link's target, as the system
 * resolves it, not the directory of the link.
 */
export function locate(word: string, directory: string, { home, realpath }: Place): string {
  const path = word === '~' || word.startsWith('~/') ? join(home, word.slice(1)) : word;
  if (!path.split('/').includes('..')) return resolve(directory, path);
  let current = isAbsolute(path) ? '/' : directory;
  for (const part of path.split('/'))
    current = part === '..' ? dirname(realpath(current)) : resolve(current, part || '.');
  return current;
}
