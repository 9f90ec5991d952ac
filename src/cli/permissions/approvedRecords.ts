/**
 * The records of approved files: the state of each file when the user approved the program that runs it. All sessions
 * of a project share one record, in `approved-files` of the data folder. Absolute paths.
 */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { hasRecordedFiles, rememberRecordedFiles } from '../../config/trust.ts';
import type { FileState } from '../../config/types.ts';
import { readFileNow } from '../../disk/fileLookups.ts';
import { folderIdentity } from '../../disk/folderIdentity.ts';
import { type JsonFile, openJsonFile } from '../../disk/jsonFile.ts';
import { isInside } from '../../disk/paths.ts';
import type { ProgramText } from '../../protocol/settingsPrograms.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** Content up to this many bytes is kept, so that a change can be shown. */
const MAX_KEPT_BYTES = 64 * 1024;
/** Larger files are compared by size and times only. */
const MAX_READ_BYTES = 20_000_000;

const recordSchema = z.looseObject({
  /** Size, inode and times: while these stay the same, the file is not read. */
  stamp: z.string(),
  /** Of the content; empty if there was no file. */
  digest: z.string(),
  size: z.number(),
  content: z.string().optional(),
  earlier: z.array(z.string()).optional(),
});
const recordsSchema = z.looseObject({
  files: z.record(z.string(), recordSchema).default({}),
  /** The commands whose files are recorded (`commandKey`): for these, a file without a record is new. */
  commands: z.array(z.string()).default([]),
  isIncomplete: z.boolean().default(false),
});

export interface ApprovedRecords {
  readonly files: Readonly<Record<string, FileState>>;
  readonly commands: readonly string[];
  /** Entries were lost or dropped: a missing command may have been recorded with other files. */
  readonly isIncomplete?: boolean;
}

export type RecordPlace = Pick<AppPaths, 'root' | 'home' | 'dataRoot'>;

const none: ApprovedRecords = { files: {}, commands: [] };

/** Stands for a record that exists but cannot be read: it approves nothing. */
const lost: ApprovedRecords = { ...none, isIncomplete: true };

/** Empty if nothing is recorded yet. A damaged or lost record is incomplete, so that everything asks again. */
export function readRecords(place: Pick<RecordPlace, 'root' | 'dataRoot'>): ApprovedRecords {
  const records = recordFile(place).read();
  return records === none && hasRecordedFiles(place.dataRoot, place.root) ? lost : records;
}

/** Returns a function that reads the record again only after a session has changed it. */
export function recordReader(place: Pick<RecordPlace, 'root' | 'dataRoot'>): () => ApprovedRecords {
  let known: ApprovedRecords | undefined;
  let stamp: string | undefined;
  return () => {
    const now = stampOf(statNow(recordPath(place)));
    if (known === undefined || now !== stamp) known = readRecords(place);
    stamp = now;
    return known;
  };
}

/** Adds records, replacing those of the same files. */
export async function addRecords(place: RecordPlace, added: ApprovedRecords): Promise<void> {
  await recordFile(place).change((current) => {
    const known = current === none ? readRecords(place) : current;
    const again = new Set(Object.keys(added.files));
    const before = Object.entries(known.files).filter(([path]) => !again.has(path));
    const now = Object.entries(added.files).map(
      ([path, state]) => [path, withEarlier(state, known.files[path])] as const,
    );
    const all = [...before, ...now].filter(([path]) => isInside(path, place.root));
    const more = new Set(added.commands);
    const commands = [...known.commands.filter((key) => !more.has(key)), ...more];
    return {
      ...{
        root: place.root,
        files: Object.fromEntries(pruned(all)),
        commands: commands.slice(-MAX_COMMANDS),
      },
      isIncomplete: known.isIncomplete === true || commands.length > MAX_COMMANDS,
    };
  });
  await rememberRecordedFiles(place.dataRoot, place.root);
}

/** How many approved contents of a file are known, so that switching between branches asks once for each. */
const MAX_DIGESTS = 8;

