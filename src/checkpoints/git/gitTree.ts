/** Files that git already stores unchanged, so that they need not be copied. Only reads. */
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readFileNow } from '../../disk/fileLookups.ts';
import type { YieldTimer } from '../scan/Coverage.ts';
import { gitName } from '../scan/contents.ts';
import type { Content, DiskEntry } from '../scan/diskEntry.ts';
import { createYieldTimer } from '../scan/walk.ts';
import { borrowObjects, type GitProgram, ObjectReader, readGit } from './ObjectReader.ts';

export interface GitTree {
  readonly root: string;
  /** Folders with tracked files somewhere inside, without the root. */
  readonly folders: ReadonlySet<string>;
  /** The content of a file that is unchanged since git indexed it; undefined if that is not certain. */
  contentOf(path: string, entry: DiskEntry): Content | undefined;
  /** Releases the index, which only the first scan needs. */
  forgetIndex(): void;
  /** Undefined if the object no longer exists. */
  read(oid: string): Promise<Buffer | undefined>;
  close(): void;
}

interface GitTreeOptions {
  readonly git: GitProgram;
  readonly root: string;
  /** Folder for the borrowed objects. */
  readonly folder: string;
  readonly pace: YieldTimer;
}

/** Undefined if there is no repository, or git cannot read it: everything is copied then. */
async function openGitTree({ git, root, folder, pace }: GitTreeOptions): Promise<GitTree | undefined> {
  const facts = await readFacts(git, root);
  if (facts === undefined) return undefined;
  const index = await readIndex(git, root, pace);
  if (index === undefined) return undefined;
  const { objects, algorithm, writtenMs } = facts;
  let files = await withoutFalse(await findVerbatim(git, root, index.files, pace), algorithm, pace);
  const oids = new Set(Array.from(files.values(), (file) => file.oid));
  const folders = await foldersOf(root, index, pace);
  const borrowed = await borrowObjects({ folder, objects, oids, algorithm }, pace);
  if (borrowed === undefined) files = new Map();
  const reader = new ObjectReader(git, borrowed?.gitFolder ?? root, algorithm);
  return {
    root,
    folders,
    contentOf: (path, entry) => {
      const indexed = files.get(path);
      if (indexed === undefined || !isAsIndexed(indexed, entry, writtenMs)) return undefined;
      return { in: 'git', root, oid: indexed.oid, algorithm };
    },
    forgetIndex: () => {
      files = new Map();
    },
    read: (oid) => reader.read(oid),
    close: () => {
      reader.close();
      borrowed?.release();
    },
  };
}

interface Facts {
  readonly objects: string;
  readonly algorithm: 'sha1' | 'sha256';
  /** Modification time of the index file. */
  readonly writtenMs: number;
}

async function readFacts(git: GitProgram, root: string): Promise<Facts | undefined> {
  const paths = ['--git-path', 'index', '--git-path', 'objects'];
  const output = await readGit(git, root, ['rev-parse', '--show-object-format', ...paths]);
  const [format, index, objects] = output?.toString().split('\n') ?? [];
  if (index === undefined || objects === undefined || (format !== 'sha1' && format !== 'sha256'))
    return undefined;
  const written = statSync(resolve(root, index), { throwIfNoEntry: false });
  if (written === undefined) return undefined;
  return { objects: resolve(root, objects), algorithm: format, writtenMs: written.mtimeMs };
}

async function foldersOf(
  root: string,
  { files, submodules }: IndexFiles,
  pace: YieldTimer,
): Promise<ReadonlySet<string>> {
  const folders = new Set(submodules);
  for (const path of [...submodules, ...files.keys()]) {
    for (let at = dirname(path); at.length > root.length && !folders.has(at); at = dirname(at))
      folders.add(at);
    if (pace.isDue()) await pace.pause();
  }
  return folders;
}

