/**
 * Computes suggestions for a trigger and the text that accepting one inserts. Ranking uses fzf, loaded on first use.
 */
import { hidesCharacters } from '../../protocol/text/reveal.ts';
import type { Unit } from './units.ts';

/** Sources of completions. */
export type CompletionPort = {
  /** Commands; names without the slash. */
  commands(): readonly {
    readonly name: string;
    readonly aliases?: readonly string[];
    readonly description: string;
  }[];
  /** Paths relative to the project, with `/` as separator; folders need not be listed. */
  files(): Promise<readonly string[]>;
  /** Other targets of an `@`: MCP resources as `server:uri`. */
  resources?(): readonly string[];
};

/** One line of the popup. */
export type Suggestion = {
  readonly label: string;
  readonly description?: string | undefined;
  /** Replaces the trigger; ends in a space unless there is more to choose. */
  readonly insert: string;
  /** True if the typed text already is this suggestion in full. */
  readonly isComplete: boolean;
};

/** A file or folder (ending in `/`), prepared for matching. */
type ProjectPath = { readonly path: string; readonly lowerCase: string };

type Finder = typeof import('fzf');

/** Answers synchronously from loaded data. */
type Completer = {
  /** Returns suggestions, best first; undefined until `load` for that kind has finished once. */
  suggest(trigger: Trigger): readonly Suggestion[] | undefined;
  /** Reloads the data for a kind of trigger. Never rejects; sources that cannot be listed yield no suggestions. */
  load(kind: Trigger['kind']): Promise<void>;
};

const maxSuggestions = 50;

/** Above this number of matching paths only the shortest are ranked, to keep keys responsive. */
const maxRanked = 2000;

export function createCompleter(port: CompletionPort): Completer {
  let finder: Finder | undefined;
  let paths: readonly ProjectPath[] | undefined;
  return {
    suggest(trigger) {
      if (finder === undefined) return undefined;
      if (trigger.kind === 'command') return suggestCommands(finder, port.commands(), trigger.query);
      const resources = suggestResources(port.resources?.() ?? [], trigger.query);
      return paths && [...resources, ...suggestFiles(finder, paths, trigger.query)].slice(0, maxSuggestions);
    },
    async load(kind) {
      finder ??= await import('fzf');
      if (kind === 'file') paths = withFolders(await port.files().catch(() => []));
    },
  };
}

/** Resources that contain the query; none for an empty query, because files are wanted more often. */
function suggestResources(resources: readonly string[], query: string): readonly Suggestion[] {
  const wanted = query.toLowerCase();
  return resources
    .filter(
      (name) =>
        wanted !== '' && name.toLowerCase().includes(wanted) && !/\s/.test(name) && !hidesCharacters(name),
    )
    .slice(0, MAX_RESOURCES)
    .map((name) => ({ label: name, insert: `@${name} `, isComplete: name === query }));
}

/** Leaves room for files below them. */
const MAX_RESOURCES = 10;

/** Ranks commands by name; for an empty query returns all in their given order. */
function suggestCommands(
  finder: Finder,
  commands: ReturnType<CompletionPort['commands']>,
  query: string,
): readonly Suggestion[] {
  const suggestion = (name: string, description: string): Suggestion => ({
    label: `/${name}`,
    description,
    insert: `/${name} `,
    isComplete: name === query,
  });
  // A fully typed alias selects its command, rather than commands that happen to contain its letters.
  const alias = commands.find(({ aliases }) => query !== '' && aliases?.includes(query));
  const found = rank(finder, commands, (command) => command.name, query);
  return [
    ...(alias === undefined ? [] : [suggestion(query, alias.description)]),
    ...found
      .filter((command) => command !== alias)
      .map(({ name, description }) => suggestion(name, description)),
  ].slice(0, maxSuggestions);
}

/**
 * Ranks paths. A query that is empty or ends in `/` lists that folder instead, subfolders first. `paths` come from
 * `withFolders`.
 */
function suggestFiles(finder: Finder, paths: readonly ProjectPath[], query: string): readonly Suggestion[] {
  const wanted = query.replace(/^(\.\/)+/, '');
  const isFolder = wanted === '' || wanted.endsWith('/');
  const found = isFolder
    ? childrenOf(paths, wanted)
    : rank(finder, containing(paths, wanted), (path) => path, wanted);
  return found.map((path) => suggestFile(path, wanted));
}

/**
 * Adds the parent folders of all files as paths ending in `/`, and sorts by length. Omits names with invisible
 * characters: a repository could use them to manipulate the screen or to smuggle hidden text into the prompt.
 */
function withFolders(files: readonly string[]): readonly ProjectPath[] {
  const shown = files.filter((file) => !hidesCharacters(file));
  const all = new Set(shown);
  for (const file of shown) {
    for (let end = file.lastIndexOf('/', file.length - 2); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end + 1);
      if (all.has(folder)) break;
      all.add(folder);
    }
  }
  return [...all]
    .sort((a, b) => a.length - b.length)
    .map((path) => ({ path, lowerCase: path.toLowerCase() }));
}