function withEarlier(state: FileState, before: FileState | undefined): FileState {
  const digests = [before?.digest ?? '', ...(before?.earlier ?? []), ...(state.earlier ?? [])];
  const earlier = [...new Set(digests)].filter((digest) => digest !== '' && digest !== state.digest);
  return earlier.length === 0 ? state : { ...state, earlier: earlier.slice(0, MAX_DIGESTS - 1) };
}

/** True if the user has approved this content of a file; of a missing one, if there is no record. */
export const isApprovedContent = (digest: string, record: FileState | undefined): boolean =>
  digest === (record?.digest ?? '') || record?.earlier?.includes(digest) === true;

const MAX_COMMANDS = 5000;
const MAX_FILES = 10_000;
/** Characters of content in a record. */
const MAX_CONTENT = 10_000_000;

/**
 * The newest records, oldest first. Drops records of files that did not exist: a recorded command asks about a file
 * without a record anyway. Also drops the oldest content, which is only needed to show a change.
 */
function pruned(files: readonly (readonly [string, FileState])[]): readonly (readonly [string, FileState])[] {
  const there = files.filter(([, { digest }]) => digest !== '').slice(-MAX_FILES);
  let left = MAX_CONTENT;
  return there
    .reverse()
    .map(([path, { content, ...state }]) => {
      left -= content?.length ?? 0;
      return [path, left < 0 || content === undefined ? state : { ...state, content }] as const;
    })
    .reverse();
}

/** The current state of a file, which is read only if no known state has its stamp. */
export function recordOf(path: string, ...known: readonly (FileState | undefined)[]): FileState {
  const info = statNow(path);
  const stamp = stampOf(info);
  if (info === undefined || stamp === undefined) return { stamp: '', digest: '', size: 0 };
  const same = known.find((state) => state?.stamp === stamp);
  if (same !== undefined) return same;
  const content = readFileNow(path, MAX_READ_BYTES);
  const size = Number(info.size);
  if (!content) return { stamp, digest: stamp, size };
  const text = content.length > MAX_KEPT_BYTES ? undefined : content.toString('utf8');
  const isText = text !== undefined && Buffer.from(text).equals(content);
  const digest = createHash('sha256').update(content).digest('hex');
  return { stamp, digest, size, ...(isText && { content: text }) };
}

/** Increase this when more of the files that commands run are found, since earlier records lack those files. */
const READING = 3;

/** Identifies a command with its arguments in a record. The text itself is not kept, as it may contain a secret. */
export function commandKey({ command, args }: ProgramText): string {
  return createHash('sha256')
    .update(JSON.stringify([READING, command, ...(args ?? [])]))
    .digest('hex')
    .slice(0, 32);
}

/** Several times what `pruned` keeps. */
const MAX_RECORD_BYTES = 100_000_000;

function recordFile(place: Pick<RecordPlace, 'root' | 'dataRoot'>): JsonFile<ApprovedRecords> {
  return openJsonFile<ApprovedRecords>({
    file: recordPath(place),
    parse: (value) => recordsSchema.parse(value),
    ...{ empty: none, damaged: lost },
    maxBytes: MAX_RECORD_BYTES,
    isCompact: true,
  });
}

/** For one folder; another folder at the same path has its own record. */
function recordPath({ dataRoot, root }: Pick<RecordPlace, 'root' | 'dataRoot'>): string {
  const fileOf = (text: string): string => {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return join(dataRoot, 'approved-files', `${name}.json`);
  };
  const identity = folderIdentity(root);
  // Earlier versions had one record for each path.
  const ofPath = fileOf(root);
  if (identity === undefined) return ofPath;
  const own = fileOf(`${root}\n${identity.ino}`);
  return statNow(own) === undefined && statNow(ofPath) !== undefined ? ofPath : own;
}

function statNow(path: string) {
  try {
    const info = statSync(path, { throwIfNoEntry: false, bigint: true });
    return info?.isFile() === true ? info : undefined;
  } catch {
    return undefined;
  }
}

const stampOf = (info: ReturnType<typeof statNow>): string | undefined =>
  info && [info.ino, info.size, info.mtimeNs, info.ctimeNs].join(':');
