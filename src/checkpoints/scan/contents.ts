/** Decides which copy of a file's content is made, and finds it again when a change needs it. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { PathState } from '../../protocol/checkpoints.ts';
import { describeSize } from '../notes.ts';
import type { CheckpointBlobs, CheckpointLimits } from '../types.ts';
import type { Content, DiskEntry, Known } from './diskEntry.ts';
import type { Stash } from './Stash.ts';
import { hashBytes, readStable } from './stableRead.ts';

/** Reads an object of a repository by its name; undefined where there is none any more. */
export type ReadObject = (root: string, oid: string) => Promise<Buffer | undefined>;

export interface ContentsDeps {
  readonly blobs: CheckpointBlobs;
  readonly stash: Stash;
  readonly limits: CheckpointLimits;
  readonly mayKeep: (path: string) => boolean;
  readonly holdsSecrets: (bytes: Uint8Array) => boolean;
  readonly readObject: ReadObject;
  readonly onWarning: (message: string) => void;
}

/** A file that was read. */
export interface Taken {
  readonly entry: DiskEntry;
  readonly content: Content;
}

export interface Contents {
  /**
   * Reads a file and makes sure that its content can be had later; undefined when it is gone. `previous` is what
   * it held before: the same content is not stored again. A `lasting` copy goes to the blobs where it is text,
   * as a later merge will want it.
   */
  take(path: string, previous: Content | undefined, how: TakeOptions): Promise<Taken | undefined>;
  /** What stood there, its content in the blobs from now on. */
  lastingState(known: Known): Promise<PathState>;
}

export interface TakeOptions {
  readonly isNamed: boolean;
  readonly isLasting: boolean;
  /** What the last look at the path saw. */
  readonly entry: DiskEntry;
}

/** Beyond this a file is not even read to compare it. */
const MAX_HASH_BYTES = 2 ** 31;
/** Larger texts are not merged, so that their later versions need not be kept. */
export const MAX_MERGE_BYTES = 2 ** 20;
const SMALL_BYTES = 256 * 1024;
/** Small files go on being kept up to this many times the limit. */
const SMALL_SHARE = 4;
const BINARY_AFTER = 'not text: kept only once it is replaced';

export function createContents(deps: ContentsDeps): Contents {
  const { blobs, stash, limits } = deps;
  let lastingBytes = 0;
  const noRoom = `copies of more than ${describeSize(limits.maxTotalBytes)} would be needed`;

  const put = async (bytes: Uint8Array, hash: string, isNamed: boolean): Promise<string | undefined> => {
    // What people write is small; it is large things, made by programs, that fill a disk.
    const most = limits.maxTotalBytes * (bytes.length <= SMALL_BYTES ? SMALL_SHARE : 1);
    if (!isNamed && lastingBytes + bytes.length > most)
      return `more than ${describeSize(most)} of changes were kept already`;
    try {
      const ref = await blobs.put(bytes);
      if (!isNamed) lastingBytes += bytes.length;
      return ref.hash === hash ? undefined : 'its copy is damaged';
    } catch (error) {
      const reason = `it could not be stored (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
      deps.onWarning(`A file checkpoint is incomplete: ${reason}.`);
      return reason;
    }
  };

  const take: Contents['take'] = async (path, previous, how) => {
    // What git has is compared by git's name for it, which takes the whole of it.
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
    if (how.isLasting && isMergeable(bytes) && (await put(bytes, hash, how.isNamed)) === undefined)
      return { entry, content: { in: 'blobs', hash } };
    if (await stash.add(hash, bytes)) return { entry, content: { in: 'stash', hash } };
    return { entry, content: { in: 'nowhere', reason: noRoom, hash } };
  };

  /**
   * Why a file need not be read: what cannot be kept is only compared, and its times do for that. Otherwise the
   * first look at a home folder would read all that is in it.
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
      const omitted = copy.in === 'git' ? 'git does not have it any more' : 'its copy is lost';
      return { ...file, omitted };
    }
    const hash = await hashBytes(bytes);
    const problem = await put(bytes, hash, known.isNamed);
    return problem === undefined ? { ...file, hash } : { ...file, hash, omitted: problem };
  };

  return { take, lastingState };
}

/** What stands there now, for the log: without storing anything that is not stored yet. */
export function presentState(known: Known): PathState {
  const copy = copyOf(known);
  if (copy === undefined) return stateWithoutCopy(known);
  const omitted = BINARY_AFTER;
  return { ...fileState(known.entry), ...(copy.in === 'stash' && { hash: copy.hash }), omitted };
}

/** A content that can be had, but is not in the blobs. */
type Copy = Extract<Content, { in: 'stash' | 'git' }>;

function copyOf({ entry, content }: Known): Copy | undefined {
  if (entry.kind !== 'file') return undefined;
  return content?.in === 'stash' || content?.in === 'git' ? content : undefined;
}

function stateWithoutCopy({ entry, content, target }: Known): PathState {
  if (entry.kind === 'link') return { type: 'link', target: target ?? '' };
  if (entry.kind === 'folder') return { type: 'folder', mode: entry.mode };
  if (entry.kind !== 'file') return { type: 'special', kind: entry.kind };
  const file = fileState(entry);
  if (content?.in === 'blobs') return { ...file, hash: content.hash };
  if (content?.in !== 'nowhere') return { ...file, omitted: 'it was not read' };
  const hash = content.secret === true ? undefined : content.hash;
  return { ...file, ...(hash !== undefined && { hash }), omitted: content.reason };
}

const fileState = ({ mode, size }: DiskEntry) => ({ type: 'file', mode, bytes: size }) as const;

/** Whether two contents are the same as far as is known. */
export function isSameContent(content: Content, hash: string, bytes: Uint8Array | undefined): boolean {
  if (content.in !== 'git') return content.hash === hash;
  return bytes !== undefined && gitName(bytes, content.algorithm) === content.oid;
}

/** Git's name for a file's content. */
export function gitName(bytes: Uint8Array, algorithm: 'sha1' | 'sha256'): string {
  return createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Text that a line-wise merge can handle. */
export function isMergeable(bytes: Uint8Array): boolean {
  return bytes.length <= MAX_MERGE_BYTES && !bytes.includes(0) && isUtf8(bytes);
}
