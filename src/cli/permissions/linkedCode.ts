/**
 * Finds workspace code that a program elsewhere loads through links: those of `npm link` and `pip install -e`, and
 * those next to a script. Reads folders and starts nothing.
 */
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { entriesOf, readFileNow, statOf } from '../../disk/fileLookups.ts';
import { realpath } from '../../disk/paths.ts';

interface LinkedCode {
  /** The folders that the program starts in. */
  readonly folders: readonly string[];
  /** The program and the files among its words, as far as known: names to look up in the PATH, and absolute paths. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** True for a path that leads to the workspace. */
  readonly isIn: (path: string) => boolean;
}

/** True if a program may load workspace code from its folders, or from those in which it looks for modules. */
export function loadsLinked({ folders, files, env, home, isIn }: LinkedCode): boolean {
  const paths = files.flatMap((file) => (isAbsolute(file) ? file : (foundIn(env.PATH, file) ?? [])));
  if (paths.some(isIn)) return true;
  const around = [...folders, ...paths.flatMap((path) => [dirname(path), dirname(realpath(path))])];
  const searched = searchPaths.flatMap((name) => env[name]?.split(delimiter) ?? []).filter(isAbsolute);
  const modules = [...around.flatMap(upwards), join(home, '.local')].flatMap(moduleFolders);
  return [...new Set([...around, ...searched, ...modules])].some((folder) => linksInside(folder, isIn));
}

/**
 * Variables that name module folders. The folders themselves are checked elsewhere (`ledPrograms`); here only links.
 */
const searchPaths = ['NODE_PATH', 'PYTHONPATH', 'PERL5LIB', 'RUBYLIB'];

function foundIn(path = '', name: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, name))
    .find((file) => statOf(file)?.isFile() === true);
}

function upwards(folder: string): readonly string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...upwards(dirname(folder))];
}

/** https://nodejs.org/api/modules.html, https://docs.python.org/3/library/site.html, and the global folder of npm. */
function moduleFolders(folder: string): readonly string[] {
  const node = [join(folder, 'node_modules'), join(folder, 'lib/node_modules')];
  const scopes = node.flatMap((modules) =>
    entriesOf(modules).flatMap(({ name }) => (name.startsWith('@') ? join(modules, name) : [])),
  );
  const pythons = entriesOf(join(folder, 'lib')).filter(({ name }) => /^python\d/.test(name));
  const packages = pythons.flatMap(({ name }) =>
    ['site-packages', 'dist-packages'].map((last) => join(folder, 'lib', name, last)),
  );
  return [...node, ...scopes, ...packages];
}

/** Files that list more folders: https://docs.python.org/3/library/site.html and setuptools. */
const pathFiles = /\.(?:pth|egg-link)$|^__editable__.*\.py$/;
const MAX_BYTES = 100_000;

function linksInside(folder: string, isIn: LinkedCode['isIn']): boolean {
  return entriesOf(folder).some((entry) => {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) return isIn(path);
    if (!pathFiles.test(entry.name)) return false;
    const text = readFileNow(path, MAX_BYTES)?.toString('utf8') ?? '';
    return text.split(/[\n'"]/).some((part) => isAbsolute(part.trim()) && isIn(part.trim()));
  });
}