/** The repositories that contain the roots. */
interface GitTrees {
  /** Opens them on the first call. */
  open(): Promise<readonly GitTree[]>;
  /** Also opens the one of another root, if the others are open already. */
  add(root: string): Promise<void>;
  read(root: string, oid: string): Promise<Buffer | undefined>;
  /** Stops the running git processes: pending requests are answered without git. */
  stop(): void;
  close(): void;
}

interface GitTreesOptions {
  /** False = do not use git. */
  readonly program: string | false;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly roots: readonly string[];
  readonly folder: string;
}

export function createGitTrees({ program, env, roots, folder }: GitTreesOptions): GitTrees {
  let running = new AbortController();
  const trees: GitTree[] = [];
  let opening: Promise<readonly GitTree[]> | undefined;
  const openOne = async (root: string): Promise<void> => {
    if (program === false) return;
    const git = { program, env, signal: () => running.signal };
    const tree = await openGitTree({ git, root, folder, pace: createYieldTimer() });
    if (tree !== undefined) trees.push(tree);
  };
  const open = async (): Promise<readonly GitTree[]> => {
    for (const root of roots) await openOne(root);
    return trees;
  };
  return {
    open: () => {
      opening ??= open();
      return opening;
    },
    async add(root) {
      if (opening !== undefined) await openOne(root);
    },
    read: async (root, oid) => trees.find((tree) => tree.root === root)?.read(oid),
    stop() {
      running.abort();
      running = new AbortController();
    },
    close: () => {
      for (const tree of trees) tree.close();
    },
  };
}

// Finds files whose content in the tree equals the object in git byte for byte. If only line endings and `ident` are
// converted, equal sizes mean equal bytes, since adding a file to git only ever removes bytes; filters, such as large
// file storage, and other encodings may do anything.

/** The files whose content git stores unchanged. */
async function findVerbatim(
  git: GitProgram,
  root: string,
  files: ReadonlyMap<string, IndexEntry>,
  pace: YieldTimer,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const asked = findFiltered(git, root, [...files.keys()], pace);
  await pace.pause();
  const [sizes, filtered] = await Promise.all([readSizes(git, root, files, pace), asked]);
  const verbatim = new Map<string, IndexEntry>();
  for (const [path, file] of files) {
    if (filtered?.has(path) === false && sizes?.get(file.oid) === file.size) verbatim.set(path, file);
    if (pace.isDue()) await pace.pause();
  }
  return verbatim;
}

/** Sizes of the existing objects. */
async function readSizes(
  git: GitProgram,
  root: string,
  files: ReadonlyMap<string, IndexEntry>,
  pace: YieldTimer,
): Promise<ReadonlyMap<string, number> | undefined> {
  const format = '--batch-check=%(objectname) %(objecttype) %(objectsize)';
  const oids = Array.from(files.values(), (file) => `${file.oid}\n`).join('');
  const output = await readGit(git, root, ['cat-file', '--buffer', format], oids);
  if (output === undefined) return undefined;
  const sizes = new Map<string, number>();
  for (const [, oid = '', size] of output.toString('latin1').matchAll(/^([0-9a-f]+) blob (\d+)$/gm)) {
    sizes.set(oid, Number(size));
    if (pace.isDue()) await pace.pause();
  }
  return sizes;
}

/** Paths with a filter or a special encoding; undefined if that cannot be determined. */
async function findFiltered(
  git: GitProgram,
  root: string,
  paths: readonly string[],
  pace: YieldTimer,
): Promise<ReadonlySet<string> | undefined> {
  const names = paths.map((path) => `${path.slice(root.length + 1)}\0`).join('');
  const attributes = ['filter', 'working-tree-encoding'];
  const output = await readGit(git, root, ['check-attr', '-z', '--stdin', ...attributes], names);
  if (output === undefined) return undefined;
  const filtered = new Set<string>();
  for (const [, path, value] of output.toString().matchAll(/([^\0]*)\0[^\0]*\0([^\0]*)\0/g)) {
    if (value !== 'unspecified' && value !== 'unset') filtered.add(`${root}/${path}`);
    if (pace.isDue()) await pace.pause();
  }
  return filtered;
}

