/**
 * The project files that settings run: scripts of hooks, the status line, notifications, MCP servers and commands that
 * print API keys. They run outside the sandbox without approval, so changing such a file changes what the user
 * approved. A file counts if the command, or a script that it runs, names it.
 */
import { dirname, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/types.ts';
import { isExecutable, readEndsNow, readFileNow, statOf } from '../../disk/fileLookups.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { repositoryTop, trackedFiles } from '../../permissions/lookups/gitPrograms.ts';
import { isInterpreter } from '../../permissions/options/runnerNames.ts';
import { type ProgramText, projectVariables, serverProgram } from '../../protocol/settingsPrograms.ts';
import { moduleFiles } from './moduleFiles.ts';
import { FolderLists, SearchLimits } from './SearchLimits.ts';
import { ANY, partsOf, type TextWord, wordsOf } from './textWords.ts';

type Settings = Pick<LoadedSettings, 'hooks' | 'servers'> & {
  readonly settings: Pick<LoadedSettings['settings'], 'statusLine' | 'notificationCommand' | 'providers'>;
};

interface Place {
  readonly root: string;
  readonly home: string;
}

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

/** The project files that a program in the settings names, directly or through its scripts. */
export interface ProgramFiles {
  /** Absolute paths with links resolved. Includes paths that do not exist: a file created there would run. */
  readonly files: readonly string[];
  /**
   * More files that it runs, in build folders and untracked. Builds must be able to write them, so they are not
   * protected, but an approval covers them.
   */
  readonly built: readonly string[];
  /** True if there are more than can be looked at, so that it must not run. */
  readonly isCut: boolean;
}

/**
 * The files that a program's approval covers, as `files`; build results among them also as `built`. `excluded`:
 * commands whose build results may change.
 */
export function coveredFiles(program: ProgramText, place: Place, excluded: readonly string[]): ProgramFiles {
  const found = filesOf(program, place);
  if (excluded.includes(commandText(program))) return { ...found, built: [] };
  return { ...found, files: [...found.files, ...found.built] };
}

/** A command with its arguments. */
export const commandText = ({ command, args = [] }: ProgramText): string => [command, ...args].join(' ');

/** The protected files of all programs; see `filesOf`. */
export function executedFiles(programs: readonly ProgramText[], place: Place): readonly string[] {
  const disk = FolderLists.atStart();
  return [...new Set(programs.flatMap((program) => filesOf(program, place, disk).files))];
}

/** The files that one program names; each that is a shell script is read like the program itself. */
export function filesOf(program: ProgramText, place: Place, disk = new FolderLists()): ProgramFiles {
  return new FileSearch(place, new SearchLimits(disk)).search(program);
}

const MAX_SCRIPT_BYTES = 200_000;
/** Reading this many characters counts like one look at the disk: together, scripts of some megabytes at a start. */
const CHARACTERS = 20;
/** Of a path in Linux. */
const MAX_NAME = 4096;

/** Files that change all the time and that no program runs under their name: data, notes, settings. */
const data =
  /(?:\.(?:log|jsonl?|db|sqlite3?|duckdb|csv|tsv|parquet|pid|md|txt|lock|ya?ml|toml|ini|xml|html?|css|svg|png)|(?:^|\/)\.env(?:\.\w+)?)$/i;
const script = /\.(?:(?:ba|da|z|k)?sh|py|rb|pl|php|lua|[cm]?[jt]s)$/;
const shellEnding = /\.(?:ba|da|z|k)?sh$/;
/** Words of texts that list, start or copy what is in a folder. */
const walker =
  /^(?:find|fd|fdfind|ls|run-parts|xargs|parallel|watchexec|entr|cp|mv|ln|rsync|tar|core\.hookspath)$/i;
/** The scripts of interpreters, which are not executable. */
const interpreters: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:python|pypy)[\d.]*$/, /\.py$/],
  [/^(?:node|nodejs|bun|deno|tsx|ts-node)$/, /\.[cm]?[jt]s$/],
  [/^(?:ruby|perl|php|lua)[\d.]*$/, /\.(?:rb|pl|php|lua)$/],
];

/** Text that a shell reads. */
interface Text {
  readonly content: string;
  readonly words: readonly (TextWord & { readonly parts: readonly string[] })[];
  /** It lists, starts or copies what is in folders. */
  readonly isWalking: boolean;
  /** Tests whether it could run a file of which it names only a part. */
  readonly mayRun: (path: string) => boolean;
  /** Its words that are names of files or folders. */
  readonly found: Set<string>;
  /** How many folders were searched for its words. */
  searched: number;
}

class FileSearch {
  readonly #root: string;
  readonly #variables: ReadonlyMap<string, string>;
  /** Where relative names are looked up: where the program starts, and the folders that texts name or are in. */
  readonly #folders: string[];
  #starts: readonly string[];
  /** The files, and whether they run or are only named. */
  readonly #files = new Map<string, boolean>();
  readonly #texts: Text[] = [];
  readonly #limits: SearchLimits;
  readonly #disk: FolderLists;

