import { lstatSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

/** The result of a stat, without opening anything. */
export interface DiskEntry {
  readonly kind: 'file' | 'folder' | 'link' | 'pipe' | 'socket' | 'device';
  /** Permission bits, including set-user-id, set-group-id and sticky. */
  readonly mode: number;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  /** Milliseconds with fractions; a double is exact to a quarter of a microsecond here. */
  readonly mtimeMs: number;
  readonly ctimeMs: number;
}

/** Undefined if nothing exists there. Throws on other errors, e.g. a folder without search permission. */
export function statEntry(path: string): DiskEntry | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats === undefined ? undefined : entryOf(stats);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return undefined;
    throw error;
  }
}

/** The same, but undefined on every error. */
export function statEntrySafely(path: string): DiskEntry | undefined {
  try {
    return statEntry(path);
  } catch {
    return undefined;
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

/** True if the entry has not changed between two stats, as far as they show. */
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

/** File system clocks tick every few milliseconds; some tick only every two seconds. */
const FINE_TICK_MS = 50;
const COARSE_TICK_MS = 2_500;

/**
 * True if the entry changed so shortly before `lookedAtMs` that another change could leave the same times: the next
 * scan must read it again ("racy", in git's terms).
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

/** Where a file's content is available once the file has changed. */
export type Content =
  | { readonly in: 'stash'; readonly hash: string }
  | { readonly in: 'blobs'; readonly hash: string }
  /** In git's own store, under git's name for it. */
  | { readonly in: 'git'; readonly root: string; readonly oid: string; readonly algorithm: 'sha1' | 'sha256' }
  /** Not kept, with the reason; the hash is for comparison only; that of a `secret` is never shown. */
  | {
      readonly in: 'nowhere';
      readonly reason: string;
      readonly hash?: string | undefined;
      readonly secret?: boolean;
    };

/** The state of a path at the last scan. */
export interface ScannedState {
  readonly entry: DiskEntry;
  /** Scanned so soon after its last change that the next scan must read it again. */
  readonly isYoung: boolean;
  /** For a file. */
  readonly content?: Content | undefined;
  /** For a link. */
  readonly target?: string | undefined;
  /** A tool call named the path, so it is scanned wherever it is. */
  readonly isNamed: boolean;
  /** Number of the scan that last saw it. */
  seen: number;
}

/**
 * The path without links in its parents; the last part is unchanged, so a link stays a link. Parts that do not exist
 * are kept.
 */
export function canonicalPath(path: string): string {
  const parent = dirname(path);
  return parent === path ? path : joined(realFolder(parent), basename(path));
}

/** The target of a link, through further links; undefined if it is not a link, or a circular one. */
export function linkedPath(path: string): string | undefined {
  let at = path;
  for (let links = 0; links < MAX_LINKS; links += 1) {
    if (statEntry(at)?.kind !== 'link') return at === path ? undefined : at;
    at = canonicalPath(resolve(dirname(at), readlinkSync(at)));
  }
  return undefined;
}

const MAX_LINKS = 40;

/** Resolves the links of a folder; parts that do not exist are kept. */
export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    const parent = dirname(folder);
    return parent === folder ? folder : joined(realFolder(parent), basename(folder));
  }
}

const joined = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`);
