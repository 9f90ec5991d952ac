/** Decides how a file's content is preserved, and retrieves it when a change needs it. */
import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PathState } from '../../protocol/checkpoints.ts';
import { type CheckpointBlobs, type CheckpointLimits, describeSize } from '../types.ts';
import type { Content, DiskEntry, ScannedState } from './diskEntry.ts';
import { hashBytes, readStable } from './stableRead.ts';

/** Reads an object of a repository by name; undefined if it no longer exists. */
type ReadObject = (root: string, oid: string) => Promise<Buffer | undefined>;

interface ContentsDeps {
  readonly blobs: CheckpointBlobs;
  readonly stash: Stash;
  readonly limits: CheckpointLimits;
  readonly mayKeep: (path: string) => boolean;
  readonly holdsSecrets: (bytes: Uint8Array) => boolean;
  readonly readObject: ReadObject;
  readonly onWarning: (message: string) => void;
}

/** A file that was read. */
interface Taken {
  readonly entry: DiskEntry;
  readonly content: Content;
}

export interface Contents {
  /**
   * Reads a file and makes sure that its content is available later; undefined if the file is gone. `previous` is its
   * earlier content, which is not stored again if unchanged. A `lasting` copy of a text goes to the blobs, since a
   * later merge needs it, and so does one of a file that a call has named.
   */
  take(path: string, previous: Content | undefined, how: TakeOptions): Promise<Taken | undefined>;
  /** The earlier state, with its content stored in the blobs from now on. */
  lastingState(known: ScannedState): Promise<PathState>;
}

interface TakeOptions {
  readonly isNamed: boolean;
  readonly isLasting: boolean;
  /** The result of the last scan of this path. */
  readonly entry: DiskEntry;
}

/** Larger files are not even read for comparison. */
const MAX_HASH_BYTES = 2 ** 31;
/** Larger texts are not merged, so their later versions need not be kept. */
export const MAX_MERGE_BYTES = 2 ** 20;
const SMALL_BYTES = 256 * 1024;
/** Small files are kept up to this multiple of the limit. */
const SMALL_SHARE = 4;
const BINARY_AFTER = 'not text: kept only once it is replaced';

export function createContents(deps: ContentsDeps): Contents {
  const { blobs, stash, limits } = deps;
  let lastingBytes = 0;
  const noRoom = `copies of more than ${describeSize(limits.maxTotalBytes)} would be needed`;

  const put = async (bytes: Uint8Array, hash: string, isNamed: boolean): Promise<string | undefined> => {
    // Files written by people are small; large ones, made by programs, are what fills a disk.
    const most = limits.maxTotalBytes * (bytes.length <= SMALL_BYTES ? SMALL_SHARE : 1);
    if (!isNamed && lastingBytes + bytes.length > most)
      return `more than ${describeSize(most)} of changes were kept already`;
    try {
      const ref = await blobs.put(bytes);
      if (!isNamed) lastingBytes += bytes.length;
      return ref.hash === hash ? undefined : 'its copy is damaged';
    } catch (error) {
      const reason = unstoredReason(error);
      deps.onWarning(`A file checkpoint is incomplete: ${reason}.`);
      return reason;
    }
  };

  const take: Contents['take'] = async (path, previous, how) => {
    // Content in git is compared by its git name, which requires reading all of it.
    const isLarge = how.isNamed || previous?.in === 'git';
    const maxBytes = isLarge ? limits.maxNamedFileBytes : limits.maxFileBytes;
    const mayKeep = deps.mayKeep(path);
    const unread = unreadReason(how, maxBytes);
    if (unread !== undefined) return { entry: how.entry, content: { in: 'nowhere', reason: unread } };
    const read = await readStable(path, mayKeep ? maxBytes : 0, MAX_HASH_BYTES);
    if (read.type === 'gone') return undefined;
    if (read.type === 'failed') return { entry: how.entry, content: { in: 'nowhere', reason: read.reason } };
    const { entry, hash, bytes } = read;
    if (!mayKeep || (bytes !== undefined && deps.holdsSecrets(bytes)))
      return { entry, content: { in: 'nowhere', reason: 'it may hold secrets', hash, secret: true } };
    if (previous !== undefined && isSameContent(previous, hash, bytes) && previous.in !== 'nowhere')
      return { entry, content: previous };
    if (bytes === undefined)
      return { entry, content: { in: 'nowhere', reason: `larger than ${describeSize(maxBytes)}`, hash } };
    if (how.isLasting && (how.isNamed || isMergeable(bytes))) {
      const problem = await put(bytes, hash, how.isNamed);
      if (problem === undefined) return { entry, content: { in: 'blobs', hash } };
      if (how.isNamed) return { entry, content: { in: 'nowhere', reason: problem, hash } };
    }
    if (await stash.add(hash, bytes)) return { entry, content: { in: 'stash', hash } };
    return { entry, content: { in: 'nowhere', reason: stash.problem ?? noRoom, hash } };
  };

  /**
   * Why a file need not be read: a file that cannot be kept is only compared, and its times suffice for that. Otherwise
   * the first scan of a home folder would read everything in it.
   */
  const unreadReason = ({ entry, isLasting }: TakeOptions, maxBytes: number): string | undefined => {
    if (entry.size > (isLasting ? Math.max(maxBytes, limits.maxNamedFileBytes) : maxBytes))
      return `larger than ${describeSize(maxBytes)}`;
    return isLasting || stash.hasRoom(entry.size) ? undefined : noRoom;
  };

  const bytesOf = (copy: Copy): Promise<Buffer | undefined> =>
    copy.in === 'stash' ? stash.read(copy.hash) : deps.readObject(copy.root, copy.oid);

  const lastingState: Contents['lastingState'] = async (known) => {
    const copy = copyOf(known);
    if (copy === undefined) return stateWithoutCopy(known);
    const file = fileState(known.entry);
    const bytes = await bytesOf(copy);
    if (bytes === undefined || bytes.length !== file.bytes) {
      const omitted = copy.in === 'git' ? 'git no longer has it' : (stash.problem ?? 'its copy is lost');
      return { ...file, omitted };
    }
    const hash = await hashBytes(bytes);
    const problem = await put(bytes, hash, known.isNamed);
    return problem === undefined ? { ...file, hash } : { ...file, hash, omitted: problem };
  };

  return { take, lastingState };
}

