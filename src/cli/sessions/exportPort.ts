/** `/export` of the open session. */

import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { CommandHost, Written } from '../../commands/types.ts';
import { LogPages } from '../../context/index.ts';
import type { OpenedSession } from '../openContext.ts';
import type { AppPaths } from '../process/appPaths.ts';

export function createExportPort(
  { agent, file: log }: Pick<OpenedSession, 'agent' | 'file'>,
  place: AppPaths,
  secrets: () => readonly string[],
): CommandHost['exportSession'] {
  return async ({ format, file }) => {
    const { exportToFile } = await import('./exportToFile.ts');
    const { sessionId, title = 'A session', root } = agent.state();
    const meta = { title, sessionId, project: root, programVersion: place.version, exportedAt: new Date() };
    const own = secrets();
    // From the file, which is complete; from memory if nothing can be saved.
    const entries =
      log === undefined ? agent.entries() : new LogPages(log).range(0, Number.POSITIVE_INFINITY);
    const target =
      file === undefined
        ? { folder: root }
        : { file: resolve(place.cwd, file.replace(/^~(?=\/)/, place.home)) };
    return exportToFile(entries, { format, meta, own }, target);
  };
}

/** Writes a new file, relative to the working directory; `~/` is the home directory. Never overwrites. */
export async function writeTextFile(
  text: string,
  file: string,
  place: Pick<AppPaths, 'cwd' | 'home'>,
): Promise<Written> {
  const path = resolve(place.cwd, file.replace(/^~(?=\/)/, place.home));
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text.endsWith('\n') ? text : `${text}\n`, { flag: 'wx' });
    return { type: 'done', file: path };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return {
      type: 'failed',
      message:
        code === 'EEXIST'
          ? `${path} already exists: name another file.`
          : `${path} could not be written: ${message}`,
    };
  }
}
