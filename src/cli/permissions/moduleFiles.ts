/** The files that Node and Python load for names without an ending, and for modules and folders. */
import { basename, dirname, join, resolve } from 'node:path';
import { readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { standardModules } from './pythonModules.ts';
import type { FolderLists } from './SearchLimits.ts';
import { ANY } from './textWords.ts';

const runsNode = /\b(?:node|nodejs|bun|deno|tsx|ts-node)\b/;
const extensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.json'];

/**
 * The files that a command runs without naming them in full: Python modules (`-m a.b`), and what Node loads for a
 * folder or a name without an extension. Sources: docs.python.org/3/using/cmdline.html, nodejs.org/api/modules.html.
 */
export function moduleFiles(
  text: string,
  names: readonly string[],
  folders: readonly string[],
  { root, disk }: { readonly root: string; readonly disk: FolderLists },
): readonly string[] {
  // A name may be in quotes; in code, quotes belong to it.
  const command = `${text}\n${text.replace(/\\\n|["'\\]/g, '')}`;
  const isPython = runsPython.test(command);
  const modules = isPython ? [...command.matchAll(pythonModule)].map(([, name = '']) => name) : [];
  const imported = isPython ? importedNames(command) : [];
  const isNode = runsNode.test(command);
  if ((!isPython && !isNode) || !disk.spend(text.length / 100)) return [];
  const words = names.filter((name) => !name.includes(ANY) && name.length <= MAX_NAME);
  const isFile = (path: string): boolean => disk.spend(1) && kindOf(path) === true;
  const pythons = [
    ...imported.flatMap(pythonFiles),
    ...(isPython ? words.map((word) => `${word}/__main__.py`) : []),
  ];
  return folders.flatMap((place) => {
    if (!disk.spend((pythons.length + words.length) / 20)) return [];
    const inPlace = disk.namesIn(place);
    const mayBe = (file: string): boolean => inPlace.has(file.split('/', 1)[0] ?? '');
    return [
      ...modules.flatMap(pythonFiles).map((file) => resolve(place, file)),
      ...pythons
        .filter(mayBe)
        .map((file) => resolve(place, file))
        .filter(isFile),
      ...(isNode ? words.flatMap((word) => nodeFiles(resolve(place, word), disk)) : []).filter((path) =>
        isInside(path, root),
      ),
    ];
  });
}

/** The modules that Python code imports, and those that Python itself loads first. */
function importedNames(command: string): readonly string[] {
  const names = [...command.matchAll(pythonImport)].flatMap(([, from, list = '', called = '']) =>
    `${list},${called}`.split(',').map((one) => {
      const name = one.trim().replace(/\s.*/s, '');
      return from === undefined ? name : `${from}.${name}`;
    }),
  );
  return [...names.filter((name) => name !== ''), ...(runsCode.test(command) ? standardModules : [])];
}

const runsPython = /\b(?:(?:python|pypy)[\d.]*|uv\s+run)\b/;
/** In code: `import a, b.c as d`, `from a import b`. */
const pythonImport =
  /(?:^|[\s;'"])(?:from\s+([\w.]+)\s+)?import\s+\(?([\w., \t]+)|\b(?:__import__|import_module)\(\s*['"]([\w.]+)/g;
/** With these options, Python looks for modules in the current folder first. */
const runsCode = /\s-[A-Za-z]*[cm]/;
const pythonModule = /\s-[A-Za-z]*m\s*([A-Za-z_][\w.]*)/g;

/** Longer names are code or data. */
const MAX_NAME = 200;

function pythonFiles(name: string): readonly string[] {
  if (name.length > MAX_NAME) return [];
  const path = name.replaceAll('.', '/');
  const packages = path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
  // Python prefers a file to a folder without `__init__.py`.
  return [`${path}/__main__.py`, ...packages.flatMap((one) => [`${one}.py`, `${one}/__init__.py`])];
}

function nodeFiles(path: string, disk: FolderLists): readonly string[] {
  const withExtension = (stem: string): string[] => {
    const beside = disk.namesIn(dirname(stem));
    const names = extensions.map((extension) => basename(stem) + extension);
    return names
      .filter((name) => beside.has(name))
      .map((name) => join(dirname(stem), name))
      .filter((file) => kindOf(file) === true);
  };
  const isFile =
    disk.namesIn(dirname(path)).has(basename(path)) || basename(path) === '' ? kindOf(path) : undefined;
  if (isFile === true) return [];
  if (isFile === undefined) return withExtension(path);
  const main = mainOf(join(path, 'package.json'));
  const mains = main === undefined ? [] : [resolve(path, main)];
  return [
    // These come before the folder.
    ...withExtension(path),
    ...(main === undefined ? [] : [join(path, 'package.json')]),
    ...mains.flatMap((file) =>
      kindOf(file) === true ? [file] : [...withExtension(file), ...withExtension(join(file, 'index'))],
    ),
    ...withExtension(join(path, 'index')),
  ];
}

const MAX_PACKAGE_BYTES = 1_000_000;

function mainOf(file: string): string | undefined {
  try {
    const { main } = JSON.parse(readFileNow(file, MAX_PACKAGE_BYTES)?.toString('utf8') ?? '{}');
    return typeof main === 'string' ? main : undefined;
  } catch {
    return undefined;
  }
}

/** True for a file or a link to one; undefined if there is nothing. */
function kindOf(path: string): boolean | undefined {
  const info = statOf(path);
  return info && !info.isDirectory();
}