function unstoredReason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return code === 'ENOSPC' ? 'the disk with the copies is full (ENOSPC)' : `it could not be stored (${code})`;
}

/** The current state, for the log, without storing anything new. */
export function presentState(known: ScannedState): PathState {
  const copy = copyOf(known);
  if (copy === undefined) return stateWithoutCopy(known);
  const omitted = BINARY_AFTER;
  return { ...fileState(known.entry), ...(copy.in === 'stash' && { hash: copy.hash }), omitted };
}

/** Content that is available, but not in the blobs. */
type Copy = Extract<Content, { in: 'stash' | 'git' }>;

function copyOf({ entry, content }: ScannedState): Copy | undefined {
  if (entry.kind !== 'file') return undefined;
  return content?.in === 'stash' || content?.in === 'git' ? content : undefined;
}

function stateWithoutCopy({ entry, content, target }: ScannedState): PathState {
  if (entry.kind === 'link') return { type: 'link', target: target ?? '' };
  if (entry.kind === 'folder') return { type: 'folder', mode: entry.mode };
  if (entry.kind !== 'file') return { type: 'special', kind: entry.kind };
  const file = fileState(entry);
  if (content?.in === 'blobs') return { ...file, hash: content.hash };
  if (content?.in !== 'nowhere') return { ...file, omitted: 'it was not read' };
  const hash = content.secret === true ? undefined : content.hash;
  return { ...file, ...(hash !== undefined && { hash }), omitted: content.reason };
}

/** The state of a path as it was recorded, to compare it with the one now. */
export function scannedState(state: PathState, seen: number): ScannedState {
  const mode = state.type === 'file' || state.type === 'folder' ? state.mode : 0;
  const size = state.type === 'file' ? state.bytes : 0;
  const kind = state.type === 'special' ? state.kind : state.type;
  return {
    entry: { kind, mode, size, dev: 0, ino: 0, mtimeMs: 0, ctimeMs: 0 },
    ...(state.type === 'file' && { content: contentOf(state) }),
    ...(state.type === 'link' && { target: state.target }),
    ...{ isYoung: true, isNamed: true, seen },
  };
}

