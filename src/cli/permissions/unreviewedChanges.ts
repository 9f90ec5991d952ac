/**
 * Remembers that files in a folder were changed without the user's approval, until the user reviews them. Each folder
 * has an append-only file that all sessions share; a review states how much of it the user has seen.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, constants, readFileSync, type Stats, statSync } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { getProjectStoragePath } from '../../context/index.ts';
import { lstatOf, namesIn } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { errorCode } from '../../tools/outcomes.ts';

const changeSchema = z.object({
  type: z.literal('changed'),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** The folder that the file is about. */
  folder: z.string(),
  /** Ids of that folder and those around it (`folderIds`), which survive renames and moves. */
  ids: z.array(z.string()).optional(),
  /** The files that the call named; empty for a command, which may have changed any. */
  paths: z.array(z.string()),
  /** All folders that the session could change. */
  workspace: z.array(z.string()),
});
/** The user was shown everything above this line. */
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
  /**
   * The same for a change that a running command may make, in a file of its own: other sessions see it, also after a
   * crash. Returns a function that removes it.
   */
  expect(change: Pick<UnreviewedChange, 'at' | 'workspace'>): Promise<() => Promise<void>>;
  /** Cheap if nothing was added since the last call. A file that cannot be read counts as a change. */
  read(): RecordState;
  /**
   * Returns what the user is about to review, and a function that records that they have. Both reject with system
   * errors.
   */
  show(): Promise<{ readonly changes: readonly UnreviewedChange[]; reviewed(at: number): Promise<void> }>;
}

interface RecordState {
  /** Since the last review, oldest first. */
  readonly changes: readonly UnreviewedChange[];
  /** Changes since the user was last shown any; these need not be added again. */
  readonly recent: readonly UnreviewedChange[];
  /** 0 if the user has reviewed nothing yet. */
  readonly reviewedAt: number;
  /** True if the user was shown changes but has not confirmed the review. */
  readonly isShown: boolean;
  readonly bytes: number;
}

/** True if a folder can be written to or created. */
function mayHold(folder: string): boolean {
  const isThere = lstatOf(folder) !== undefined;
  if (!isThere) return dirname(folder) === folder || mayHold(dirname(folder));
  accessSync(folder, constants.W_OK | constants.X_OK);
  return statSync(folder).isDirectory();
}

/** Beyond this size, changes are recorded without their paths. */
const MAX_DETAILED_BYTES = 1_000_000;
const MAX_READ_BYTES = 16_000_000;
const MAX_PATHS = 20;

const recordFolder = (dataRoot: string): string => join(dataRoot, 'unreviewed');

/** `folder`: absolute, links resolved. */
export function openChangeRecord(dataRoot: string, folder: string): ChangeRecord {
  const file = recordFile(dataRoot, folder);
  const read = readerOf(file, folder);
  return {
    read,
    async add({ at, paths, workspace }) {
      const { recent, bytes } = read();
      const named = bytes > MAX_DETAILED_BYTES || paths.length > MAX_PATHS ? [] : [...paths];
      const ids = [...folderIds(folder)];
      const change: UnreviewedChange = { type: 'changed', at, folder, ids, paths: named, workspace };
      if (!recent.some((earlier) => covers(earlier, change))) await append(file, change);
    },
    async expect({ at, workspace }) {
      const own = file.replace(/jsonl$/, `${randomBytes(6).toString('hex')}.jsonl`);
      await append(own, { type: 'changed', at, folder, ids: [...folderIds(folder)], paths: [], workspace });
      return () => rm(own, { force: true });
    },
    async show() {
      await append(file, { type: 'shown', folder });
      const { changes, bytes } = read();
      return { changes, reviewed: (at) => append(file, { type: 'reviewed', folder, at, upTo: bytes }) };
    },
  };
}

function recordFile(dataRoot: string, folder: string): string {
  return join(recordFolder(dataRoot), `${basename(getProjectStoragePath(dataRoot, folder))}.jsonl`);
}

/** `folder`: absent if it is read from the file. */
function readerOf(file: string, folder?: string): () => RecordState {
  let known: { readonly stamp: string; readonly state: RecordState } | undefined;
  return () => {
    let at = Date.now();
    try {
      const info = statSync(file, { throwIfNoEntry: false });
      if (info === undefined) {
        if (!mayHold(dirname(file))) throw new Error('no session could have added a change');
        return nothing;
      }
      at = info.mtimeMs;
      const stamp = [info.ino, info.size, info.mtimeMs].join(' ');
      if (known?.stamp !== stamp) known = { stamp, state: stateIn(file, info, folder) };
      return known.state;
    } catch {
      return { ...nothing, changes: [unknownChange(at, folder)] };
    }
  };
}

/** Stands for a change that cannot be read. `folder`: empty if unknown. */
function unknownChange(at: number, folder = '', ids?: string[]): UnreviewedChange {
  return {
    ...{ type: 'changed', at, folder, paths: [], workspace: folder === '' ? [] : [folder] },
    ...(ids && { ids }),
  };
}

