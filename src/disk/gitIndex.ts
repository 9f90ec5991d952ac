/** Parses a git index: the files and submodules it lists, with what it knows of each file on disk. Pure. */
import type { BigIntStats } from 'node:fs';
import { atOnce, type Steps } from './slices.ts';

/** The mode of a submodule entry. */
const GITLINK = 0xe000;
const FIXED_BYTES = 42;
/** The mode of a folder in a sparse index. */
const FOLDER = 0x4000;
const LINK = 0xa000;
/** Flag of an entry with extended flags. */
const EXTENDED = 0x4000;
/** Extended flag of a file that a sparse checkout leaves out. */
const SKIPPED = 0x4000;
/** Bits of the flags with the length of the path, or this value for a longer one. */
const LENGTH = 0xfff;
/** Bits of the flags that count the versions of a file with conflicts. */
const STAGE = 0x3000;
/** An index with more entries is not read. */
const MAX_ENTRIES = 5_000_000;
/** Less than a millisecond of work. */
const ENTRIES_PER_STEP = 500;

/** Paths relative to the worktree. */
export interface IndexPaths {
  readonly files: readonly string[];
  readonly submodules: readonly string[];
}

/** When and with which size git last saw the content of a file, as index-format(5) stores it. */
interface IndexStat {
  readonly ctimeSeconds: number;
  /** Zero if the program that wrote the index did not record it. */
  readonly ctimeNanoseconds: number;
  readonly mtimeSeconds: number;
  readonly mtimeNanoseconds: number;
  /** The lower 32 bits of each. */
  readonly inode: number;
  readonly user: number;
  readonly group: number;
  readonly size: number;
}

/** A file that an index lists. */
export interface IndexedFile extends IndexStat {
  /** Relative to the worktree. */
  readonly path: string;
  /** Of the content that is staged. */
  readonly id: Buffer;
}

/** An entry of an index, as git reads it. */
export interface IndexEntry extends IndexedFile {
  readonly kind: 'file' | 'submodule' | 'folder';
  /** A symbolic link, which is a file as well. */
  readonly isLink: boolean;
  readonly isSkipped: boolean;
  readonly hasConflict: boolean;
}

/**
 * The tracked paths; undefined if the format is unknown, or the index shares its entries with another file.
 * `hashBytes`: 20, or 32 in a repository with SHA-256.
 */
export function indexPaths(index: Buffer, hashBytes: number): IndexPaths | undefined {
  const entries = atOnce(readEntries(index, hashBytes));
  return entries === undefined || sharedIndexOf(index, entries.end, hashBytes) !== undefined
    ? undefined
    : entries;
}

interface SharedPaths extends IndexPaths {
  /** Some entries have no path here: they replace entries of the shared index, and these may be submodules. */
  readonly isAnySubmodule: boolean;
}

/**
 * The paths in an index that may share entries with another file, together with those there; among them may be some
 * that git no longer tracks. `read`: the content of a file next to the index. Undefined if the format is unknown.
 */
export function* sharedIndexPaths(
  index: Buffer,
  hashBytes: number,
  read: (name: string) => Buffer | null | undefined,
): Steps<SharedPaths | undefined> {
  const own = yield* readEntries(index, hashBytes);
  if (own === undefined) return undefined;
  const shared = sharedIndexOf(index, own.end, hashBytes);
  if (shared === undefined) return { ...own, isAnySubmodule: false };
  const content = read(shared);
  const base = content == null ? undefined : yield* readEntries(content, hashBytes);
  if (base === undefined) return undefined;
  return {
    files: [...base.files, ...own.files].filter((path) => path !== ''),
    submodules: [...base.submodules, ...own.submodules].filter((path) => path !== ''),
    isAnySubmodule: own.submodules.includes(''),
  };
}

/**
 * The files with these paths that an index, which may share entries with another file, lists; one of them may be listed
 * with a content that is no longer staged, or left out if it replaces a shared entry. `read`: as for `sharedIndexPaths`.
 * Empty if the format is unknown.
 */
export function* indexedAmong(
  index: Buffer,
  hashBytes: number,
  wanted: ReadonlySet<string>,
  read: (name: string) => Buffer | null | undefined,
): Steps<readonly IndexedFile[]> {
  const found = new Map<string, IndexedFile>();
  const take = (entry: IndexEntry): void => {
    if (entry.kind === 'file' && wanted.has(entry.path)) found.set(entry.path, entry);
  };
  const end = yield* entrySteps(index, hashBytes, take);
  const shared = end === undefined ? undefined : sharedIndexOf(index, end, hashBytes);
  const content = shared === undefined ? undefined : read(shared);
  if (content != null)
    yield* entrySteps(content, hashBytes, (entry) => !found.has(entry.path) && take(entry));
  return end === undefined ? [] : [...found.values()];
}

