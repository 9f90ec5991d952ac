/**
 * Watches files that hooks name, whether they exist or not. Watches their folders, so that it notices a file that is
 * replaced, created or deleted, and compares each file with its earlier state.
 */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { FileEvent } from '../protocol/extensions/hooks.ts';

/** More than any set of hooks names. */
const MAX_FILES = 200;
/** Programs write a file in several steps; the file is looked at once they are done. */
const SETTLE_MS = 100;

interface Watched {
  /** The state of the file, as text that differs after every change; undefined = no file. */
  stamp: string | undefined;
  timer: NodeJS.Timeout | undefined;
}

export class FileWatcher {
  readonly #onChange: (event: FileEvent) => void;
  #files = new Map<string, Watched>();
  #folders = new Map<string, FSWatcher>();

  constructor(onChange: (event: FileEvent) => void) {
    this.#onChange = onChange;
  }

  /** Watches exactly these files from now on, absolute paths. A folder that does not exist is not watched. */
  watch(paths: readonly string[]): void {
    const wanted = new Set(paths.slice(0, MAX_FILES));
    for (const [path, { timer }] of this.#files) {
      if (wanted.has(path)) continue;
      clearTimeout(timer);
      this.#files.delete(path);
    }
    for (const path of wanted)
      if (!this.#files.has(path)) this.#files.set(path, { stamp: stampOf(path), timer: undefined });
    const folders = new Set([...this.#files.keys()].map((path) => dirname(path)));
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue;
      watcher.close();
      this.#folders.delete(folder);
    }
    for (const folder of folders) if (!this.#folders.has(folder)) this.#open(folder);
  }

  close(): void {
    this.watch([]);
  }

  #open(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#look(folder, name));
      watcher.on('error', () => this.#drop(folder));
      this.#folders.set(folder, watcher);
    } catch {
      // The folder does not exist, or the system has no watchers left.
    }
  }

  #drop(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }

  /** `name` is null on systems that do not say which file it is. */
  #look(folder: string, name: string | null): void {
    for (const [path, file] of this.#files) {
      if (dirname(path) !== folder || (name !== null && basename(path) !== name)) continue;
      clearTimeout(file.timer);
      file.timer = setTimeout(() => this.#compare(path, file), SETTLE_MS).unref();
    }
  }

  #compare(path: string, file: Watched): void {
    const before = file.stamp;
    file.stamp = stampOf(path);
    if (before === file.stamp) return;
    const event = before === undefined ? 'add' : file.stamp === undefined ? 'unlink' : 'change';
    this.#onChange({ path, event });
  }
}

function stampOf(path: string): string | undefined {
  const info = statSync(path, { throwIfNoEntry: false, bigint: true });
  return info?.isFile() === true ? `${info.ino}:${info.size}:${info.mtimeNs}:${info.ctimeNs}` : undefined;
}
