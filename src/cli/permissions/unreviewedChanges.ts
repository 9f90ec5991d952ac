/**
 * Remembers that files of a folder were changed without the user's approval, until the user has reviewed them. Each
 * folder has a file that all sessions share. It is only appended to, and a review names how much of it the user has seen.
 */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { getProjectStoragePath } from '../../context/index.ts';
import { isInside } from '../../disk/paths.ts';
import { errorCode } from '../../tools/outcomes.ts';

const changeSchema = z.object({
  type: z.literal('changed'),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The folder that the file is about. */
  folder: z.string(),
  /** The files that the call named; empty for a command, which may have changed any. */
  paths: z.array(z.string()),
  /** All folders that the session could change. */
  workspace: z.array(z.string()),
});
/** The user is being shown what comes before. */
const shownSchema = z.object({ type: z.literal('shown'), folder: z.string() });
/** The user has reviewed the first `upTo` bytes. */
const reviewedSchema = z.object({
  type: z.literal('reviewed'),
  folder: z.string(),
  at: z.number(),
  upTo: z.number(),
});
const lineSchema = z.discriminatedUnion('type', [changeSchema, shownSchema, reviewedSchema]);

type Line = z.infer<typeof lineSchema>;
export type UnreviewedChange = z.infer<typeof changeSchema>;

export interface ChangeRecord {
  /** Resolves once the change is on disk. Rejects with system errors. */
  add(change: Pick<UnreviewedChange, 'at' | 'paths' | 'workspace'>): Promise<void>;
  /** Cheap if nothing has been added since. A file that cannot be read counts as a change. */
  read(): RecordState;
  /** Returns what the user is about to review, and a function that records that they have. Both reject with system errors. */
  show(): Promise<{ readonly changes: readonly UnreviewedChange[]; reviewed(at: number): Promise<void> }>;
}

interface RecordState {
  /** Since the last review, oldest first. */
  readonly changes: readonly UnreviewedChange[];
  /** Changes since the last time the user was shown them; these need not be added again. */
  readonly recent: readonly UnreviewedChange[];
  /** 0 if the user has reviewed nothing yet. */
  readonly reviewedAt: number;
  readonly bytes: number;
}

/** Beyond this size, changes are recorded without their paths. */
const MAX_DETAILED_BYTES = 1_000_000;
const MAX_READ_BYTES = 16_000_000;
const MAX_PATHS = 20;

const recordFolder = (dataRoot: string): string => join(dataRoot, 'unreviewed');

/** `folder`: absolute, links resolved. */
export function openChangeRecord(dataRoot: string, folder: string): ChangeRecord {
  const name = basename(getProjectStoragePath(dataRoot, folder));
  const file = join(recordFolder(dataRoot), `${name}.jsonl`);
  let known: { readonly stamp: string; readonly state: RecordState } | undefined;
  const unknown: UnreviewedChange = { type: 'changed', at: 0, folder, paths: [], workspace: [folder] };
  const read = (): RecordState => {
    try {
      const info = statSync(file, { throwIfNoEntry: false });
      if (info === undefined) return nothing;
      const stamp = [info.ino, info.size, info.mtimeMs].join(' ');
      if (known?.stamp !== stamp) known = { stamp, state: stateIn(file, info.size, unknown) };
      return known.state;
    } catch {
      return { ...nothing, changes: [unknown] };
    }
  };
  return {
    read,
    async add({ at, paths, workspace }) {
      const { recent, bytes } = read();
      const named = bytes > MAX_DETAILED_BYTES || paths.length > MAX_PATHS ? [] : paths;
      const change: UnreviewedChange = { type: 'changed', at, folder, paths: [...named], workspace };
      if (!recent.some((earlier) => covers(earlier, change))) await append(file, change);
    },
    async show() {
      await append(file, { type: 'shown', folder });
      const { changes, bytes } = read();
      return { changes, reviewed: (at) => append(file, { type: 'reviewed', folder, at, upTo: bytes }) };
    },
  };
}

/** Returns a getter for the records of related folders; it lists them again after one was added. */
export function relatedRecords(dataRoot: string, folders: readonly string[]): () => readonly ChangeRecord[] {
  let known: { readonly stamp: string; readonly records: readonly ChangeRecord[] } | undefined;
  return () => {
    const info = folderInfo(dataRoot);
    const stamp = info === undefined ? '' : `${info.ino} ${info.mtimeNs}`;
    if (known?.stamp !== stamp || isRecent(info?.mtimeMs))
      known = { stamp, records: openRelatedRecords(dataRoot, folders) };
    return known.records;
  };
}