/** True if git last saw the file in this state: otherwise it may read it again, with any of these compared. */
export const isAsIndexed = (found: BigIntStats, stat: IndexStat): boolean =>
  low(found.size) === stat.size &&
  low(found.ino) === stat.inode &&
  low(found.uid) === stat.user &&
  low(found.gid) === stat.group &&
  isSameTime(found.mtimeNs, stat.mtimeSeconds, stat.mtimeNanoseconds) &&
  isSameTime(found.ctimeNs, stat.ctimeSeconds, stat.ctimeNanoseconds);

const low = (value: bigint): number => Number(value & 0xffff_ffffn);

const isSameTime = (found: bigint, seconds: number, nanoseconds: number): boolean =>
  Number(found / 1_000_000_000n) % 2 ** 32 === seconds && Number(found % 1_000_000_000n) === nanoseconds;

interface Entries extends IndexPaths {
  /** Where the entries end. */
  readonly end: number;
}

function* readEntries(index: Buffer, hashBytes: number): Steps<Entries | undefined> {
  const files: string[] = [];
  const submodules: string[] = [];
  const end = yield* entrySteps(index, hashBytes, ({ kind, path }) =>
    (kind === 'submodule' ? submodules : files).push(path),
  );
  return end === undefined ? undefined : { files, submodules, end };
}

/**
 * The files for which `isSame` is false, and those with conflicts: their content may differ from the index. Undefined as
 * for `indexPaths`, and for a sparse index, which lists folders in place of their files. `isSame`: whether the file is on disk as git last saw it; undefined = it
 * is not there.
 */
export function changedPaths(
  index: Buffer,
  hashBytes: number,
  isSame: (path: string, stat: IndexStat) => boolean | undefined,
): readonly string[] | undefined {
  const changed: string[] = [];
  let isSparse = false;
  const end = eachEntry(index, hashBytes, (entry) => {
    isSparse ||= entry.kind === 'folder';
    if (entry.kind === 'submodule' || changed.at(-1) === entry.path) return;
    const same = entry.hasConflict ? false : isSame(entry.path, entry);
    if (same === false || (same === undefined && !entry.isSkipped)) changed.push(entry.path);
  });
  const isWhole = end !== undefined && !isSparse && sharedIndexOf(index, end, hashBytes) === undefined;
  return isWhole ? changed : undefined;
}

/**
 * Calls `take` for each entry in this file. Returns where the entries end; undefined if the index cannot be read, or if
 * git may read other entries from it.
 */
const eachEntry = (
  index: Buffer,
  hashBytes: number,
  take: (entry: IndexEntry) => unknown,
): number | undefined => atOnce(entrySteps(index, hashBytes, take));

/** `eachEntry` in steps: a large index takes more than a frame. */
export function* entrySteps(
  index: Buffer,
  hashBytes: number,
  take: (entry: IndexEntry) => unknown,
): Steps<number | undefined> {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4 || count > MAX_ENTRIES) return undefined;
  const tables = indexTables(index, hashBytes);
  let [block, nextBlock] = [0, 0];
  let at = 12;
  let before = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry++) {
    if (entry % ENTRIES_PER_STEP === 0) yield;
    const start = at;
    const flagsAt = start + FIXED_BYTES - 2 + hashBytes;
    if (flagsAt + 4 > index.length) return undefined;
    const mode = index.readUInt32BE(start + 24) & 0xf000;
    const flags = index.readUInt16BE(flagsAt);
    const isExtended = (flags & EXTENDED) !== 0;
    at = flagsAt + (isExtended ? 4 : 2);
    let kept = 0;
    if (version === 4) {
      const dropped = readVarint(index, at);
      if (dropped === undefined || dropped.value > before.length) return undefined;
      kept = before.length - dropped.value;
      at = dropped.next;
    }
    if (tables.blocks.length > 0 && entry === nextBlock) {
      const found = tables.blocks[block++];
      if (found?.offset !== start || found.count === 0 || kept > 0) return undefined;
      nextBlock += found.count;
    }
    const end = index.indexOf(0, at);
    if (end === -1) return undefined;
    // Git looks for the next entry where this length says, so a wrong one hides entries from other programs.
    if ((flags & LENGTH) !== Math.min(kept + end - at, LENGTH)) return undefined;
    const path =
      version === 4
        ? Buffer.concat([before.subarray(0, kept), index.subarray(at, end)])
        : index.subarray(at, end);
    if (version === 4) before = Buffer.from(path);
    take({
      path: path.toString('utf8'),
      id: index.subarray(start + FIXED_BYTES - 2, flagsAt),
      kind: mode === GITLINK ? 'submodule' : mode === FOLDER ? 'folder' : 'file',
      isLink: mode === LINK,
      isSkipped: isExtended && (index.readUInt16BE(flagsAt + 2) & SKIPPED) !== 0,
      hasConflict: (flags & STAGE) !== 0,
      ctimeSeconds: index.readUInt32BE(start),
      ctimeNanoseconds: index.readUInt32BE(start + 4),
      mtimeSeconds: index.readUInt32BE(start + 8),
      mtimeNanoseconds: index.readUInt32BE(start + 12),
      inode: index.readUInt32BE(start + 20),
      user: index.readUInt32BE(start + 28),
      group: index.readUInt32BE(start + 32),
      size: index.readUInt32BE(start + 36),
    });
    at = version === 4 ? end + 1 : start + ((end - start + 8) & ~7);
  }
  const isAsTold = (tables.end ?? at) === at && (tables.blocks.length === 0 || nextBlock === count);
  return isAsTold && linksIn(index, at, hashBytes).length <= 1 ? at : undefined;
}

