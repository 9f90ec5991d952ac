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
      const isMatching = matchTest(`${start === '/' ? '' : start}/${rest}`, true);
      const { files, isWhole } = filesIn(folder);
      const matching = files.filter(isMatching);
      return isWhole && matching.length <= MAX_MATCHING ? matching : undefined;
    },
  };
}

/** What Node and Python append to a name. */
const endings = [/\.\w{1,5}$/, /\/(?:index|__main__)\.\w{1,5}$/];

/**
 * Tests whether a path is one of those for which a text with `ANY` and `GLOB` stands, or more: of several unknown parts, only
 * what is before the first and after the last one counts, since a repository could name any number. `isModule`: the path
 * may also have an ending that interpreters append.
 */
export function matchTest(text: string, isModule = false): (path: string) => boolean {
  const first = text.search(/[\uE000\uE001]/);
  if (first === -1) return (path) => namesOf(path, isModule).includes(text);
  const last = Math.max(text.lastIndexOf(ANY), text.lastIndexOf(GLOB));
  const [start, end] = [text.slice(0, first), text.slice(last + 1)];
  const staysInFolder = first === last && text[first] === GLOB;
  return (path) =>
    namesOf(path, isModule).some((name) => {
      const length = name.length - end.length;
      if (length < start.length || !name.startsWith(start) || !name.endsWith(end)) return false;
      return !staysInFolder || !name.slice(start.length, length).includes('/');
    });
}

const namesOf = (path: string, isModule: boolean): readonly string[] =>
  isModule ? [path, ...endings.map((ending) => path.replace(ending, ''))] : [path];

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