function folderInfo(dataRoot: string) {
  try {
    return statSync(recordFolder(dataRoot), { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

/** File systems with coarse times give two changes the same one. */
const isRecent = (mtimeMs: bigint | undefined): boolean =>
  mtimeMs !== undefined && Date.now() - Number(mtimeMs) < 3000;

/**
 * The records of folders inside and around some folders, as far as they exist: a folder without a `.git` is a project of
 * its own for a session that starts there.
 */
function openRelatedRecords(dataRoot: string, folders: readonly string[]): readonly ChangeRecord[] {
  const related = folderNames(dataRoot).filter(
    (other) =>
      !folders.includes(other) && folders.some((own) => isInside(other, own) || isInside(own, other)),
  );
  return related.map((folder) => {
    const record = openChangeRecord(dataRoot, folder);
    const concerns = ({ paths }: UnreviewedChange): boolean =>
      paths.length === 0 || paths.some((path) => folders.some((own) => isInside(path, own)));
    const read = (): RecordState => {
      const state = record.read();
      return { ...state, changes: state.changes.filter(concerns) };
    };
    return { ...record, read };
  });
}

/** The folders that have records. */
function folderNames(dataRoot: string): readonly string[] {
  const at = recordFolder(dataRoot);
  try {
    return readdirSync(at).flatMap((name) => {
      const line = parsed(beginningOf(join(at, name)).trim().split('\n')[0] ?? '');
      return line?.folder ?? [];
    });
  } catch {
    return [];
  }
}

/** More than any first line: 20 paths of the greatest length. */
const MAX_LINE_BYTES = 100_000;

function beginningOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(MAX_LINE_BYTES);
    return bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(descriptor);
  }
}

const nothing: RecordState = { changes: [], recent: [], reviewedAt: 0, bytes: 0 };

function covers(earlier: UnreviewedChange, change: UnreviewedChange): boolean {
  const isSame =
    earlier.paths.length === 0
      ? change.paths.length === 0
      : change.paths.length > 0 && change.paths.every((path) => earlier.paths.includes(path));
  return isSame && change.workspace.every((folder) => earlier.workspace.includes(folder));
}

function stateIn(file: string, size: number, unknown: UnreviewedChange): RecordState {
  if (size > MAX_READ_BYTES) throw new Error('it is too large');
  const bytes = readFileSync(file);
  const lines = linesOf(bytes, unknown);
  const reviews = lines.flatMap(({ line }) => (line.type === 'reviewed' ? line : []));
  const upTo = Math.max(0, ...reviews.map((review) => review.upTo));
  const shownAt = Math.max(0, ...lines.flatMap(({ line, at }) => (line.type === 'shown' ? at : [])));
  const changesFrom = (start: number): readonly UnreviewedChange[] =>
    lines.flatMap(({ line, at }) => (line.type === 'changed' && at >= start ? line : []));
  return {
    changes: changesFrom(upTo),
    recent: changesFrom(Math.max(upTo, shownAt)),
    reviewedAt: Math.max(0, ...reviews.map(({ at }) => at)),
    bytes: bytes.length,
  };
}

/** Lines with the byte at which they start. One that a crash has cut short counts as a change. */
function linesOf(
  bytes: Buffer,
  unknown: UnreviewedChange,
): readonly { readonly line: Line; readonly at: number }[] {
  const found: { line: Line; at: number }[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\n', at);
    const next = end === -1 ? bytes.length : end + 1;
    const text = bytes.toString('utf8', at, next).trim();
    if (text !== '') found.push({ line: parsed(text) ?? unknown, at });
    at = next;
  }
  return found;
}

function parsed(text: string): Line | undefined {
  try {
    return lineSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function append(file: string, line: Line): Promise<void> {
  const folder = dirname(file);
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  const handle = await open(file, 'a', 0o600);
  try {
    const isFirst = (await handle.stat()).size === 0;
    // The line before may have been cut short.
    await handle.writeFile(`\n${JSON.stringify(line)}\n`);
    await handle.sync();
    if (isFirst)
      await Promise.all([folder, ...(made === undefined ? [] : [dirname(folder)])].map(syncFolder));
  } finally {
    await handle.close();
  }
}

/** Makes the name of a new file durable, on systems where folders can be synced. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!/^(?:EISDIR|EPERM|EINVAL|EBADF)$/.test(errorCode(error) ?? '')) throw error;
  }
}
