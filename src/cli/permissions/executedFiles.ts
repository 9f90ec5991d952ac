/**
 * The files of the project that settings run: scripts of hooks, of the status line, of notifications, of MCP servers and
 * of commands that print API keys.
 * These run outside the sandbox and without approval, so changing such a file changes what the user has approved.
 */
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/types.ts';
import { readFileNow } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { trackedFiles } from '../../permissions/lookups/gitPrograms.ts';
import { sourcedFiles } from './sourcedFiles.ts';

type Settings = Pick<LoadedSettings, 'hooks' | 'servers'> & {
  readonly settings: Pick<LoadedSettings['settings'], 'statusLine' | 'notificationCommand' | 'providers'>;
};

/** Far more than any hand-written command has. */
const MAX_WORDS = 5000;
/** Builds write these constantly, and a server of the project is often one of them. */
const results = /(?:^|\/)(?:dist|build|out|target|bin|obj|node_modules|\.?venv|\.next)\//;

/** The commands of settings, also of those that are held back: what they name may run after the next approval. */
export function commandsIn({ hooks, servers, settings }: Settings): readonly string[] {
  const texts = [
    settings.statusLine?.command ?? '',
    settings.notificationCommand ?? '',
    ...hooks.flatMap(({ hook }) =>
      hook.type === 'command' ? [[hook.command, ...(hook.args ?? [])].join(' ')] : [],
    ),
    ...servers.map(({ definition: { command = '', args = [] } }) => [command, ...args].join(' ')),
    // These start in the home.
    ...Object.values(settings.providers ?? {}).flatMap(({ apiKeyHelper }) =>
      apiKeyHelper === undefined ? [] : [`cd ~/ && ${apiKeyHelper}`],
    ),
  ];
  return texts.filter((text) => text !== '');
}

/** Absolute paths with links resolved. A path that does not exist counts: whatever is put there would run. */
export function executedFiles(
  texts: readonly string[],
  { root, home }: { readonly root: string; readonly home: string },
): readonly string[] {
  const commands = texts.map((text) => withoutVariables(text, root, home));
  const words = new Set(commands.flatMap((text) => text.split(/[\s'"`;&|<>()=]+/)));
  const top = realpath(root);
  const folders = [...new Set(commands.flatMap(foldersIn))].slice(0, MAX_FOLDERS);
  const named = [...words].slice(0, MAX_WORDS).flatMap((word) => {
    if (word === '' || word.startsWith('-') || word.includes('://')) return [];
    return ['.', ...folders].flatMap((folder, at) => {
      const path = resolve(root, folder, word);
      const isFile = kindOf(path);
      const counts = isFile ?? (at === 0 ? /\/|\.[a-z]\w{0,4}$/i.test(word) : /^\.\.?\//.test(word));
      return counts && isInside(path, root) && path !== root ? [path, realpath(path)] : [];
    });
  });
  const modules = commands.flatMap((command) => moduleFiles(command, root, folders));
  const known = { CLAUDE_PROJECT_DIR: root, CLAWDCODE_PROJECT_DIR: root, PWD: root, HOME: home };
  const scripts = [...new Set(named.map(realpath))].filter((path) => kindOf(path) === true);
  const sourced = scripts.flatMap((path) => sourcedFiles(path, root, known));
  const all = [...named, ...sourced, ...modules.flatMap((path) => [path, realpath(path)])];
  const inside = [...new Set(all)].filter((path) => isInside(path, top));
  const isBuilt = (path: string): boolean => results.test(path.slice(top.length));
  // Files that git tracks are sources, whatever their folder is called.
  const tracked = new Set(inside.some(isBuilt) ? trackedFiles(top) : []);
  return inside.filter((path) => !isBuilt(path) || tracked.has(path));
}

const runsNode = /(?:^|[\s/'"`;&|(])(?:node|nodejs|bun|deno|tsx|ts-node)(?:\s|$)/;
const extensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.json'];

/**
 * The files that a command runs without naming them in full: Python modules (`-m a.b`), and what Node loads for a folder
 * or a name without an extension. Sources: docs.python.org/3/using/cmdline.html, nodejs.org/api/modules.html.
 */
function moduleFiles(command: string, root: string, folders: readonly string[]): readonly string[] {
  const places = ['.', ...folders].map((folder) => resolve(root, folder));
  const python = runsPython.test(command) ? [...command.matchAll(pythonModule)] : [];
  const words = runsNode.test(command) ? command.split(/[\s'"`;&|<>()=]+/) : [];
  return places.flatMap((place) => [
    ...python.flatMap(([, name = '']) => pythonFiles(name)).map((file) => resolve(place, file)),
    ...words
      .slice(0, MAX_WORDS)
      .filter((word) => /^[^-]/.test(word))
      .flatMap((word) => nodeFiles(resolve(place, word)))
      .filter((path) => isInside(path, root)),
  ]);
}

const runsPython = /(?:^|[\s/'"])(?:python|pypy)[\d.]*\s/;
const pythonModule = /\s-[A-Za-z]*m\s*([A-Za-z_][\w.]*)/g;

function pythonFiles(name: string): readonly string[] {
  const path = name.replaceAll('.', '/');
  const packages = path.split('/').map((_, at, all) => `${all.slice(0, at + 1).join('/')}/__init__.py`);
  return [`${path}.py`, `${path}/__main__.py`, ...packages];
}

function nodeFiles(path: string): readonly string[] {
  const isFile = kindOf(path);
  const withExtension = (stem: string): string[] =>
    extensions.map((extension) => stem + extension).filter((file) => kindOf(file) === true);
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

const MAX_FOLDERS = 20;

/** Folders to which a command changes: `cd tools && ./check.sh`, `make -C tools`, `npm --prefix=tools`. */
function foldersIn(command: string): readonly string[] {
  const changes =
    /(?:^|[\s;&|('"`])(?:cd|pushd|-C|--(?:prefix|cwd|dir|directory))[\s=]+['"]?([^\s;&|)'"`]+)/g;
  return [...command.matchAll(changes)].flatMap(([, folder]) => folder ?? []);
}

/** How scripts are usually named: https://docs.anthropic.com/en/docs/claude-code/hooks */
function withoutVariables(text: string, root: string, home: string): string {
  return text
    .replace(/\$\{?(?:CLAUDE|CLAWDCODE)_PROJECT_DIR\}?|\$\{?PWD\}?/g, () => root)
    .replace(/"([^"\s]*)"/g, '$1')
    .replace(/(?<=^|\s)~(?=\/)|\$\{?HOME\}?/g, () => join(home));
}

/** True for a file or a link to one; undefined if there is nothing. */
function kindOf(path: string): boolean | undefined {
  try {
    return !lstatSync(realpath(path)).isDirectory();
  } catch {
    return undefined;
  }
}
