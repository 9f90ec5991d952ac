/** Decides how a file's content is preserved, and retrieves it when a change needs it. */

import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { PathState } from '../../protocol/checkpoints.ts';
import { describeSize } from '../notes.ts';
import type { CheckpointBlobs, CheckpointLimits } from '../types.ts';
import type { Content, DiskEntry, Known } from './diskEntry.ts';
import type { Stash } from './Stash.ts';
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
   * later merge needs it.
   */
  take(path: string, previous: Content | undefined, how: TakeOptions): Promise<Taken | undefined>;
  /** The earlier state, with its content stored in the blobs from now on. */
  lastingState(known: Known): Promise<PathState>;
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
      const reason = `it could not be stored (${(error as NodeJS.ErrnoException).code ?? String(error)})`;
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
    if (how.isLasting && isMergeable(bytes) && (await put(bytes, hash, how.isNamed)) === undefined)
      return { entry, content: { in: 'blobs', hash } };
    if (await stash.add(hash, bytes)) return { entry, content: { in: 'stash', hash } };
    return { entry, content: { in: 'nowhere', reason: noRoom, hash } };
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
      const omitted = copy.in === 'git' ? 'git no longer has it' : 'its copy is lost';
      return { ...file, omitted };
    }
    const hash = await hashBytes(bytes);
    const problem = await put(bytes, hash, known.isNamed);
    return problem === undefined ? { ...file, hash } : { ...file, hash, omitted: problem };
  };

  return { take, lastingState };
}

/** The current state, for the log, without storing anything new. */
export function presentState(known: Known): PathState {
  const copy = copyOf(known);
  if (copy === undefined) return stateWithoutCopy(known);
  const omitted = BINARY_AFTER;
  return { ...fileState(known.entry), ...(copy.in === 'stash' && { hash: copy.hash }), omitted };
}

/** Content that is available, but not in the blobs. */
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
