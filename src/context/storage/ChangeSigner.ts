/**
 * Recognizes entries that name changed files as written by this user's own program, in this session. Each carries an
 * HMAC-SHA-256 of everything in it that a rewind acts on: without the key, an entry can be neither forged nor altered, nor
 * moved to another session, place or path. A lost or unreadable key makes entries foreign and is never an error.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isInside, realpath } from '../../disk/paths.ts';
import type { PathChange, PathState } from '../../protocol/checkpoints.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';

/** What identifies the log that an entry is in. */
export interface LogIdentity {
  readonly sessionId: string;
  /** Its first entry: the folder in a header decides what becomes of the paths if the project is moved. */
  readonly first: Pick<JSONLEntry, 'subtype' | 'cwd'> | undefined;
}

/** An entry's place in its log. */
type Place = Pick<JSONLEntry, 'seq' | 'uuid'>;

/** The file with the key, in the user's data folder. */
export function signingKeyFile(dataRoot: string): string {
  return join(dataRoot, 'checkpoints.key');
}

export class ChangeSigner {
  readonly #place: { readonly dataRoot: string; readonly projectRoot: string } | undefined;
  #key: Buffer | undefined;

  /** Reads nothing yet. Without a data folder, or with one inside the project, the key lasts as long as this object. */
  constructor(place?: { readonly dataRoot: string; readonly projectRoot: string }) {
    this.#place = place;
  }

  /** Returns the entry's `mac`, in hex; undefined if it names no changed files. Creates the key if there is none. */
  sign(entry: NewEntry, place: Place, log: LogIdentity): string | undefined {
    const text = signedText(entry, place, log);
    if (text === undefined) return undefined;
    this.#key ??= this.#stored(makeKey) ?? randomBytes(KEY_BYTES);
    return macOf(this.#key, text).toString('hex');
  }

  /** True if the entry names changed files and has not been altered since the user's program wrote it to this log. */
  isOwn(entry: JSONLEntry, log: LogIdentity): boolean {
    if (!/^[0-9a-f]{64}$/.test(entry.mac ?? '')) return false;
    const text = signedText(entry, entry, log);
    if (text === undefined) return false;
    this.#key ??= this.#stored(readKey);
    return (
      this.#key !== undefined && timingSafeEqual(macOf(this.#key, text), Buffer.from(entry.mac ?? '', 'hex'))
    );
  }

  #stored(find: (file: string) => Buffer | undefined): Buffer | undefined {
    if (this.#place === undefined) return undefined;
    const { dataRoot, projectRoot } = this.#place;
    if (isInside(realpath(dataRoot), realpath(projectRoot))) return undefined;
    return find(signingKeyFile(dataRoot));
  }
}

/** Yields the entries; those that are the user's own in `from` also are in the new session. */
export async function* signedAgain(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  signer: ChangeSigner,
  from: string | undefined,
  to: string,
): AsyncGenerator<JSONLEntry> {
  let first: LogIdentity['first'];
  for await (const entry of entries) {
    first ??= entry;
    const isOwn = from !== undefined && signer.isOwn(entry, { sessionId: from, first });
    const mac = isOwn ? signer.sign(entry, entry, { sessionId: to, first }) : undefined;
    yield mac === undefined ? entry : { ...entry, mac };
  }
}

/** Everything that a rewind acts on; contents by their hash. Built field by field, so that the order of keys does not matter. */
function signedText(
  entry: NewEntry,
  { seq, uuid }: Place,
  { sessionId, first }: LogIdentity,
): string | undefined {
  const { subtype } = entry;
  if (subtype !== 'checkpoint' && subtype !== 'rewind' && subtype !== 'undo') return undefined;
  const changes = entry.data?.changes ?? [];
  const { of, kept = [] } = (entry.subtype === 'checkpoint' ? entry.data : undefined) ?? {};
  if (changes.length === 0 && kept.length === 0 && of === undefined) return undefined;
  const root = first?.subtype === 'session_start' ? first.cwd : undefined;
  return JSON.stringify([
    ...['file changes, 1', sessionId, root ?? null, seq, uuid, subtype, of ?? null],
    changes.map(changeFields),
    ...(kept.length > 0 ? [kept.map(changeFields)] : []),
  ]);
}

function changeFields({ path, before, after }: PathChange): unknown {
  return [path, stateFields(before), stateFields(after)];
}

function stateFields(state: PathState | undefined): unknown {
  switch (state?.type) {
    case undefined:
      return null;
    case 'file':
      return ['file', state.mode, state.bytes, state.hash ?? null, state.omitted ?? null];
    case 'link':
      return ['link', state.target];
    case 'folder':
      return ['folder', state.mode];
    case 'special':
      return ['special', state.kind];
  }
}

function macOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

// The key: 32 random bytes in a file that only the user can read. It is never overwritten while it is valid.

const KEY_BYTES = 32;

/** Windows has neither flag. */
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Undefined unless it is a file of the user that no one else can access. */
function readKey(file: string): Buffer | undefined {
  const found = lookAt(file);
  return found.type === 'key' ? found.key : undefined;
}

type Found =
  | { readonly type: 'key'; readonly key: Buffer }
  /** A file of the user that is no key, or that others could read: useless, so it may be replaced. */
  | { readonly type: 'spoiled' }
  | { readonly type: 'missing' }
  | { readonly type: 'other' };

function lookAt(file: string): Found {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const info = fstatSync(descriptor);
    const user = process.getuid?.();
    if (!info.isFile() || (user !== undefined && info.uid !== user)) return { type: 'other' };
    const key = Buffer.alloc(KEY_BYTES);
    const isWhole = info.size === KEY_BYTES && readSync(descriptor, key, 0, KEY_BYTES, 0) === KEY_BYTES;
    const isPrivate = user === undefined || (info.mode & 0o777) === 0o600;
    return isWhole && isPrivate ? { type: 'key', key } : { type: 'spoiled' };
  } catch (error) {
    return { type: (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'missing' : 'other' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The key that is there, or a new one; undefined if it cannot be stored. */
function makeKey(file: string): Buffer | undefined {
  try {
    const found = lookAt(file);
    if (found.type === 'key') return found.key;
    if (found.type === 'other') return undefined;
    if (found.type === 'spoiled') rmSync(file);
    createKey(file);
    // Another process may have been faster.
    return readKey(file);
  } catch {
    return undefined;
  }
}

/** Written under another name first, so that no process reads half a key. */
function createKey(file: string): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(descriptor, randomBytes(KEY_BYTES));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    nameKey(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Leaves a key alone that another process has just created. */
function nameKey(temporary: string, file: string): void {
  try {
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    // A file system without hard links.
    renameSync(temporary, file);
  }
}
