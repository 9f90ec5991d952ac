/** The files whose names become words of a command, and which of these names would be read as something else. */
import { dirname, relative, resolve } from 'node:path';
import { type FilesBelow, isMisread } from '../lookups/filesBelow.ts';
import type { Policy } from '../policy.ts';
import type { FoundWords, Tree } from '../readOnly/use.ts';

/** As many as `filesBelow` reads. */
const MAX_TRACKED = 50_000;

/**
 * What git lists in a directory, limited as `Tree.tracked`. Undefined if there is too much, or if the
 * index lists a file behind a link: git does not follow it, but other programs do.
 */
export function trackedBelow(
  tracked: readonly string[],
  directory: string,
  policy: Policy,
): FilesBelow | undefined {
  const real = policy.realpath(directory);
  const listed = policy.trackedPaths(real);
  if (listed === undefined) return undefined;
  const isSelected = selectedBy(tracked, real);
  const files = listed.files.filter(isSelected);
  const all = [...files, ...listed.submodules.filter(isSelected)];
  // A folder stands for files in a sparse index.
  if (all.length > MAX_TRACKED || all.some((path) => path.endsWith('/') || isMisread(path))) return undefined;
  const links = new Set<string>();
  for (const folder of new Set(all.map((path) => dirname(path)))) {
    if (policy.realpath(folder) !== folder) return undefined;
    for (const link of policy.linksIn(folder)) links.add(link);
  }
  const own = all.filter((path) => !links.has(path));
  const folders = own.filter(policy.isDirectory);
  const inFolders = new Set(folders);
  return {
    files: own.filter((path) => !inFolders.has(path)),
    folders,
    links: all.filter((path) => links.has(path)),
  };
}

/** Whether git lists a path for these words. Ignores case, which the environment may tell git to do. */
function selectedBy(words: readonly string[], directory: string): (path: string) => boolean {
  const top = directory === '/' ? '' : directory;
  const folded = words.map((word) => word.toLowerCase());
  const places = folded.map((word) => resolve('/', word)).map((place) => (place === '/' ? '' : place));
  return (path) => {
    if (!path.startsWith(`${top}/`)) return false;
    const below = path.slice(top.length).toLowerCase();
    const isPlace = places.some((place) => below === place || below.startsWith(`${place}/`));
    const isEnding = folded.some((word) => word.startsWith('*') && below.endsWith(word.slice(1)));
    return words.length === 0 || isPlace || isEnding;
  };
}

/** Why the name of a found file would not be used as that file; undefined if it would. `real`: the searched folder. */
export function misreadName(
  paths: readonly string[],
  { path: place, tracked }: Tree,
  { isBare, split }: FoundWords,
  real: string,
): string | undefined {
  const isHere = isBare && /^\.\/*$/.test(place);
  for (const path of paths) {
    const below = relative(real, path);
    const name = isHere ? below : `${place}/${below}`;
    // Git quotes names with other characters.
    const isQuoted = tracked !== undefined && split === 'xargs' && /[^!-~]/.test(name);
    if (isQuoted || splitting[split].test(name))
      return `${name} would be read as another name, or as several.`;
    if (isHere && likeOption.test(name)) return `A file is named ${name}, like an option.`;
  }
  return undefined;
}

const splitting: Readonly<Record<FoundWords['split'], RegExp>> = {
  never: /^\b\B/,
  xargs: /[\s"'\\]/,
  shell: /[^\w@%+=:,./-]/,
};

/** Also `x=1`, which awk and env take for an assignment, and `+1`. */
const likeOption = /^(?![\p{L}\p{N}_.])|^\w+(?:::\w+)?=/u;
