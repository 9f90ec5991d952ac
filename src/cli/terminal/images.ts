/** Reads images from files and the clipboard, for the screen. */

import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, resolve } from 'node:path';
import { MAX_IMAGE_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import type { ImagePort, ImageRead } from '../../ui/input/images.ts';
import { findRoot } from '../process/appPaths.ts';
import { ownEnvironment } from '../process/lookUp.ts';

/** Timeout in milliseconds for a file on a disk that does not respond. */
const PATIENCE_MS = 2000;

interface ImagePlace {
  readonly cwd: string;
  readonly home?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly addedDirectories?: () => readonly string[];
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
      readClipboardImage(
        place.platform ?? process.platform,
        ownEnvironment({ ...place, root: findRoot(place.cwd) }),
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

/** Returns an image if models accept its format and size. */
function imageOf(bytes: Buffer, name: string): ImageRead {
  const header = readImageHeader(bytes);
  if (header === undefined) return { type: 'none' };
  if (bytes.length > MAX_IMAGE_BYTES) return tooLarge(name, bytes.length);
  const image = { type: 'image', mediaType: header.mediaType, data: bytes.toString('base64') } as const;
  return { type: 'image', image, header, bytes: bytes.length };
}

function tooLarge(name: string, bytes: number): ImageRead {
  const size = `${(bytes / 1024 / 1024).toFixed(1)} MB`;
  return {
    type: 'refused',
    message: `${name} is ${size}; models accept images up to ${MAX_IMAGE_BYTES / 1024 / 1024} MB. Make a smaller copy (1,600 pixels are enough).`,
  };
}

// Reads an image from the clipboard with whichever system program is available.

const CLIPBOARD_TIMEOUT_MS = 5000;
const NAME = 'The image on the clipboard';

type Environment = Readonly<Record<string, string | undefined>>;

/** A program that reads the image, and the format of its output. */
interface Way {
  readonly program: string;
  readonly args: readonly string[];
  readonly output: 'bytes' | 'base64' | 'applescript';
}

/** Tries the programs one after another, skipping missing ones. Never rejects. */
export async function readClipboardImage(platform: NodeJS.Platform, env: Environment): Promise<ImageRead> {
  const ways = waysFor(platform, env);
  let isAnyThere = false;
  for (const way of ways) {
    const ran = await run(way, env);
    if (ran === 'missing') continue;
    isAnyThere = true;
    if (ran === 'too_large') return tooLarge(NAME, MAX_IMAGE_BYTES + 1);
    const read = ran === 'failed' ? undefined : imageOf(decoded(ran, way.output), NAME);
    if (read !== undefined && read.type !== 'none') return read;
  }
  return { type: 'none', message: isAnyThere ? NOTHING : help(platform, env) };
}

const NOTHING = 'No image on the clipboard. You can also paste or drop the path of an image here.';

function waysFor(platform: NodeJS.Platform, env: Environment): readonly Way[] {
  const windows: Way = {
    program: 'powershell.exe',
    args: ['-NoProfile', '-NonInteractive', '-STA', '-Command', POWERSHELL],
    output: 'base64',
  };
  if (platform === 'win32') return [windows];
  if (platform === 'darwin')
    return [
      { program: 'pngpaste', args: ['-'], output: 'bytes' },
      { program: 'osascript', args: ['-e', 'get the clipboard as «class PNGf»'], output: 'applescript' },
    ];
  const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];
  const bytes = (program: string, args: (type: string) => readonly string[]): Way[] =>
    types.map((type) => ({ program, args: args(type), output: 'bytes' }));
  return [
    ...(env.WAYLAND_DISPLAY ? bytes('wl-paste', (type) => ['--no-newline', '--type', type]) : []),
    ...(env.DISPLAY ? bytes('xclip', (type) => ['-selection', 'clipboard', '-t', type, '-o']) : []),
    ...(env.WSL_DISTRO_NAME ? [windows] : []),
  ];
}

const POWERSHELL =
  'Add-Type -AssemblyName System.Windows.Forms,System.Drawing; $i=[Windows.Forms.Clipboard]::GetImage(); if($i){$m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray())}';

function help(platform: NodeJS.Platform, env: Environment): string {
  const instead = 'You can also paste or drop the path of an image here.';
  if (platform !== 'linux' || env.WSL_DISTRO_NAME)
    return `The clipboard could not be read: no program for it was found. ${instead}`;
  if (env.WAYLAND_DISPLAY) return `To paste images, install wl-clipboard (it includes wl-paste). ${instead}`;
  if (env.DISPLAY) return `To paste images, install xclip. ${instead}`;
  return `There is no desktop clipboard here. ${instead}`;
}

function run({ program, args }: Way, env: Environment): Promise<Buffer | 'missing' | 'failed' | 'too_large'> {
  // Encoded as text, the image takes slightly more than twice its size.
  const options = {
    encoding: 'buffer',
    timeout: CLIPBOARD_TIMEOUT_MS,
    maxBuffer: 3 * MAX_IMAGE_BYTES,
    env,
  } as const;
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT') resolve('missing');
      else resolve(String(error.code) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER' ? 'too_large' : 'failed');
    });
  });
}

function decoded(output: Buffer, form: Way['output']): Buffer {
  if (form === 'bytes') return output;
  const text = output.toString('latin1');
  if (form === 'base64') return Buffer.from(text, 'base64');
  // AppleScript prints «data PNGf89504E47…».
  return Buffer.from(/PNGf([0-9A-F]+)/i.exec(text)?.[1] ?? '', 'hex');
}