/** The name of the file with most entries if the index has a `link` extension. */
export function sharedIndexOf(index: Buffer, from: number, hashBytes: number): string | undefined {
  const [link] = linksIn(index, from, hashBytes);
  return link === undefined ? undefined : `sharedindex.${link.toString('hex', 0, hashBytes)}`;
}

const linksIn = (index: Buffer, from: number, hashBytes: number): readonly Buffer[] =>
  extensions(index, from, hashBytes).flatMap(({ name, content }) => (name === 'link' ? [content] : []));

/** As in pack files: seven bits per byte, with an offset of one for each additional byte. */
function readVarint(
  buffer: Buffer,
  from: number,
): { readonly value: number; readonly next: number } | undefined {
  let value = 0;
  for (let at = from; at < buffer.length && at < from + 5; at++) {
    const byte = buffer[at] ?? 0;
    value = (at === from ? 0 : (value + 1) * 128) + (byte & 0x7f);
    if ((byte & 0x80) === 0) return { value, next: at + 1 };
  }
  return undefined;
}

// Tables at the end of an index by which git may find entries without reading all before them, in several threads
// (`index.threads`). It trusts them, so an index can show one list of entries to git and another to a program that reads
// it from the start. Source: gitformat-index, extensions.

interface Block {
  /** Where its first entry starts. */
  readonly offset: number;
  /** Of entries. */
  readonly count: number;
}

interface Tables {
  /** Where the entries end; absent if the index does not say. */
  readonly end?: number;
  /** In order; empty if git reads all entries from the start. */
  readonly blocks: readonly Block[];
}

const HEADER_BYTES = 8;

function indexTables(index: Buffer, hashBytes: number): Tables {
  // Git looks for it in this place only.
  const at = index.length - hashBytes - HEADER_BYTES - 4 - hashBytes;
  if (at < 0 || index.toString('latin1', at, at + 4) !== 'EOIE') return { blocks: [] };
  const end = index.readUInt32BE(at + HEADER_BYTES);
  const [table] = extensions(index, end, hashBytes).filter(({ name }) => name === 'IEOT');
  return { end, blocks: table === undefined ? [] : blocksIn(table.content) };
}

function blocksIn(table: Buffer): readonly Block[] {
  const count = Math.floor((table.length - 4) / 8);
  return Array.from({ length: Math.max(count, 0) }, (_, block) => ({
    offset: table.readUInt32BE(4 + block * 8),
    count: table.readUInt32BE(8 + block * 8),
  }));
}

interface Extension {
  readonly name: string;
  readonly content: Buffer;
}

/** `from`: where the entries end. */
function extensions(index: Buffer, from: number, hashBytes: number): readonly Extension[] {
  const found: Extension[] = [];
  const last = index.length - hashBytes - HEADER_BYTES;
  for (let at = from; at <= last; ) {
    const next = at + HEADER_BYTES + index.readUInt32BE(at + 4);
    found.push({
      name: index.toString('latin1', at, at + 4),
      content: index.subarray(at + HEADER_BYTES, next),
    });
    at = next;
  }
  return found;
}
