import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Written } from '../../commands/types.ts';
import type { Place } from '../process/appPaths.ts';

/** A new file, relative to the working directory; `~/` is the home. Nothing is overwritten. */
export async function writeTextFile(
  text: string,
  file: string,
  place: Pick<Place, 'cwd' | 'home'>,
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
