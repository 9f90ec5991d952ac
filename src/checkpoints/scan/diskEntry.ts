import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** What one look at a path tells, without opening anything. */
export interface DiskEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'pipe' | 'socket' | 'device';
  /** Permission bits, set-user-id and its like included. */
  readonly mode: number;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  /** Milliseconds with fractions; a double is exact to a quarter of a microsecond here. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Undefined where nothing is. Throws for other reasons, e.g. a folder that may not be searched. */
export function look(path: string): DiskEntry | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : entryOf(stats);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

export function entryOf(stats: Stats): DiskEntry {
  return {
    kind: kindOf(stats.mode),
    mode: stats.mode & 0o7777,
    size: stats.size,
    dev: stats.dev,
    ino: stats.ino,
    mtimeMs: stats.mtimeMs,
    ctimeMs: stats.ctimeMs,
  };
}

/** Whether nothing has happened to it between two looks, as far as a look can tell. */
export function sameEntry(a: DiskEntry, b: DiskEntry): boolean {
  return (
    a.kind === b.kind &&
    a.ctimeMs === b.ctimeMs &&
    a.mtimeMs === b.mtimeMs &&
    a.size === b.size &&
    a.ino === b.ino &&
    a.mode === b.mode &&
    a.dev === b.dev
  );
}

/** A clock of a file system ticks every few milliseconds, some only every two seconds. */
const FINE_TICK_MS = 50;
const COARSE_TICK_MS = 2_500;

/**
 * Whether it changed so shortly before `lookedAtMs` that one more change could leave the same times behind: the next
 * look must then read it again ("racy", as git calls it).
 */
export function isYoung(entry: DiskEntry, lookedAtMs: number): boolean {
  const tick = entry.ctimeMs % 1000 === 0 ? COARSE_TICK_MS : FINE_TICK_MS;
  return entry.ctimeMs + tick > lookedAtMs;
}

const FORMAT = 0o170000;

function kindOf(mode: number): DiskEntry['kind'] {
  switch (mode & FORMAT) {
    case 0o100000:
      return 'file';
    case 0o040000:
      return 'folder';
    case 0o120000:
      return 'link';
    case 0o010000:
      return 'pipe';
    case 0o140000:
      return 'socket';
    default:
      return 'device';
  }
}

/** Where a file's content can be had when the file itself is no longer what it was. */
export type Content =
  | { readonly in: 'stash'; readonly hash: string }
  | { readonly in: 'blobs'; readonly hash: string }
  /** In git's own store, under git's own name for it. */
  | { readonly in: 'git'; readonly root: string; readonly oid: string; readonly algorithm: 'sha1' | 'sha256' }
  /** Not kept, and why; the hash is for comparing only; that of a `secret` is never shown. */
  | {
      readonly in: 'nowhere';
      readonly reason: string;
      readonly hash?: string | undefined;
      readonly secret?: boolean;
    };

/** What is known about a path since the last look. */
export interface Known {
  readonly entry: DiskEntry;
  /** Looked at so soon after its last change that the next look must read it again. */
  readonly isYoung: boolean;
  /** Of a file. */
  readonly content?: Content | undefined;
  /** Of a link. */
  readonly target?: string | undefined;
  /** A call named it, so it is looked at wherever it lies. */
  readonly isNamed: boolean;
  /** Number of the scan that saw it last. */
  seen: number;
}

/**
 * The path without links on the way to it; the last part is left unchanged, so that a link stays a link. Parts that
 * do not exist are kept.
 */
export function canonicalPath(path: string): string {
  const parent = dirname(path);
  return parent === path ? path : joined(realFolder(parent), basename(path));
}

/** Where a link leads, through further links; undefined for what is not a link, and for a circle. */
export function linkedPath(path: string): string | undefined {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (look(at)?.kind !== 'link') return at === path ? undefined : at;
    at = canonicalPath(resolve(dirname(at), readlinkSync(at)));
  }
  return undefined;
}

const MAX_LINKS = 40;

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : joined(realFolder(parent), basename(folder));
  }
}

const joined = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