  constructor({ root, home }: Place, limits: SearchLimits) {
    this.#limits = limits;
    this.#disk = limits.disk;
    this.#root = realpath(root);
    this.#variables = new Map(Object.entries({ ...projectVariables(root), HOME: home }));
    this.#starts = this.#folders = [root];
  }

  search({ command, args, cwd, env = {} }: ProgramText): ProgramFiles {
    const values = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
    const program = args === undefined ? command : [command, ...args].map(quoted).join(' ');
    this.#addText(program, [commandText({ command, args }), ...Object.values(env)].join('\n'));
    this.#addText(`env ${values.join(' ')}`);
    if (cwd !== undefined) {
      const text = `cd ${quoted(cwd)}`;
      this.#addText(text);
      const folder = wordsOf(text, this.#variables)?.[1]?.text ?? ANY;
      if (!folder.includes(ANY)) this.#addFolder(resolve(this.#root, folder));
    }
    this.#starts = [...this.#folders];
    for (let before = -1; before < this.#folders.length; ) {
      before = this.#folders.length;
      for (const text of this.#texts) this.#read(text);
    }
    for (const { words, content } of this.#texts) {
      const names = words.flatMap(({ text, parts }) => [text, ...parts]).map(afterUnknown);
      for (const path of moduleFiles(content, names, this.#folders, { root: this.#root, disk: this.#disk }))
        this.#files.set(path, true);
    }
    return this.#result();
  }

  /** `content`: what may name modules, if that differs. */
  #addText(text: string, content = text): void {
    const variables = [...this.#variables].filter(([name]) => !text.includes(`${name}=`));
    const words = this.#disk.spend(text.length / CHARACTERS) ? wordsOf(text, new Map(variables)) : undefined;
    const named = words?.map((word) => ({ ...word, parts: partsOf(word.text) })) ?? [];
    if (words === undefined) this.#limits.exceed();
    if (words === undefined || !this.#limits.takes('texts')) return;
    const names = named.flatMap((word) => [word.text, ...word.parts]);
    const has = (name: RegExp): boolean => names.some((one) => name.test(one));
    const interpreted = interpreters.flatMap(([name, ending]) => (has(name) ? [ending] : []));
    this.#texts.push({
      content,
      words: named,
      isWalking: has(walker),
      mayRun: (path) =>
        shellEnding.test(path) || isExecutable(path) || interpreted.some((ending) => ending.test(path)),
      found: new Set(),
      searched: 0,
    });
  }

  #addFolder(path: string): void {
    if (!this.#folders.includes(path) && this.#limits.takes('folders')) this.#folders.push(path);
  }

  /** Looks for the files that a text names, in the folders that were not searched for them. */
  #read(text: Text): void {
    for (; text.searched < this.#folders.length; text.searched += 1) {
      const folder = this.#folders[text.searched] ?? '';
      for (const { text: word, isRun, parts } of text.words) {
        if (this.#disk.isSpent) return;
        if (this.#lookUp(word, folder, isRun, text)) text.found.add(word);
        // What a word contains means nothing if there is such a file.
        if (!text.found.has(word)) for (const part of parts) this.#lookUp(part, folder, false, text);
      }
    }
  }

  /** True if there is a file or a folder of this name. */
  #lookUp(name: string, folder: string, isRun: boolean, { isWalking, mayRun }: Text): boolean {
    if (name === '' || name.length > MAX_NAME) return false;
    if (name.startsWith('/') && folder !== this.#folders[0]) return false;
    let exists = false;
    for (const { path, isExact } of pathsFor(name, folder, this.#disk)) {
      const info = this.#disk.spend(1) ? statOf(path) : undefined;
      exists ||= info !== undefined;
      if (info?.isDirectory() === true) {
        if (isExact && /[^./]/.test(name)) this.#takeFolder(path, isWalking ? mayRun : undefined);
      } else if (info !== undefined) {
        if (isRun || (isExact ? !data.test(path) : mayRun(path))) this.#add(path, isRun);
      } else if (this.#starts.includes(folder) && mayCome(name, isRun)) this.#add(path, isRun);
    }
    return exists;
  }

  /** `mayRun`: what in the folder may run, if the text lists it. */
  #takeFolder(path: string, mayRun: Text['mayRun'] | undefined): void {
    const isBelow = isInside(path, this.#root) && path !== this.#root;
    if (isBelow || isInside(this.#root, path)) this.#addFolder(path);
    if (!isBelow || mayRun === undefined) return;
    for (const file of this.#disk.filesIn(path, true)) if (mayRun(file)) this.#add(file, true);
  }

  #add(path: string, isRun: boolean): void {
    if (!isInside(path, this.#root) && !isInside(realpath(path), this.#root)) return;
    const wasRun = this.#files.get(path);
    if (wasRun === true || wasRun === isRun) return;
    if (wasRun === undefined && !this.#limits.takes('files')) return;
    this.#files.set(path, isRun);
    const content = shellText(path, isRun);
    if (content === null) this.#limits.exceed();
    if (typeof content !== 'string') return;
    this.#addText(content);
    this.#addFolder(dirname(path));
    this.#addFolder(dirname(realpath(path)));
  }

  #result(): ProgramFiles {
    const isBuilt = resultTest(this.#root);
    const inside = (paths: Iterable<string>): readonly string[] => [
      ...new Set(
        [...paths].flatMap((path) => [path, realpath(path)]).filter((path) => isInside(path, this.#root)),
      ),
    ];
    const run = [...this.#files].flatMap(([path, isRun]) => (isRun ? [path] : []));
    return {
      files: inside(this.#files.keys()).filter((path) => !isBuilt(path)),
      built: inside(run).filter(isBuilt),
      isCut: this.#limits.isExceeded,
    };
  }
}

/** A path for which a name may stand. */
interface FoundPath {
  readonly path: string;
  /** False if only a part of the file's name is known. */
  readonly isExact: boolean;
}

/** Without what is before and in the last folder of which something is unknown. */
function afterUnknown(name: string): string {
  const end = name.lastIndexOf('/');
  const unknown = end === -1 ? -1 : name.lastIndexOf(ANY, end);
  return unknown === -1 ? name : name.slice(name.indexOf('/', unknown) + 1);
}

/** True for the path of a file that would run, or be covered, once it is created. */
function mayCome(name: string, isRun: boolean): boolean {
  const isPath = name.includes('/');
  const mayRun = isRun ? isPath || script.test(name) : isPath && script.test(name);
  return mayRun && /^(?!-)[\w.@+/-]*[\w.@+-]$/.test(name);
}

/** The paths that a name may mean in a folder. After an unknown folder, what follows may be relative to any. */
function pathsFor(name: string, folder: string, disk: FolderLists): readonly FoundPath[] {
  const fixed = /^[^\uE000]*\//.exec(name)?.[0] ?? '';
  const known = afterUnknown(name);
  const isWhole = known === name;
  const last = known.replace(/^.*\//s, '');
  const within = resolve(folder, isWhole ? fixed : known.slice(0, known.length - last.length));
  const start = resolve(folder, fixed);
  const below = isWhole || fixed === '' || start === folder ? [] : disk.filesIn(start, true);
  if (!last.includes(ANY)) {
    const others = below.filter((path) => path.endsWith(`/${known}`));
    return [resolve(within, last), ...others].map((path) => ({ path, isExact: true }));
  }
  // Of several unknown parts, only what is before the first and after the last one counts.
  const [first, end] = [last.slice(0, last.indexOf(ANY)), last.slice(last.lastIndexOf(ANY) + 1)];
  const isKnown = within !== folder || /\w/.test(first + end);
  const isMatching = (path: string): boolean => {
    const base = path.lastIndexOf('/') + 1;
    return (
      path.length - base >= first.length + end.length && path.startsWith(first, base) && path.endsWith(end)
    );
  };
  return [...(isKnown ? disk.filesIn(within, false) : []), ...below]
    .filter(isMatching)
    .map((path) => ({ path, isExact: false }));
}

const quoted = (word: string): string => `"${word.replace(/["`\\]/g, '\\$&')}"`;

/** Files in another language, or with none. */
const source =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|go|rs|c|h|cc|cpp|hpp|java|kt|swift|cs|vue|svelte|s?css|less|html?|sql|graphql|proto)$/;

/** The text of a file that a shell may read; null if it is too long, undefined for another file. */
function shellText(path: string, isRun: boolean): string | null | undefined {
  if (statOf(path)?.isFile() !== true || (data.test(path) && !isRun)) return undefined;
  const text = readFileNow(path, MAX_SCRIPT_BYTES)?.toString('utf8');
  const [line = ''] = (text ?? readEndsNow(path, 500)?.[0]?.toString('latin1') ?? '').split('\n', 1);
  // A shell starts no binary file, and leaves out such characters after the first line.
  if (line.includes('\0')) return undefined;
  const isShell = line.startsWith('#!')
    ? !line
        .slice(2)
        .split(/[\s/]+/)
        .some(isInterpreter)
    : shellEnding.test(path) || (!script.test(path) && (isRun || (text !== undefined && !source.test(path))));
  if (!isShell) return undefined;
  return text === undefined ? null : text.replace(/^#!/, '').replaceAll('\0', '');
}

/** Builds write these constantly. */
const results = /(?:^|\/)(?:dist|build|out|target|bin|obj|node_modules|\.?venv|\.next)\//;

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
