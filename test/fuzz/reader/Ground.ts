/** The folders in which commands run, and what has changed in them since the last check. */
import { lstatSync, readdirSync, readlinkSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Arena, type ArenaKind, makeArena } from './arena.ts';

/** Access time of unread protected files. With `relatime`, the first read updates it. */
const UNREAD_SECONDS = 1;

export class Ground {
  readonly #top: string;
  readonly #kind: ArenaKind;
  readonly #traps: boolean;
  #arena: Arena | undefined;

  /** `top`: a folder that does not exist yet; everything happens in it. */
  constructor(top: string, kind: ArenaKind, traps = false) {
    this.#top = top;
    this.#kind = kind;
    this.#traps = traps;
  }

  get arena(): Arena {
    this.#arena ??= makeArena(this.#top, this.#kind, this.#traps);
    return this.#arena;
  }

  /** Takes a snapshot; the returned function reports what has changed since, or which protected file was read. */
  watch(): () => string | undefined {
    const { unread } = this.arena;
    for (const path of unread) forgetReading(path);
    const before = snapshot(this.#top);
    return () => {
      const read = unread.find(
        (path) => lstatSync(path, { throwIfNoEntry: false })?.atimeMs !== UNREAD_SECONDS * 1000,
      );
      const after = snapshot(this.#top);
      const changed =
        [...after].find((line) => !before.has(line)) ?? [...before].find((line) => !after.has(line));
      if (changed !== undefined || read !== undefined) this.#spoil();
      return changed !== undefined ? `changed: ${changed}` : read && `read: ${read}`;
    };
  }

  #spoil(): void {
    this.#arena = undefined;
    rmSync(this.#top, { recursive: true, force: true });
  }
}

function forgetReading(path: string): void {
  const { mtimeMs } = lstatSync(path);
  utimesSync(path, UNREAD_SECONDS, mtimeMs / 1000);
}

/**
 * Every path with what shows whether it was touched: for a file its ctime, which covers owners, times and attributes;
 * for a folder its mtime, which shows new files even if they are gone again.
 */
function snapshot(top: string): ReadonlySet<string> {
  const lines = new Set<string>();
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const info = lstatSync(path, { throwIfNoEntry: false });
      // A name that is not UTF-8 shows in its folder's time.
      if (info === undefined) continue;
      const { mode, size, mtimeMs, ctimeMs, ino } = info;
      // Shells create here-documents in the temporary folder for a moment.
      const isPassing = folder === top && /^(?:tmp|shm)$/.test(name);
      if (info.isDirectory()) lines.add(`${path} ${mode} ${isPassing ? '' : mtimeMs}`);
      else
        lines.add(
          `${path} ${mode} ${size} ${ctimeMs} ${ino} ${info.isSymbolicLink() ? readlinkSync(path) : ''}`,
        );
      if (info.isDirectory()) look(path);
    }
  };
  look(top);
  return lines;
}
