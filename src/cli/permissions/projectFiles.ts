/** Finds project files by names that are only partly known. */
import { join, resolve } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { ANY, GLOB } from './shellText.ts';

export interface ProjectFiles {
  /** The folder of the project, with its links resolved. */
  readonly root: string;
  /** The project's files, at most `MAX_ENTRIES`, without dependencies and git's own files. */
  readonly all: () => readonly string[];
  /** The files in a folder and in those below. */
  readonly below: (folder: string) => readonly string[];
  /** The files that match an absolute text with `ANY` and `GLOB`; undefined if these may be any files, or too many. */
  readonly matching: (text: string) => readonly string[] | undefined;
}

const MAX_ENTRIES = 20_000;
const MAX_MATCHING = 500;
const skipped = /^(?:\.git|node_modules)$/;

/** `root`: with its links resolved. */
export function projectFiles(root: string): ProjectFiles {
  const known = new Map<string, Found>();
  const filesIn = (folder: string): Found => {
    const found = known.get(folder) ?? walk(folder);
    known.set(folder, found);
    return found;
  };
  return {
    root,
    all: () => filesIn(root).files,
    below: (folder) => filesIn(folder).files.slice(0, MAX_MATCHING),
    matching(given) {
      // The parent of an unknown folder may be any folder.
      const text = given.replace(/^.*[\uE000\uE001].*\/\.\.(?=\/)/s, ANY);
      const fixed = /^[^\uE000\uE001]*\//.exec(text)?.[0] ?? '';
      const start = realpath(resolve('/', fixed));
      if (!isInside(start, root) && !isInside(root, start)) return [];
      const folder = isInside(start, root) ? start : root;
      const rest = text.slice(fixed.length).replace(/\/\.?(?=\/)/g, '');
      // Nothing is known about the name.
      if (folder === root && rest.replace(/[\uE000\uE001\s./~-]/g, '') === '' && rest.includes(ANY))
        return undefined;
      const isMatching = matchTest(`${start === '/' ? '' : start}/${rest}`, ending);
      const { files, isWhole } = filesIn(folder);
      const matching = files.filter(isMatching);
      return isWhole && matching.length <= MAX_MATCHING ? matching : undefined;
    },
  };
}

/** What Node and Python append to a name. */
const ending = '(?:\\.\\w{1,5}|/(?:index|__main__)\\.\\w{1,5})?';

/** Tests whether a path is one of those for which a text with `ANY` and `GLOB` stands. */
export function matchTest(text: string, suffix = ''): (path: string) => boolean {
  // Many unknown parts would take too long.
  const source = (text.split(ANY).length > 5 ? text.replace(/\uE000.*\uE000/s, ANY) : text)
    .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll(ANY, '.*')
    .replaceAll(GLOB, '[^/]*');
  const pattern = new RegExp(`^${source}${suffix}$`, 's');
  return (path) => pattern.test(path);
}

interface Found {
  readonly files: readonly string[];
  /** False if there are more. */
  readonly isWhole: boolean;
}

/** Breadth first, so that the nearest files are included if there are too many. */
function walk(folder: string): Found {
  const files: string[] = [];
  const folders = [folder];
  let entries = 0;
  for (const at of folders) {
    for (const entry of entriesOf(at)) {
      entries += 1;
      if (entries > MAX_ENTRIES) return { files, isWhole: false };
      if (entry.isDirectory()) {
        if (!skipped.test(entry.name)) folders.push(join(at, entry.name));
      } else files.push(join(at, entry.name));
    }
  }
  return { files, isWhole: true };
}
