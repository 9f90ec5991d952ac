/** Which files the words of a command may name. */
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { hasGlob } from '../files/globOverlap.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

interface Place {
  readonly home: string;
  readonly realpath: (path: string) => string;
}

/**
 * The absolute path of a word that is taken for a path. `link/..` is the parent of what the link points
 * to, as the system sees it, and not the directory that the link is in.
 */
export function locate(word: string, directory: string, { home, realpath }: Place): string {
  const path = word === '~' || word.startsWith('~/') ? join(home, word.slice(1)) : word;
  if (!path.split('/').includes('..')) return resolve(directory, path);
  let current = isAbsolute(path) ? '/' : directory;
  for (const part of path.split('/'))
    current = part === '..' ? dirname(realpath(current)) : resolve(current, part || '.');
  return current;
}

/** Every path that a command's words may contain: as they are, after `=`, `:`, `@`, or glued to an option. */
export function possiblePaths(part: CommandPart): readonly string[] {
  return part.argv.flatMap((word, index) => pathsIn(word, part.raw[index] ?? ''));
}

/** The same, each with whether the shell would take it for a pattern. */
export function possibleWords(
  part: CommandPart,
): readonly { readonly path: string; readonly wild: boolean }[] {
  const found = new Map<string, { path: string; wild: boolean }>();
  for (const [index, word] of part.argv.entries()) {
    const raw = part.raw[index] ?? '';
    const isWild = hasGlob(raw.replace(/'[^']*'|"[^"]*"|\\./g, ''));
    for (const path of pathsIn(word, raw)) {
      const wild = isWild && hasGlob(path);
      found.set(`${wild}${path}`, { path, wild });
    }
  }
  return [...found.values()];
}

/** The same for one word; of a word that is not known, what its source shows. */
export function pathsIn(word: string | null, raw: string): readonly string[] {
  const text = word ?? raw.replace(/["'\\]/g, '');
  const candidates = [text];
  for (const mark of ['=', ':', '@', ',']) {
    const at = text.indexOf(mark);
    if (at !== -1) candidates.push(text.slice(at + 1), text.slice(text.lastIndexOf(mark) + 1));
  }
  const glued = /^-[A-Za-z](.+)$/.exec(text)?.[1];
  if (glued !== undefined) candidates.push(glued);
  // Of `{.env,x}` each alternative is a word of its own.
  if (word === null) candidates.push(...text.split(/[{},]/));
  return [...new Set(candidates)].filter((path) => path !== '' && path.length < 4096);
}
