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
import { matchTest, type ProjectFiles, projectFiles } from './projectFiles.ts';
import { standardModules } from './pythonModules.ts';
import { type Execution, type Runs, runsOfText, runsOfWords, type Way, type Write } from './runPrograms.ts';
import { ANY, filledIn, GLOB, type KnownVariables } from './shellText.ts';

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

/** Parameters, and lists to which scripts add. */
const isUnshared = /^(?:[0-9@]|BASH_SOURCE|\w*(?:PATH|OPTIONS|FLAGS|OPTS))$/;
/** Maximum scripts read that a program runs, directly or not. With more, not all files are known. */
const MAX_SCRIPTS = 100;
/** All texts are read again until nothing new is found. */
const MAX_ROUNDS = 12;
const MAX_FOLDERS = 20;
/** Maximum words looked up in folders. With more, not all files are known. */
const MAX_LOOKUPS = 60_000;

/** The program itself, or a file that it names or runs. */
interface Text extends Execution {
  readonly ways: Set<Way>;
  readonly args: Set<string>;
  /** The variables that it sets. */
  readonly names: Set<string>;
}

/**
 * The files that one program names or runs, at any depth: each that may be a shell script is read like the program
 * itself. If these are not known exactly, includes files with similar names. `takesMore`: unknown arguments may be
 * appended to its command.
 */
export function filesOf(program: ProgramText & { readonly takesMore?: boolean }, place: Place): ProgramFiles {
  return new FileSearch(program, place).found();
}

class FileSearch {
  readonly #program: ProgramText & { readonly takesMore?: boolean };
  readonly #place: Place;
  readonly #project: ProjectFiles;
  /** The variables with which every text starts. */
  readonly #known: KnownVariables;
  /** What texts set: these variables, and others that a sourced text sets. */
  readonly #shared: KnownVariables;
  readonly #starts: readonly string[];
  /** Where texts may run: scripts inherit the folder. */
  readonly #folders: Set<string>;
  readonly #texts = new Map<string, Text>();
  /** What only a module or a folder names; these are not read. */
  readonly #loaded = new Set<string>();
  readonly #ran = new Set<string>();
  readonly #writes = new Map<string, Write>();
  readonly #isBuilt: (path: string) => boolean;
  /** Grows with everything found. */
  #count = 0;
  #lookUps = 0;
  #areAll = true;

  constructor(program: ProgramText & { readonly takesMore?: boolean }, place: Place) {
    this.#program = program;
    this.#place = place;
    this.#project = projectFiles(realpath(place.root));
    this.#known = knownVariables(place);
    this.#starts = filledIn(program.cwd ?? '.', this.#known).map((folder) => resolve(place.root, folder));
    this.#known.set('PWD', new Set([place.root, ...this.#starts]));
    this.#shared = new Map(this.#known);
    this.#folders = new Set(this.#starts);
    this.#isBuilt = resultTest(this.#project.root);
  }