/** Device and inode of a folder and of those around it, up to but without the root. Stops at a missing folder. */
function folderIds(folder: string): readonly string[] {
  const info = lstatOf(folder);
  return info === undefined || folder === dirname(folder)
    ? []
    : [`${info.dev}:${info.ino}`, ...folderIds(dirname(folder))];
}

/**
 * Returns a getter for changes in the records of other folders that concern these: folders inside and around them,
 * since a session that starts in a folder without a `.git` treats it as a project of its own, and these folders
 * themselves under earlier paths. A reused inode only costs an extra question.
 */
export function relatedChanges(
  dataRoot: string,
  folders: readonly string[],
): () => readonly UnreviewedChange[] {
  const own = new Set(folders.map((folder) => recordFile(dataRoot, folder)));
  const ids = folders.map(folderIds);
  let readers = new Map<string, () => RecordState>();
  let stamp: string | undefined;
  const concerns = ({ folder, paths, ids: [id = '', ...around] = [] }: UnreviewedChange): boolean => {
    if (folder === '') return true;
    if (ids.some((chain) => chain.includes(id) || around.includes(chain[0] ?? ''))) return true;
    const isRelated = folders.some((one) => isInside(folder, one) || isInside(one, folder));
    return (
      isRelated && (paths.length === 0 || paths.some((path) => folders.some((one) => isInside(path, one))))
    );
  };
  return () => {
    const info = folderInfo(dataRoot);
    const found = info === undefined ? '' : `${info.ino} ${info.mtimeNs}`;
    if (stamp !== found || isRecent(info?.mtimeMs)) {
      stamp = found;
      const files = namesIn(recordFolder(dataRoot)).map((name) => join(recordFolder(dataRoot), name));
      const others = files.filter((file) => !own.has(file));
      readers = new Map(others.map((file) => [file, readers.get(file) ?? readerOf(file)]));
    }
    return [...readers.values()].flatMap((read) => read().changes.filter(concerns));
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

const nothing: RecordState = { changes: [], recent: [], reviewedAt: 0, isShown: false, bytes: 0 };

function covers(earlier: UnreviewedChange, change: UnreviewedChange): boolean {
  const isSame =
    earlier.paths.length === 0
      ? change.paths.length === 0
      : change.paths.length > 0 && change.paths.every((path) => earlier.paths.includes(path));
  return (
    isSame &&
    earlier.ids?.[0] === change.ids?.[0] &&
    change.workspace.every((folder) => earlier.workspace.includes(folder))
  );
}

function stateIn(file: string, { size, mtimeMs }: Stats, folder: string | undefined): RecordState {
  if (size > MAX_READ_BYTES) throw new Error('it is too large');
  const bytes = readFileSync(file);
  const lines = withUnknown(linesIn(bytes), mtimeMs, folder);
  const reviews = lines.flatMap(({ line }) => (line.type === 'reviewed' ? line : []));
  const upTo = Math.max(0, ...reviews.map((review) => review.upTo));
  const shownAt = Math.max(0, ...lines.flatMap(({ line, start }) => (line.type === 'shown' ? start : [])));
  const changesFrom = (from: number): readonly UnreviewedChange[] =>
    lines.flatMap(({ line, start }) => (line.type === 'changed' && start >= from ? line : []));
  return {
    changes: changesFrom(upTo),
    recent: changesFrom(Math.max(upTo, shownAt)),
    reviewedAt: Math.max(0, ...reviews.map(({ at }) => at)),
    isShown: lines.findLast(({ line }) => line.type !== 'changed')?.line.type === 'shown',
    bytes: bytes.length,
  };
}

interface PlacedLine<T> {
  readonly line: T;
  /** The byte at which it starts. */
  readonly start: number;
}

/** The lines; undefined for one that a crash cut short. */
function linesIn(bytes: Buffer): readonly PlacedLine<Line | undefined>[] {
  const found: PlacedLine<Line | undefined>[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    const next = end === -1 ? bytes.length : end + 1;
    const text = bytes.toString('utf8', start, next).trim();
    if (text !== '') found.push({ line: parsed(text), start });
    start = next;
  }
  return found;
}

/** Counts a line that was cut short as a change made before the next line. */
function withUnknown(
  lines: readonly PlacedLine<Line | undefined>[],
  mtimeMs: number,
  given: string | undefined,
): readonly PlacedLine<Line>[] {
  const known = lines.flatMap(({ line }) => line ?? []);
  const folder = given ?? known[0]?.folder;
  const ids = known.findLast((line) => line.type === 'changed')?.ids;
  let at = mtimeMs;
  return lines
    .toReversed()
    .map(({ line, start }) => {
      if (line !== undefined && line.type !== 'shown') at = line.at;
      return { line: line ?? unknownChange(at, folder, ids), start };
    })
    .toReversed();
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
