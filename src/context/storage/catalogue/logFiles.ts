/** The logs and archives on disk, as they are now. */
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
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
export const archiveSuffix = '.jsonl.zst';

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