function rank<Item>(
  { Fzf }: Finder,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  query: string,
): readonly Item[] {
  type Found = { readonly item: Item };
  const shorterFirst = (a: Found, b: Found): number => nameOf(a.item).length - nameOf(b.item).length;
  // Searches from the end, so that matches in the file name count more.
  const options = { selector: nameOf, tiebreakers: [shorterFirst], limit: maxSuggestions, forward: false };
  const found: readonly Found[] = new Fzf(items, options).find(query);
  return found.map(({ item }) => item);
}

function suggestFile(path: string, query: string): Suggestion {
  const isFolder = path.endsWith('/');
  const quote = /\s/.test(path) ? '"' : '';
  // A folder is inserted without closing quote and space, so that a file in it can be chosen next.
  return {
    label: path,
    insert: isFolder ? `@${quote}${path}` : `@${quote}${path}${quote} `,
    isComplete: path === query && !isFolder,
  };
}

function childrenOf(paths: readonly ProjectPath[], folder: string): readonly string[] {
  const isChild = (path: string): boolean => {
    if (!path.startsWith(folder) || path === folder) return false;
    const slash = path.indexOf('/', folder.length);
    return slash === -1 || slash === path.length - 1;
  };
  const rank = (path: string): number => (path.endsWith('/') ? 0 : 1);
  const compare = (a: string, b: string): number => rank(a) - rank(b) || a.localeCompare(b);
  const children = paths.map(({ path }) => path).filter(isChild);
  return children.sort(compare).slice(0, maxSuggestions);
}

/** Paths that contain the query's letters in order: a cheap filter that leaves little to rank. */
function containing(paths: readonly ProjectPath[], query: string): string[] {
  const letters = [...query.toLowerCase()];
  const found: string[] = [];
  for (const { path, lowerCase } of paths) {
    let at = 0;
    for (const letter of letters) {
      at = lowerCase.indexOf(letter, at) + 1;
      if (at === 0) break;
    }
    if (at > 0 && found.push(path) >= maxRanked) break;
  }
  return found;
}

/** The word at the cursor that triggers completion: `/query` at the start, or `@query` anywhere. */
export type Trigger = {
  readonly kind: 'command' | 'file';
  /** Text between the sign and the cursor, without an opening quote. */
  readonly query: string;
  /** Range of units that an accepted suggestion replaces, including the sign. */
  readonly from: number;
  readonly to: number;
};

/** Finds the trigger at the cursor, if any. */
export function findTrigger(units: readonly Unit[], cursor: number): Trigger | undefined {
  return commandAt(units, cursor) ?? fileAt(units, cursor);
}

function commandAt(units: readonly Unit[], cursor: number): Trigger | undefined {
  const query = textBetween(units, 1, cursor);
  // A second slash makes it a path, which is sent as a prompt.
  if (units[0] !== '/' || cursor === 0 || query === undefined || /[\s/]/.test(query)) return undefined;
  return { kind: 'command', query, from: 0, to: endOfWord(units, cursor) };
}

function fileAt(units: readonly Unit[], cursor: number): Trigger | undefined {
  for (let from = cursor - 1; from >= 0; from--) {
    const unit = units[from];
    if (typeof unit !== 'string' || unit === '\n') return undefined;
    if (unit !== '@') continue;
    const before = units[from - 1];
    // An address such as me@example.org is not a trigger; "看@src", without a space, is.
    if (typeof before === 'string' && /[\w.+-]/.test(before)) continue;
    const text = textBetween(units, from + 1, cursor) ?? '';
    if (text.startsWith('"')) {
      return text.includes('"', 1)
        ? undefined
        : { kind: 'file', query: text.slice(1), from, to: endOfQuote(units, cursor) };
    }
    // After a `#L10` there is nothing to complete.
    if (/\s|#L/.test(text)) return undefined;
    return { kind: 'file', query: text, from, to: endOfWord(units, cursor) };
  }
  return undefined;
}

/** Returns the text between two positions; undefined if it contains a folded paste. */
function textBetween(units: readonly Unit[], from: number, to: number): string | undefined {
  let text = '';
  for (const unit of units.slice(from, to)) {
    if (typeof unit !== 'string') return undefined;
    text += unit;
  }
  return text;
}

function endOfWord(units: readonly Unit[], cursor: number): number {
  let end = cursor;
  while (end < units.length && typeof units[end] === 'string' && !/^\s/.test(String(units[end]))) end++;
  return end;
}

/** The position after the closing quote if there is one on this line, else the cursor. */
function endOfQuote(units: readonly Unit[], cursor: number): number {
  for (let end = cursor; end < units.length && units[end] !== '\n'; end++) {
    if (units[end] === '"') return end + 1;
  }
  return cursor;
}

/** Runs actions in the order they were typed, even while an asynchronous one is pending. */
interface ActionQueue {
  /** Runs `act` now, or after the pending actions. A returned promise delays later actions; it must not reject. */
  run(act: () => void | Promise<void>): void;
}

export function createActionQueue(): ActionQueue {
  let last: Promise<void> | undefined;
  const enqueue = (work: Promise<void>): void => {
    last = work;
    void work.then(() => {
      if (last === work) last = undefined;
    });
  };
  return {
    run(act) {
      const done = last === undefined ? act() : last.then(act);
      if (done !== undefined) enqueue(done);
    },
  };
}