  found(): ProgramFiles {
    const own: Text = { ways: new Set(), args: new Set(), names: new Set() };
    for (let rounds = 0, before = -1; before < this.#count; rounds += 1) {
      if (rounds > MAX_ROUNDS) {
        this.#areAll = false;
        break;
      }
      before = this.#count;
      this.#lookUps = 0;
      this.#readProgram(own);
      let scripts = 0;
      for (const [path, text] of this.#texts)
        if (scripts <= MAX_SCRIPTS && this.#readScript(path, text)) scripts += 1;
      if (scripts > MAX_SCRIPTS) this.#areAll = false;
      if (this.#areAll && runsWritten([...this.#ran], [...this.#writes.values()])) {
        this.#areAll = false;
        this.#count += 1;
      }
    }
    const { root } = this.#project;
    const inside = (paths: Iterable<string>): readonly string[] => [
      ...new Set([...paths].flatMap((path) => [path, realpath(path)]).filter((path) => isInside(path, root))),
    ];
    const isRun = ([, { ways }]: [string, Text]): boolean => ways.size > 0;
    const run = [...this.#texts].filter(isRun).map(([path]) => path);
    return {
      files: inside([...this.#texts.keys(), ...this.#loaded]).filter((path) => !this.#isBuilt(path)),
      built: inside([...run, ...this.#loaded]).filter(this.#isBuilt),
      areAll: this.#areAll,
    };
  }

  #grow<T>(set: Set<T>, values: Iterable<T>): void {
    const before = set.size;
    for (const value of values) set.add(value);
    this.#count += set.size - before;
  }

  #readProgram(own: Text): void {
    const { command, args, env = {} } = this.#program;
    const variables = this.#variablesFor(own);
    const fill = (word: string): readonly string[] => filledIn(word, this.#known);
    const values = Object.entries(env).map(([name, value]) => [name, fill(value)] as const);
    const runs =
      args === undefined
        ? runsOfText(command, variables, this.#program)
        : runsOfWords([command, ...args].map(fill), Object.fromEntries(values), variables);
    this.#take(commandText(this.#program), own, runs, variables);
  }

  /** False for a file that is no shell script. */
  #readScript(path: string, text: Text): boolean {
    // Dependencies are not part of the project; see `resultTest`.
    if (isDependency.test(path) && this.#isBuilt(path)) return false;
    const content = shellTextOf(path, text.ways, this.#project);
    if (content === null) this.#areAll = false;
    if (typeof content !== 'string') return false;
    const variables = this.#variablesFor(text);
    const self = new Set([path]);
    // A sourced script has the `$0` of the text around it, except in zsh.
    const outer = text.ways.has('sourced') ? (this.#shared.get('0') ?? []) : [];
    variables.set('0', new Set([...self, ...outer].filter((one) => one !== 'sh')));
    variables.set('BASH_SOURCE', self);
    // Nothing is known about the arguments of a file that is only named.
    const args = text.ways.size === 0 ? [ANY] : [...text.args];
    variables.set('@', new Set(args.length === 0 ? [''] : args));
    const runs = runsOfText(content, variables, { isShown: !text.ways.has('used') });
    this.#take(content, text, runs, variables);
    return true;
  }

  #variablesFor({ names }: Text): KnownVariables {
    const shared = [...this.#shared].filter(([name]) => names.has(name) || this.#known.has(name));
    return new Map(shared);
  }

  #take(content: string, text: Text, runs: Runs, variables: KnownVariables): void {
    this.#grow(text.names, variables.keys());
    for (const [name, values] of variables)
      if (this.#known.has(name) || (text.ways.has('sourced') && !isUnshared.test(name))) {
        const all = new Set(this.#shared.get(name));
        this.#grow(all, values);
        this.#shared.set(name, all);
      }
    this.#grow(this.#folders, this.#foldersOf(runs));
    if (this.#folders.size > MAX_FOLDERS) this.#areAll = false;
    const folders = [...this.#folders].slice(0, MAX_FOLDERS);
    this.#lookUps += runs.mentioned.size * folders.length;
    if (this.#lookUps > MAX_LOOKUPS) this.#areAll = false;
    else {
      for (const path of namedFiles(runs, folders, this.#place)) this.#add(path);
      this.#grow(this.#loaded, moduleFiles(content, runs, folders, this.#place.root));
    }
    for (const [one, execution] of runs.executed) this.#execute(one, execution, folders);
    for (const folder of runs.paths) this.#search(folder, folders);
    for (const write of runs.writes)
      for (const folder of folders) {
        const target = inFolder(folder, this.#atHome(write.target));
        this.#writes.set(`${target} ${write.isCopy}`, { ...write, target });
      }
    if (!runs.isOpen && this.#areAll) return;
    this.#areAll = false;
    for (const path of similarFiles(runs, this.#starts, this.#project)) this.#add(path);
  }

  #atHome(path: string): string {
    return path.replace(/^~(?=\/|$)/, this.#place.home);
  }

  #add(path: string, how?: Execution): void {
    const text = this.#texts.get(path) ?? { ways: new Set(), args: new Set(), names: new Set() };
    if (!this.#texts.has(path)) this.#count += 1;
    this.#texts.set(path, text);
    this.#grow(text.ways, how?.ways ?? []);
    this.#grow(text.args, how?.args ?? []);
  }

  /** A program or script that runs; all matching files if its name is only partly known. */
  #execute(name: string, how: Execution, folders: readonly string[]): void {
    for (const folder of /^[/\uE000]/.test(name) ? ['/'] : folders) {
      const path = inFolder(folder, name);
      const isMeant = folder === '/' || this.#starts.includes(folder) || /^\.\.?\//.test(name);
      if (isMarked(path)) for (const file of this.#matching(path)) this.#add(file, how);
      else if (kindOf(path) ?? isMeant) this.#add(path, how);
      this.#ran.add(path);
      // `npx ./package`
      if (how.ways.has('program') && kindOf(path) === false) this.#areAll = false;
    }
  }

  /** A folder on the path: any of its programs may run. */
  #search(name: string, folders: readonly string[]): void {
    for (const folder of folders) {
      const path = `${inFolder(folder, this.#atHome(name))}/${GLOB}`;
      if (isDependency.test(path)) continue;
      for (const file of this.#matching(path)) if (isProgram(file)) this.#add(file);
      this.#ran.add(path);
    }
  }

  #matching(path: string): readonly string[] {
    const files = this.#project.matching(path);
    if (files === undefined) this.#areAll = false;
    return files ?? [];
  }

  /** The folders in which it may run, as texts with `ANY`. */
  #foldersOf({ folders }: Runs): readonly string[] {
    return [...folders].slice(0, MAX_FOLDERS).flatMap((name) =>
      [...this.#folders].flatMap((at) => {
        const folder = inFolder(at, this.#atHome(name));
        const isNext = !isMarked(at) && (isMarked(folder) || kindOf(folder) === false);
        return isNext || this.#starts.includes(at) ? [folder] : [];
      }),
    );
  }
}

/** True if something that runs may have been written or copied by the program itself. */
function runsWritten(ran: readonly string[], writes: readonly Write[]): boolean {
  const isVague = (path: string): boolean => path.startsWith(ANY);
  return ran.some((path) =>
    writes.some(
      ({ target, isCopy }) =>
        path === target ||
        (isCopy && (isVague(path) || isInside(path, target))) ||
        (!isVague(path) && !isVague(target) && (matchTest(path)(target) || matchTest(target)(path))),
    ),
  );
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

const isMarked = (text: string): boolean => /[\uE000\uE001]/.test(text);

/** Like `resolve`, for texts with `ANY`. */
function inFolder(folder: string, path: string): string {
  if (/^[/\uE000]/.test(path)) return path;
  if (!isMarked(folder + path)) return resolve(folder, path);
  return `${folder}/${path}`.replace(/\/(?:\.?\/)+/g, '/');
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

/** The words that are files. */
function namedFiles(
  { mentioned }: Runs,
  folders: readonly string[],
  { root, home }: Place,
): readonly string[] {
  const places = folders.filter((folder) => !isMarked(folder));
  return [...mentioned].flatMap((word) => {
    if (word.startsWith('-') || word.includes('://') || word.length > MAX_NAME) return [];
    const paths = places.map((folder) => resolve(folder, word.replace(/^~(?=\/)/, home)));
    return paths.filter((path) => isInside(path, root) && kindOf(path) === true);
  });
}

/** Longer words are code or data. */
const MAX_NAME = 1000;

const MAX_SCRIPT_BYTES = 200_000;
const shellScript = /^#![^\n]*\b(?:ba|da|z|k)?sh\b/;

/** The text of a shell script in the project; null if it is too long, undefined for other files. */
function shellTextOf(
  path: string,
  ways: ReadonlySet<Way>,
  { root }: ProjectFiles,
): string | null | undefined {
  if (!isInside(realpath(path), root)) return undefined;
  const isNamed = ways.has('shell') || /\.(?:ba|z|k)?sh$/.test(path);
  const text = readFileNow(path, MAX_SCRIPT_BYTES)?.toString('utf8');
  if (text === undefined) return isNamed && kindOf(path) === true ? null : undefined;
  // A shell starts a program without a first line of that kind as a script.
  const isScript =
    isNamed || ways.has('program') || (/\/[^./]+$/.test(path) && (ways.size > 0 || isProgram(path)));
  const isRead = ways.has('shell') || (text.startsWith('#!') ? shellScript.test(text) : isScript);
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
  const places = folders.filter((folder) => !isMarked(folder));
  const isPython = runsPython.test(command);
  const modules = isPython ? [...command.matchAll(pythonModule)].map(([, name = '']) => name) : [];
  const imported = isPython ? importedNames(command) : [];
  const words = [...mentioned].filter((word) => word.length <= MAX_NAME && !word.startsWith('-'));
  const existing = (path: string): boolean => kindOf(path) === true;
  return places.flatMap((place) => [
    ...modules.flatMap(pythonFiles).map((file) => resolve(place, file)),
    ...[...imported.flatMap(pythonFiles), ...(isPython ? words.map((word) => `${word}/__main__.py`) : [])]
      .map((file) => resolve(place, file))
      .filter(existing),
    ...(runsNode.test(command)
      ? words.flatMap((word) => nodeFiles(resolve(place, word))).filter((path) => isInside(path, root))
      : []),
  ]);
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

const runsPython = /(?:^|[\s/'"`;&|(])(?:(?:python|pypy)[\d.]*|uv\s+run)\s/;
/** In code: `import a, b.c as d`, `from a import b`. */
const pythonImport =
  /(?:^|[\s;'"])(?:from\s+([\w.]+)\s+)?import\s+\(?([\w., \t]+)|\b(?:__import__|import_module)\(\s*['"]([\w.]+)/g;
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

const isProgram = (path: string): boolean => ((statOf(path)?.mode ?? 0) & 0o111) !== 0;

/** True for a file or a link to one; undefined if there is nothing. */
function kindOf(path: string): boolean | undefined {
  const info = statOf(path);
  return info && !info.isDirectory();
}
