/**
 * The instruction files of a project: read when a session starts and checked for changes between steps. They are sent
 * to the model without asking, so a repository's file can only import files inside the repository.
 */
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { InstructionReader, PresentNames, type ReadInstruction, resolveImport } from './InstructionReader.ts';
import {
  CLAUDE_FOLDER,
  type Finder,
  type Folder,
  filesOf,
  INSTRUCTION_NAMES,
  LOCAL_NAME,
} from './instructionFolder.ts';
import { formatInstructions, hashOf, type InstructionChange, type InstructionFile } from './instructions.ts';

interface InstructionPlaces {
  /** Folder with the user's own instruction file. */
  readonly dataRoot: string;
  /** The repository's root, with links resolved. */
  readonly root: string;
  /** Directory where the program was started. */
  readonly cwd: string;
  /** Directory for `@~/`; without it such imports are ignored. */
  readonly home?: string;
  /** True for files that must not be sent to the model without asking: secrets, or files that a rule denies reading. */
  readonly isSensitive: (path: string) => boolean;
}

export interface InstructionSource {
  /**
   * New, changed and removed files compared with `known` (hash by path, from the log): the user's own file, then the
   * files from the root down to the working directory, each followed by its imports, then those in directories of
   * `touched` files. Checks each directory and file on disk, but reads only changed files. Never rejects.
   */
  changes(
    known: ReadonlyMap<string, string>,
    touched: readonly string[],
  ): Promise<readonly InstructionChange[]>;
}

/** Maximum bytes of all files together; about 30,000 tokens. */
const MAX_TOTAL_BYTES = 131_072;
const MAX_FILES = 64;
/** Maximum depth of imports. */
const MAX_DEPTH = 5;

export function createInstructionSource(places: InstructionPlaces): InstructionSource {
  const { dataRoot, root, cwd, home } = places;
  const reader = new InstructionReader(root, places.isSensitive);
  const finder: Finder = { reader, names: new PresentNames([...INSTRUCTION_NAMES, LOCAL_NAME]) };
  const base: readonly Folder[] = [
    ...(home === undefined
      ? []
      : [{ path: join(home, CLAUDE_FOLDER), origin: 'user', rulesFor: root } as const]),
    { path: dataRoot, origin: 'user' },
    ...directoriesBetween(root, cwd).map((path): Folder => ({ path, origin: 'repository', rulesFor: path })),
  ];
  const covered = base.map(({ path }) => path);
  const collect = async (
    folders: readonly Folder[],
    touched: readonly string[],
    known: ReadonlySet<string>,
  ): Promise<InstructionFile[]> => {
    const collection = new Collection(reader, home);
    // This runs before every request: concurrent checks take only as long as the slowest one.
    const found = await Promise.all(folders.map((folder) => filesOf(folder, finder, touched, known)));
    for (const file of found.flat()) await collection.add(file, 0);
    return collection.files;
  };

  return {
    async changes(known, touched) {
      const nested = nestedDirectories(touched, known.keys(), root, covered);
      const folders = [...base, ...nested.map((path): Folder => ({ path, origin: 'repository' }))];
      const files = await collect(
        folders,
        touched.map((path) => resolve(root, path)),
        new Set(known.keys()),
      );
      const sentHashes = await withoutMerged(known, () => collect(base, [], new Set()));
      const present = new Set(files.map(({ path }) => path));
      const gone = [...sentHashes.keys()].filter((path) => !present.has(path));
      return [
        ...files.filter(({ path, hash }) => sentHashes.get(path) !== hash),
        ...gone.map((path) => ({ path, text: undefined })),
      ];
    },
  };
}

/**
 * Logs of earlier versions have one entry for all files, with an empty path. If its hash still matches the files, they
 * count as known; otherwise each file is sent again and the old entry is removed.
 */