function contentOf({ hash, omitted }: Extract<PathState, { type: 'file' }>): Content {
  return hash !== undefined && omitted === undefined
    ? { in: 'blobs', hash }
    : { in: 'nowhere', reason: omitted ?? 'it was not read', hash };
}

const fileState = ({ mode, size }: DiskEntry) => ({ type: 'file', mode, bytes: size }) as const;

/** True if the two contents are the same as far as is known. */
function isSameContent(content: Content, hash: string, bytes: Uint8Array | undefined): boolean {
  if (content.in !== 'git') return content.hash === hash;
  return bytes !== undefined && gitName(bytes, content.algorithm) === content.oid;
}

/** Git's name for a file's content. */
export function gitName(bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** True for text that a line-based merge can handle. */
export function isMergeable(bytes: Uint8Array): boolean {
  return bytes.length <= MAX_MERGE_BYTES && !bytes.includes(0) && isUtf8(bytes);
}

// Temporary copies of files in case a tool call changes them: one file that is unlinked once it is open, so that
// nothing is left behind however the program ends. Each content is stored once.

interface Place {
  readonly at: number;
  readonly bytes: number;
}

/** Size of a batch that is collected before writing. */
const BATCH_BYTES = 2 ** 20;

export class Stash {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #places = new Map<string, Place>();
  #file: FileHandle | undefined;
  /** Position of the next content, whether written or pending. */
  #end = 0;
  #writing: Promise<void> = Promise.resolve();
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #problem: string | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Why the last write failed, ready to show. */
  get problem(): string | undefined {
    return this.#problem;
  }

  has(hash: string): boolean {
    return this.#places.has(hash);
  }

  hasRoom(bytes: number): boolean {
    return this.#end + bytes <= this.#maxBytes;
  }

  /** False if the limit or the disk leaves no room. The bytes must not be modified afterwards. */
  async add(hash: string, bytes: Uint8Array): Promise<boolean> {
    if (this.#places.has(hash)) return true;
    if (!this.hasRoom(bytes.length)) return false;
    this.#places.set(hash, { at: this.#end, bytes: bytes.length });
    this.#end += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= BATCH_BYTES) await this.#flush();
    return this.#places.has(hash);
  }

  /** Undefined if it was never added. */
  async read(hash: string): Promise<Buffer | undefined> {
    const place = this.#places.get(hash);
    if (place === undefined) return undefined;
    await this.#flush();
    const buffer = Buffer.allocUnsafe(place.bytes);
    let filled = 0;
    while (filled < buffer.length) {
      const got = await this.#file?.read(buffer, filled, buffer.length - filled, place.at + filled);
      if (got === undefined || got.bytesRead === 0) return undefined;
      filled += got.bytesRead;
    }
    return buffer;
  }

  /** Leaves nothing behind, unless another program has put something into the folder. */
  async close(): Promise<void> {
    this.#places.clear();
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#writing;
    await this.#file?.close();
    this.#file = undefined;
    await rmdir(this.#folder).catch(() => {});
  }

  /** Writes one batch at a time, even if called concurrently. */
  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeWaiting());
    return this.#writing;
  }

  /** Forgets contents that could not be written: later reads return undefined. */
  async #writeWaiting(): Promise<void> {
    if (this.#waitingBytes === 0) return;
    const bytes = this.#waiting.length === 1 ? this.#waiting[0] : Buffer.concat(this.#waiting);
    if (bytes === undefined) return;
    const start = this.#end - bytes.length;
    this.#waiting = [];
    this.#waitingBytes = 0;
    try {
      this.#file ??= await this.#open();
      for (let done = 0; done < bytes.length; )
        done += (await this.#file.write(bytes, done, bytes.length - done, start + done)).bytesWritten;
      this.#problem = undefined;
    } catch (error) {
      this.#problem = unstoredReason(error);
      for (const [hash, { at }] of this.#places)
        if (at >= start && at < start + bytes.length) this.#places.delete(hash);
    }
  }

  async #open(): Promise<FileHandle> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // A copied project folder may contain a link in its place.
    if (!(await lstat(this.#folder)).isDirectory()) throw new Error(`${this.#folder} is not a folder.`);
    const path = join(this.#folder, `${randomBytes(9).toString('hex')}.stash`);
    const file = await open(path, 'wx+', 0o600);
    await rm(path, { force: true });
    return file;
  }
}
