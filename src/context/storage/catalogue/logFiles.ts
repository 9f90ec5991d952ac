/** The logs and archives on disk. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { createRest } from '../../../disk/slices.ts';
import { archiveSuffix } from '../logBytes.ts';
import { linesOf } from '../logReader.ts';
import { isSafeSessionId } from '../newEntries.ts';
import { projectFolderIn } from '../pathUtils.ts';
import { hasRealFolders } from '../storedFiles.ts';

export interface LogFile {
  /** Folder name in `projects/`. */
  readonly project: string;
  readonly id: string;
  readonly file: string;
  readonly isArchived: boolean;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

const logSuffix = '.jsonl';

export function archiveFileIn(projectFolder: string, id: string): string {
  return join(archiveFolderIn(projectFolder), `${id}${archiveSuffix}`);
}

const archiveFolderIn = (projectFolder: string): string => join(projectFolder, 'archive');

/**
 * Lists every session once: a log takes precedence over an archive of the same name. Skips files that cannot be read,
 * irregular files, and links, since their targets would be written to.
 */
export async function listLogFiles(dataRoot: string, only?: string): Promise<LogFile[]> {
  const projects = join(dataRoot, 'projects');
  const found: LogFile[] = [];
  const rest = createRest();
  for (const project of only === undefined ? foldersIn(projects) : [only]) {
    const folder = projectFolderIn(dataRoot, project);
    if (!hasRealFolders(folder)) continue;
    const logs = idsIn(folder, logSuffix);
    const known = new Set(logs);
    const packed = archiveFolderIn(folder);
    const archives = (hasRealFolders(folder, packed) ? idsIn(packed, archiveSuffix) : []).filter(
      (id) => !known.has(id),
    );
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
            // Some file systems use 64-bit inode numbers, which fit neither a number here nor a column.
            ino: stats.ino % Number.MAX_SAFE_INTEGER,
          });
        await rest();
      }
    }
  }
  return found;
}

/**
 * Lists the logs of subagents: of one session of a project, or of all its sessions. They are not sessions themselves.
 */
export function listAgentLogs(dataRoot: string, project: string, sessionId?: string): LogFile[] {
  const folder = projectFolderIn(dataRoot, project);
  const all = join(folder, 'agents');
  if (!hasRealFolders(folder, all)) return [];
  const owners = (sessionId === undefined ? foldersIn(all) : [sessionId]).filter(isSafeSessionId);
  return owners.flatMap((owner) =>
    (hasRealFolders(folder, join(all, owner)) ? idsIn(join(all, owner), logSuffix) : []).flatMap((id) => {
      const file = join(all, owner, `${id}${logSuffix}`);
      const stats = statQuietly(file);
      if (stats?.isFile() !== true) return [];
      const { size, mtimeMs } = stats;
      return [
        { project, id, file, isArchived: false, size, mtimeMs, ino: stats.ino % Number.MAX_SAFE_INTEGER },
      ];
    }),
  );
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

// Reads the lines of a log or its archive, from any byte offset of the log on.

interface LogLine {
  /** Without its newline. Empty if the line is longer than the maximum. */
  readonly bytes: Buffer;
  /** Byte offset in the (unpacked) log. */
  readonly offset: number;
  /** Length in the log in bytes, including the newline. */
  readonly length: number;
}

/**
 * Only complete lines: text after the last newline may still be being written. Rejects on a disk error, and after the
 * readable lines of a damaged archive.
 */
export async function* logLines(file: string, start = 0): AsyncGenerator<LogLine> {
  for await (const { bytes, offset, length, complete } of linesOf(file, start))
    if (complete) yield { bytes, offset, length: length + 1 };
}
