/**
 * Named pipes and devices in place of ignore files (`mkfifo .gitignore`). Ripgrep and git open every file of such a name
 * and would wait for a writer forever. Each pipe that they wait for is opened for writing and closed again, so that they
 * read an empty file, and all other ignore files still apply. Devices, which would be read without an end, are only found.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namesIn, readSmallText, statOf } from './fileLookups.ts';

/** Files with patterns that they read in each folder and its parents. */
const ignoreFiles = ['.gitignore', '.ignore', '.rgignore', '.git/info/exclude'];

const OPEN_MS = 20;
/** A process that takes no longer has met no pipe in a subfolder. */
const LOOK_MS = 1000;
/** Folders that are searched for pipes. */
const MAX_FOLDERS = 100_000;

/** Lasts until the process ends. `folder`: where it reads. Returns a function that returns the pipes it has read so far. */
export function openIgnorePipes(child: ChildProcess, folder: string): () => readonly string[] {
  const known = new Set(specialIgnoreFiles(folder).flatMap(({ path, isPipe }) => (isPipe ? path : [])));
  const read = new Set<string>();
  const over = new AbortController();
  const open = setInterval(() => {
    for (const path of known) if (openAndClose(path)) read.add(path);
  }, OPEN_MS);
  const look = setInterval(() => {
    if (!isWaiting(child.pid)) return;
    clearInterval(look);
    void (async () => {
      for await (const { path, isPipe } of specialIgnoreFilesBelow(folder, over.signal))
        if (isPipe) known.add(path);
    })();
  }, LOOK_MS);
  const stop = (): void => {
    over.abort();
    clearInterval(open);
    clearInterval(look);
  };
  child.once('close', stop).once('error', stop);
  return () => [...read];
}

/** Returns false if nothing waits for the pipe. */
function openAndClose(path: string): boolean {
  try {
    // Fails at once without a reader; changes nothing if another file has replaced the pipe.
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch {
    return false;
  }
}

/** An ignore file that is no file. */
export interface SpecialFile {
  readonly path: string;
  /** The folder for which it would have patterns. */
  readonly folder: string;
  /** Otherwise a device. */
  readonly isPipe: boolean;
}

/** The ignore files of a folder and its parents that are pipes or devices. */
export function specialIgnoreFiles(folder: string): readonly SpecialFile[] {
  const found: SpecialFile[] = [];
  for (let at = folder; ; at = dirname(at)) {
    found.push(...specialIn(at, ignoreFiles));
    if (at === dirname(at)) return found;
  }
}

/** The ignore files of a folder and of all folders in it that are pipes or devices. */
export async function* specialIgnoreFilesBelow(
  top: string,
  signal: AbortSignal,
): AsyncGenerator<SpecialFile> {
  const folders = [top];
  for (let at = 0; at < folders.length && at < MAX_FOLDERS && !signal.aborted; at += 1) {
    const folder = folders[at] ?? top;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = new Set(entries.map(({ name }) => name));
    const written = ignoreFiles.filter((name) => names.has(name.split('/')[0] ?? ''));
    yield* specialIn(folder, written);
    for (const entry of entries)
      if (entry.isDirectory() && entry.name !== '.git') folders.push(join(folder, entry.name));
  }
}

const specialIn = (folder: string, names: readonly string[]): readonly SpecialFile[] =>
  names.flatMap((name) => {
    const path = join(folder, name);
    const kind = kindOf(path);
    return kind === undefined ? [] : [{ path, folder, isPipe: kind === 'pipe' }];
  });

/** Undefined for what can be read to its end: files, and `/dev/null`. */
function kindOf(path: string): 'pipe' | 'device' | undefined {
  const info = statOf(path);
  if (info === undefined) return undefined;
  if (info.isCharacterDevice() || info.isBlockDevice())
    return info.rdev === statOf('/dev/null')?.rdev ? undefined : 'device';
  return info.isFIFO() ? 'pipe' : undefined;
}

const isWaiting = (pid: number | undefined): boolean => workOf(pid)?.isWaiting !== false;

/**
 * What a process has used: CPU time in hundredths of a second, and its own memory in bytes; and whether all its threads
 * sleep without waiting for a CPU or a disk. Undefined if the kernel does not report it. Source: proc_pid_stat(5).
 */
export function workOf(
  pid: number | undefined,
): { readonly ticks: number; readonly bytes: number; readonly isWaiting: boolean } | undefined {
  const tasks = `/proc/${pid}/task`;
  const threads = namesIn(tasks).map((task) => {
    // After the name, which may contain anything: the state comes first, the times 11 fields later.
    const fields = readSmallText(`${tasks}/${task}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    return { state: fields[0], ticks: Number(fields[11]) + Number(fields[12]) };
  });
  if (threads.length === 0) return undefined;
  const [, resident = 0, shared = 0] = readSmallText(`/proc/${pid}/statm`).split(' ').map(Number);
  return {
    ticks: threads.reduce((sum, { ticks }) => sum + ticks, 0),
    bytes: (resident - shared) * PAGE_BYTES,
    isWaiting: threads.every(({ state }) => state === 'S'),
  };
}

/** The smallest page that Linux uses. */
const PAGE_BYTES = 4096;
