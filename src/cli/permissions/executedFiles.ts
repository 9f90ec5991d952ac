/**
 * The project files that settings run: scripts of hooks, the status line, notifications, MCP servers and commands that
 * print API keys. They run outside the sandbox without approval, so changing such a file changes what the user
 * approved.
 */
import { basename, dirname, join, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/types.ts';
import { readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { repositoryTop, trackedFiles } from '../../permissions/lookups/gitPrograms.ts';
import { type ProgramText, projectVariables, serverProgram } from '../../protocol/settingsPrograms.ts';
import { type ProjectFiles, projectFiles } from './projectFiles.ts';
import { standardModules } from './pythonModules.ts';
import { type Execution, type Runs, runsOfText, runsOfWords } from './runPrograms.ts';
import { filledIn, type KnownVariables } from './shellText.ts';

type Settings = Pick<LoadedSettings, 'hooks' | 'servers'> & {
  readonly settings: Pick<LoadedSettings['settings'], 'statusLine' | 'notificationCommand' | 'providers'>;
};

interface Place {
  readonly root: string;
  readonly home: string;
}

/** Dependencies are not part of the project. */
const isDependency = /\/(?:node_modules|\.?venv)\//;

/** Builds write these constantly. */
const results = /(?:^|\/)(?:dist|build|out|target|bin|obj|node_modules|\.?venv|\.next)\//;

/** The programs in settings, including disabled ones: what they name may run after the next approval. */
export function programsIn({ hooks, servers, settings }: Settings): readonly ProgramText[] {
  const texts = [
    settings.statusLine?.command ?? '',
    settings.notificationCommand ?? '',
    // These commands start in the home.
    ...Object.values(settings.providers ?? {}).flatMap(({ apiKeyHelper }) =>
      apiKeyHelper === undefined ? [] : [`cd ~/ && ${apiKeyHelper}`],
    ),
  ];
  return [
    ...texts.filter((text) => text !== '').map((command) => ({ command })),
    ...hooks.flatMap(({ hook }) => (hook.type === 'command' ? [hook] : [])),
    ...servers.flatMap(({ definition }) => serverProgram(definition) ?? []),
  ];
}

/** The project files that a program in the settings runs. */
export interface ProgramFiles {
  /** Absolute paths with links resolved. Includes paths that do not exist: a file created there would run. */
  readonly files: readonly string[];
  /**
   * More files that it runs, in build folders and untracked. Builds must be able to write them, so they are not
   * protected, but an approval covers them.
   */
  readonly built: readonly string[];
  /** False if it also runs something that only the shell knows. */
  readonly areAll: boolean;
}

/**
 * The files that a program's approval covers, as `files`; build results among them also as `built`. `excluded`:
 * commands whose build results may change.
 */
export function coveredFiles(
  program: ProgramText & { readonly takesMore?: boolean },
  place: Place,
  excluded: readonly string[],
): ProgramFiles {
  const found = filesOf(program, place);
  if (excluded.includes(commandText(program))) return { ...found, built: [] };
  return { ...found, files: [...found.files, ...found.built] };
}

/** A command with its arguments. */
export const commandText = ({ command, args = [] }: ProgramText): string => [command, ...args].join(' ');

/** The protected files of all programs; see `filesOf`. */
export function executedFiles(programs: readonly ProgramText[], place: Place): readonly string[] {
  return [...new Set(programs.flatMap((program) => filesOf(program, place).files))];
}

/** Maximum scripts read that a program starts, directly or not. With more, not all files are known. */
const MAX_SCRIPTS = 100;

/** A file that runs. */
interface StartedFile extends Execution {
  readonly path: string;
}

/** A text that runs, and the number of folders known when its words were last looked up. */
interface RunningText {
  readonly text: string;
  readonly runs: Runs;
  seen: number;
}

/**
 * The files that one program names or runs. If these are not known exactly, includes files with similar names.
 * `takesMore`: unknown arguments may be appended to its command.
 */
export function filesOf(program: ProgramText & { readonly takesMore?: boolean }, place: Place): ProgramFiles {
  const { root, home } = place;
  const top = realpath(root);
  const project = projectFiles(top);
  const variables = knownVariables(place);
  const fill = (word: string): readonly string[] => filledIn(word, variables);
  const starts = fill(program.cwd ?? '.').map((folder) => resolve(root, folder));
  variables.set('PWD', new Set([root, ...starts]));
  const filled = Object.entries(program.env ?? {}).map(([name, value]) => [name, fill(value)] as const);
  const runs =
    program.args === undefined
      ? runsOfText(program.command, variables, program)
      : runsOfWords([program.command, ...program.args].map(fill), Object.fromEntries(filled), variables);
  const found = new Set<string>();
  const started = new Set<string>();
  const isBuilt = resultTest(top);
  let areAll = true;
  let lookUps = 0;
  /** By path, arguments and variables, so that each is read once. */
  const scripts = new Map<string, StartedFile>();
  /** Where scripts may start: they inherit the folder. */
  const places = new Set(starts);
  /** The texts that run: the program itself and each script that it starts. */
  const texts: RunningText[] = [];
  const take = (text: string, from: Runs): void => {
    for (const folder of placesOf(from, [...places], home)) places.add(folder);
    if (places.size > MAX_FOLDERS) areAll = false;
    texts.push({ text, runs: from, seen: 0 });
  };
  const lookUp = ({ text, runs: from }: RunningText): void => {
    const folders = [...places].slice(0, MAX_FOLDERS);
    lookUps += from.mentioned.size * folders.length;
    if (lookUps <= MAX_LOOKUPS) {
      for (const path of namedFiles(from, starts, folders, place)) found.add(path);
      for (const path of moduleFiles(text, from, folders, root)) started.add(path);
    } else areAll = false;
    const executed = executedPaths(from, folders, starts, project);
    for (const one of executed.files) {
      started.add(one.path);
      scripts.set(keyOf(one), one);
    }
    if (!from.isOpen && executed.areAll) return;
    areAll = false;
    for (const path of similarFiles(from, starts, project)) found.add(path);
  };
  const read = (script: StartedFile): void => {
    // Dependencies are not part of the project; see `resultTest`.
    if (isDependency.test(script.path) && isBuilt(script.path)) return;
    const text = shellTextOf(script, project);
    if (text === null) areAll = false;
    if (typeof text === 'string') take(text, runsOfText(text, variablesOf(script), script));
  };
  take(commandText(program), runs);
  let count = 0;
  // A script may change the folder and the path of the text that sources it.
  for (let open = texts; open.length > 0; open = texts.filter(({ seen }) => seen < places.size)) {
    for (const one of open) {
      one.seen = places.size;
      lookUp(one);
    }
    if (scripts.size > MAX_SCRIPTS) areAll = false;
    for (const script of [...scripts.values()].slice(count, MAX_SCRIPTS)) read(script);
    count = scripts.size;
  }
  const inside = (paths: Iterable<string>): readonly string[] => [
    ...new Set([...paths].flatMap((path) => [path, realpath(path)]).filter((path) => isInside(path, top))),
  ];
  return {
    files: inside([...found, ...started]).filter((path) => !isBuilt(path)),
    built: inside(started).filter(isBuilt),
    areAll,
  };
}

/**
 * True for a file in a build folder that git does not track, in the project or a submodule; a tracked file is a source.
 */
function resultTest(top: string): (path: string) => boolean {
  const known = new Map<string, ReadonlySet<string> | undefined>();
  const isUntracked = (path: string, folder: string): boolean => {
    if (!known.has(folder)) {
      const files = trackedFiles(folder);
      known.set(folder, files && new Set(files));
    }
    return known.get(folder)?.has(path) === false;
  };
  return (path) =>
    results.test(path.slice(top.length)) &&
    isUntracked(path, top) &&
    isUntracked(path, repositoryTop(dirname(path)) ?? top);
}

/** How scripts are usually named: https://docs.anthropic.com/en/docs/claude-code/hooks */
function knownVariables({ root, home }: Place): KnownVariables {
  const known = { ...projectVariables(root), HOME: home, SHELL: 'sh', 0: 'sh' };
  return new Map(Object.entries(known).map(([name, text]) => [name, new Set([text])]));
}

/** A sourced script has the `$0` of the text around it, except in zsh. */
function variablesOf({ path, args, variables }: StartedFile): KnownVariables {
  const own = new Set([path]);
  return new Map([
    ...variables,
    ['0', new Set([...own, ...(variables.get('0') ?? [])])],
    ['BASH_SOURCE', own],
    ['@', args.size === 0 ? new Set(['']) : args],
  ]);
}

const keyOf = ({ path, isShell, isShown, args, variables }: StartedFile): string =>
  JSON.stringify([
    path,
    isShell,
    isShown,
    [...args],
    [...variables].map(([name, texts]) => [name, [...texts]]),
  ]);

const MAX_FOLDERS = 20;
/** Maximum words looked up in folders. With more, not all files are known. */
const MAX_LOOKUPS = 60_000;

/** The folders in which it may run, as texts with `ANY`. */
function placesOf({ folders }: Runs, starts: readonly string[], home: string): readonly string[] {
  const changed = [...folders].slice(0, MAX_FOLDERS).map((folder) => folder.replace(/^~(?=\/|$)/, home));
  return [...new Set([...starts, ...changed.flatMap((folder) => starts.map((at) => inFolder(at, folder)))])];
}

/** Like `resolve`, for texts with `ANY`. */
function inFolder(folder: string, path: string): string {
  if (/^[/\uE000]/.test(path)) return path;
  if (!/[\uE000\uE001]/.test(folder + path)) return resolve(folder, path);
  return `${folder}/${path}`.replace(/\/(?:\.?\/)+/g, '/');
}

/** The words that are files, or look like one. */
function namedFiles(
  { mentioned, words }: Runs,
  starts: readonly string[],
  folders: readonly string[],
  { root, home }: Place,
): readonly string[] {
  const places = folders.filter((folder) => !/[\uE000\uE001]/.test(folder));
  return [...mentioned].flatMap((word) => {
    if (word.startsWith('-') || word.includes('://') || word.length > MAX_NAME) return [];
    return places.flatMap((folder) => {
      const path = resolve(folder, word.replace(/^~(?=\/)/, home));
      const isStart = starts.includes(folder);
      const looks = words.has(word) && (isStart ? isPath : /^\.\.?\//).test(word);
      return (kindOf(path) ?? looks) && isInside(path, root) && path !== root ? [path] : [];
    });
  });
}

const isPath = /^[^*?$(){}|\\^[\]'"\s]*\/[^*?$(){}|\\^[\]'"\s]*$/;
/** Longer words are code or data. */
const MAX_NAME = 1000;

/** The programs and scripts that run; all matching files if a name is only partly known. */
function executedPaths(
  { executed }: Runs,
  folders: readonly string[],
  starts: readonly string[],
  project: ProjectFiles,
): { readonly files: readonly StartedFile[]; readonly areAll: boolean } {
  let areAll = true;
  const files = [...executed].flatMap(([text, how]) =>
    (/^[/\uE000]/.test(text) ? ['/'] : folders).flatMap((folder) => {
      const path = inFolder(folder, text);
      if (!/[\uE000\uE001]/.test(path)) {
        const isMeant = folder === '/' || starts.includes(folder) || /^\.\.?\//.test(text);
        return (kindOf(path) ?? isMeant) ? [{ path, ...how }] : [];
      }
      const matching = project.matching(path);
      areAll &&= matching !== undefined;
      return (matching ?? []).map((file) => ({ path: file, ...how }));
    }),
  );
  return { files, areAll };
}

/** Files in folders that a command names, and files with the name of one of its words. */
function similarFiles(
  { mentioned }: Runs,
  starts: readonly string[],
  { root, all, below }: ProjectFiles,
): readonly string[] {
  const names = new Set([...mentioned].map((word) => basename(word)));
  const folders = [...mentioned].flatMap((word) => starts.map((folder) => realpath(resolve(folder, word))));
  return [
    ...folders
      .filter((folder) => folder !== root && isInside(folder, root))
      .flatMap((folder) => below(folder)),
    ...all().filter((path) => names.has(basename(path))),
  ];
}

const MAX_SCRIPT_BYTES = 200_000;
const shellScript = /^#![^\n]*\b(?:ba|da|z|k)?sh\b/;

/** The text of a shell script in the project; null if it is too long, undefined for other files. */
function shellTextOf({ path, isShell }: StartedFile, { root }: ProjectFiles): string | null | undefined {
  if (!isInside(realpath(path), root)) return undefined;
  const isNamed = isShell || /\.(?:ba|z|k)?sh$/.test(path);
  const text = readFileNow(path, MAX_SCRIPT_BYTES)?.toString('utf8');
  if (text === undefined) return isNamed && kindOf(path) === true ? null : undefined;
  const isScript = isNamed || /\/[^./]+$/.test(path);
  const isRead = isShell || (text.startsWith('#!') ? shellScript.test(text) : isScript);
  return isRead && !text.includes('\0') ? text : undefined;
}

const runsNode = /(?:^|[\s/'"`;&|(])(?:node|nodejs|bun|deno|tsx|ts-node)(?:\s|$)/;
const extensions = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.json'];

/**
 * The files that a command runs without naming them in full: Python modules (`-m a.b`), and what Node loads for a
 * folder or a name without an extension. Sources: docs.python.org/3/using/cmdline.html, nodejs.org/api/modules.html.
 */
function moduleFiles(
  command: string,
  { mentioned }: Runs,
  folders: readonly string[],
  root: string,
): readonly string[] {
  const places = folders.filter((folder) => !/[\uE000\uE001]/.test(folder));
  const isPython = runsPython.test(command);
  const modules = isPython ? [...command.matchAll(pythonModule)].map(([, name = '']) => name) : [];
  const imported = isPython
    ? [...command.matchAll(pythonImport)].flatMap(([, names = '']) =>
        names.split(',').map((name) => name.trim().replace(/\s.*/s, '')),
      )
    : [];
  if (isPython) {
    for (const [, from = '', names = ''] of command.matchAll(pythonFrom))
      imported.push(...names.split(',').map((name) => `${from}.${name.trim().replace(/\s.*/s, '')}`));
    for (const [, name = ''] of command.matchAll(pythonCall)) imported.push(name);
    if (runsCode.test(command)) imported.push(...standardModules);
  }
  const words = [...mentioned].filter((word) => word.length <= MAX_NAME && !word.startsWith('-'));
  const existing = (path: string): boolean => kindOf(path) === true;
  return places.flatMap((place) => [
    ...modules.flatMap(pythonFiles).map((file) => resolve(place, file)),
    ...imported
      .flatMap(pythonFiles)
      .map((file) => resolve(place, file))
      .filter(existing),
    ...(isPython ? words.map((word) => resolve(place, word, '__main__.py')).filter(existing) : []),
    ...(runsNode.test(command)
      ? words.flatMap((word) => nodeFiles(resolve(place, word))).filter((path) => isInside(path, root))
      : []),
  ]);
}

const runsPython = /(?:^|[\s/'"`;&|(])(?:python|pypy)[\d.]*\s/;
/** In code: `import a, b.c as d`. */
const pythonImport =
  /(?:^|[\s;'"])(?:import|from)\s+([A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?)*)/g;
const pythonFrom = /\bfrom\s+([A-Za-z_][\w.]*)\s+import\s+\(?([\w, \t]+)/g;
const pythonCall = /\b(?:__import__|import_module)\(\s*['"]([\w.]+)['"]/g;
/** With these options, Python looks for modules in the current folder first. */
const runsCode = /\s-[A-Za-z]*[cm]/;
const pythonModule = /\s-[A-Za-z]*m\s*([A-Za-z_][\w.]*)/g;

function pythonFiles(name: string): readonly string[] {
  const path = name.replaceAll('.', '/');
  const packages = path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
  // Python prefers a file to a folder without `__init__.py`.
  return [`${path}/__main__.py`, ...packages.flatMap((one) => [`${one}.py`, `${one}/__init__.py`])];
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

/** True for a file or a link to one; undefined if there is nothing. */
function kindOf(path: string): boolean | undefined {
  const info = statOf(path);
  return info && !info.isDirectory();
}