async function withoutMerged(
  known: ReadonlyMap<string, string>,
  readBase: () => Promise<readonly InstructionFile[]>,
): Promise<ReadonlyMap<string, string>> {
  const merged = known.get('');
  if (merged === undefined) return known;
  const files = await readBase();
  if (hashOf(formatInstructions(files)) !== merged) return known;
  const sentHashes = new Map([...files.map(({ path, hash }) => [path, hash] as const), ...known]);
  sentHashes.delete('');
  return sentHashes;
}

/** Collects files in order, without duplicates and within the limits. */
class Collection {
  readonly files: InstructionFile[] = [];
  readonly #reader: InstructionReader;
  readonly #home: string | undefined;
  readonly #seen = new Set<string>();
  #bytes = 0;

  constructor(reader: InstructionReader, home: string | undefined) {
    this.#reader = reader;
    this.#home = home;
  }

  async add(file: ReadInstruction, depth: number): Promise<void> {
    if (this.#seen.has(file.realPath) || this.files.length >= MAX_FILES) return;
    this.#seen.add(file.realPath);
    const { path, text, hash, isUsers } = file;
    const bytes = Buffer.byteLength(text);
    if (this.#bytes + bytes > MAX_TOTAL_BYTES) {
      this.files.push({ path, text: TOO_MUCH, hash: hashOf(TOO_MUCH) });
      return;
    }
    this.#bytes += bytes;
    this.files.push({ path, text, hash, ...(isUsers === true && { isUsers }) });
    if (depth >= MAX_DEPTH) return;
    for (const written of file.imports) {
      const target = resolveImport(written, file.realPath, this.#home);
      if (target === undefined) continue;
      const imported = await this.#reader.read(target, file.isOfRepository ? 'import' : 'user import');
      if (imported !== undefined) await this.add(imported, depth + 1);
    }
  }
}

const TOO_MUCH = `(The instructions before this file have nearly ${MAX_TOTAL_BYTES} bytes already, so it was left out.)`;

// Determines the directories in which instruction files are used. Pure.

/** Maximum directories checked because a file in them was touched. */
const MAX_NESTED = 100;
/** No operating system opens a longer path. */
const MAX_PATH = 4096;
/** Folders with third-party code: instructions there are untrusted and not for this project. */
const FOREIGN: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'site-packages',
  'vendor',
  'third_party',
  '.venv',
  'venv',
  '.git',
]);

/** Directories from the repository's root down to the working directory, nearest last. */
function directoriesBetween(root: string, cwd: string): string[] {
  if (!isInside(cwd, root)) return [cwd];
  const chain = [root];
  let directory = root.endsWith(sep) ? root.slice(0, -1) : root;
  for (const part of relative(root, cwd)
    .split(sep)
    .filter((name) => name !== '')) {
    directory += sep + part;
    chain.push(directory);
  }
  return chain;
}

/**
 * Directories inside the root that contain a touched file or a known instruction file; outermost first, without
 * duplicates and without `covered`. Relative paths are relative to the root.
 */
function nestedDirectories(
  touched: Iterable<string>,
  known: Iterable<string>,
  root: string,
  covered: readonly string[],
): string[] {
  const done = new Set(covered);
  const found: string[] = [];
  const files = [...known].filter((path) =>
    [...INSTRUCTION_NAMES, LOCAL_NAME].some((name) => name === basename(path)),
  );
  for (const file of [...files, ...touched]) {
    if (file.length > MAX_PATH) continue;
    const path = resolve(root, file);
    const directory = dirname(path);
    if (done.has(directory) || !isInside(path, root) || isForeign(directory, root)) continue;
    for (const one of directoriesBetween(root, directory)) {
      // Looked into from the folder around it.
      if (done.has(one) || basename(one) === CLAUDE_FOLDER) continue;
      if (found.length >= MAX_NESTED) return found;
      done.add(one);
      found.push(one);
    }
  }
  return found;
}

function isForeign(directory: string, root: string): boolean {
  return relative(root, directory)
    .split(sep)
    .some((name) => FOREIGN.has(name));
}