// A command may have written the index itself, and a rewind would restore what it says. Reading all files would take
// too long, so the most recently changed ones are compared: they include the user's uncommitted work.

const MAX_COMPARED_FILES = 5000;
const MAX_COMPARED_BYTES = 64 * 2 ** 20;

/** Leaves out files whose content differs from the index. */
async function withoutFalse(
  files: ReadonlyMap<string, IndexEntry>,
  algorithm: Facts['algorithm'],
  pace: YieldTimer,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const latest = [...files].sort(([, a], [, b]) => b.ctimeMs - a.ctimeMs).slice(0, MAX_COMPARED_FILES);
  const sound = new Map(files);
  let left = MAX_COMPARED_BYTES;
  for (const [path, { oid, size }] of latest) {
    if (size > left) continue;
    left -= size;
    const bytes = readFileNow(path, size);
    // A file that is missing or has a different size is not the one in the index.
    if (bytes == null || gitName(bytes, algorithm) !== oid) sound.delete(path);
    if (pace.isDue()) await pace.pause();
  }
  return sound;
}

// Reads what git's index records about the files of a work tree.

interface IndexEntry {
  readonly oid: string;
  readonly size: number;
  /** The lower 32 bits. */
  readonly ino: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Files and submodules by absolute path. */
interface IndexFiles {
  readonly files: ReadonlyMap<string, IndexEntry>;
  readonly submodules: readonly string[];
}

/** One entry of `ls-files -z -s --debug`. */
const ENTRY =
  /(\d+) ([0-9a-f]+) (\d)\t([^\0]*)\0 {2}ctime: (\d+):(\d+)\n {2}mtime: (\d+):(\d+)\n {2}dev: \d+\tino: (\d+)\n.*\n {2}size: (\d+)\tflags: [0-9a-f]+\n/y;

/** Undefined if git fails, or its output has an unknown format. */
async function readIndex(git: GitProgram, root: string, pace: YieldTimer): Promise<IndexFiles | undefined> {
  const output = await readGit(git, root, ['ls-files', '-z', '-s', '--debug']);
  if (output === undefined) return undefined;
  const text = output.toString();
  const files = new Map<string, IndexEntry>();
  const submodules: string[] = [];
  const pattern = new RegExp(ENTRY);
  while (pattern.lastIndex < text.length) {
    const found = pattern.exec(text);
    if (found === null) return undefined;
    const [, mode, oid = '', stage, path = '', cSec, cNano, mSec, mNano, ino, size] = found;
    if (mode === '160000') submodules.push(`${root}/${path}`);
    else if (stage === '0' && mode?.startsWith('100'))
      files.set(`${root}/${path}`, {
        oid,
        size: Number(size),
        ino: Number(ino),
        mtimeMs: milliseconds(mSec, mNano),
        ctimeMs: milliseconds(cSec, cNano),
      });
    if (pace.isDue()) await pace.pause();
  }
  return { files, submodules };
}

/**
 * True if a file is unchanged since git indexed it. `writtenMs`: when the index was written. A file that is not older
 * may have been changed within the same clock tick.
 */
export function isAsIndexed(indexed: IndexEntry, entry: DiskEntry, writtenMs: number): boolean {
  return (
    entry.kind === 'file' &&
    entry.size === indexed.size &&
    entry.mtimeMs === indexed.mtimeMs &&
    entry.ctimeMs === indexed.ctimeMs &&
    entry.ino % 2 ** 32 === indexed.ino &&
    entry.mtimeMs < writtenMs
  );
}

/** In the same unit and precision as Node's times, so that they can be compared. */
function milliseconds(seconds: string | undefined, nanoseconds: string | undefined): number {
  return Number(seconds) * 1000 + Number(nanoseconds) / 1e6;
}
