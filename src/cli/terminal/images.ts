/** Reads images from files and the clipboard, for the screen. */
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { ownProgramEnvironment } from '../../disk/ownPrograms.ts';
import { realpath } from '../../disk/paths.ts';
import { MAX_IMAGE_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import type { ImagePort, ImageRead } from '../../ui/input/images.ts';
import { findRoot } from '../process/appPaths.ts';
import { imageOf, tooLarge } from './imageBytes.ts';

/** Timeout in milliseconds for a file on a disk that does not respond. */
const PATIENCE_MS = 2000;

interface ImagePlace {
  readonly cwd: string;
  readonly home?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: NodeJS.Platform;
}

export function createImagePort(place: ImagePlace): ImagePort {
  return {
    read: (path) =>
      Promise.race([
        readImageFile(path, place).catch((): ImageRead => ({ type: 'none' })),
        new Promise<ImageRead>((late) => setTimeout(late, PATIENCE_MS, { type: 'none' }).unref()),
      ]),
    clipboard: () =>
      import('./clipboardImage.ts').then(({ readClipboardImage }) =>
        readClipboardImage(
          place.platform ?? process.platform,
          ownProgramEnvironment(place.env, findRoot(place.cwd), realpath),
        ),
      ),
  };
}

async function readImageFile(path: string, { cwd, home = homedir() }: ImagePlace): Promise<ImageRead> {
  const full = resolve(cwd, path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path);
  // Opening a pipe without O_NONBLOCK would wait for its writer.
  const { O_RDONLY, O_NONBLOCK } = (await import('node:fs')).constants;
  const file = await open(full, O_RDONLY | (O_NONBLOCK ?? 0));
  try {
    const info = await file.stat();
    if (!info.isFile()) return { type: 'none' };
    const start = Buffer.alloc(16);
    await file.read(start, 0, start.length, 0);
    if (readImageHeader(start) === undefined) return { type: 'none' };
    if (info.size > MAX_IMAGE_BYTES) return tooLarge(basename(full), info.size);
    const bytes = Buffer.alloc(info.size);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return imageOf(bytes.subarray(0, bytesRead), basename(full));
  } finally {
    await file.close();
  }
}
