/** The logs and archives on disk, as they are now. */
import { createReadStream, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { isSafeSessionId } from '../ids.ts';

export interface LogFile {
  /** The folder below `projects/`. */
  readonly project: string;
  readonly id: string;
  readonly file: string;
  readonly isArchived: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

const logSuffix = '.jsonl';
const archiveSuffix = '.jsonl.zst';

/** For this long nothing else gets a turn. */
const sliceMs = 5;

export function archiveFileIn(projectFolder: string, id: string): string {
  return join(projectFolder, 'archive', `${id}${archiveSuffix}`);
}

/**
 * Every session, each once: a log wins over an archive of the same name. What cannot be read is left out, and so is a link,
 * since what it leads to would be written to, and whatever is no file.
 */
export async function listLogFiles(dataRoot: string, only?: string): Promise<LogFile[]> {
  const projects = join(dataRoot, 'projects');
  const found: LogFile[] = [];
  let since = performance.now();
  for (const project of only === undefined ? foldersIn(projects) : [only]) {
    const folder = join(projects, project);
    const logs = idsIn(folder, logSuffix);
    const known = new Set(logs);
    const archives = idsIn(join(folder, 'archive'), archiveSuffix).filter((id) => !known.has(id));
    for (const [ids, isArchived] of [
      [logs, false],
      [archives, true],
    ] as const) {
      for (const id of ids) {
        const file = isArchived ? archiveFileIn(folder, id) : join(folder, `${id}${logSuffix}`);
        const stats = statQuietly(file);
        if (stats?.isFile() === true)
          found.push({
            project,
            id,
            file,
            isArchived,
            size: stats.size,
            mtimeMs: stats.mtimeMs,
            // Some disks number with 64 bits, which neither a number here nor a column holds.
            ino: stats.ino % Number.MAX_SAFE_INTEGER,
          });
        if (performance.now() - since < sliceMs) continue;
        await new Promise((resolve) => setImmediate(resolve));
        since = performance.now();
      }
    }
  }
  return found;
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

function idsIn(folder: string, suffix: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length))
      .filter(isSafeSessionId);
  } catch {
    return [];
  }
}

function statQuietly(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

// The lines of a log or of its archive, from any byte of the log on.

export interface LogLine {
  /** Without its line feed. Empty where the line is longer than anything that could be a line. */
  readonly bytes: Buffer;
  /** Bytes before it in the (unpacked) log. */
  readonly offset: number;
  /** Its length in the log, line feed included. */
  readonly length: number;
}

/** A prompt with pictures may have some tens of megabytes; what is longer is damage, and memory is not. */
const maxLineBytes = 256 * 2 ** 20;
const chunkBytes = 256 * 1024;

/** Whole lines only: what follows the last line feed may still be being written. Rejects when the disk does. */
export async function* logLines(
  log: Pick<LogFile, 'file' | 'isArchived'>,
  start = 0,
): AsyncGenerator<LogLine> {
  let pieces: Buffer[] = [];
  let length = 0;
  let offset = start;
  for await (const chunk of bytesOf(log, start)) {
    let from = 0;
    for (let feed = chunk.indexOf(10); feed !== -1; feed = chunk.indexOf(10, from)) {
      const piece = chunk.subarray(from, feed);
      length += piece.length;
      const bytes = length > maxLineBytes ? Buffer.alloc(0) : joinLine(pieces, piece);
      yield { bytes, offset, length: length + 1 };
      offset += length + 1;
      pieces = [];
      length = 0;
      from = feed + 1;
    }
    const rest = chunk.subarray(from);
    length += rest.length;
    if (length > maxLineBytes) pieces = [];
    else if (rest.length > 0) pieces.push(rest);
  }
}

/** The bytes of the log from `start` on, unpacked. */
export async function* bytesOf(
  { file, isArchived }: Pick<LogFile, 'file' | 'isArchived'>,
  start = 0,
): AsyncGenerator<Buffer> {
  if (!isArchived) {
    yield* createReadStream(file, { start, highWaterMark: chunkBytes }) as AsyncIterable<Buffer>;
    return;
  }
  const unpacked = createZstdDecompress({ chunkSize: chunkBytes });
  // Errors arrive where the stream is read.
  pipeline(createReadStream(file, { highWaterMark: chunkBytes }), unpacked, () => {});
  let skip = start;
  for await (const chunk of unpacked as AsyncIterable<Buffer>) {
    if (chunk.length > skip) yield chunk.subarray(skip);
    skip = Math.max(0, skip - chunk.length);
  }
}

function joinLine(pieces: readonly Buffer[], last: Buffer): Buffer {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}
