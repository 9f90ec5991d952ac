/** The folders that commands run in, and what has happened to them since they were last looked at. */
import { lstatSync, readdirSync, readlinkSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { type Arena, type ArenaKind, makeArena } from './arena.ts';

/** Nothing that may not be read was read before this moment. With `relatime` the first read moves it. */
const UNREAD_SECONDS = 1;

export class Ground {
  readonly #top: string;
  readonly #kind: ArenaKind;
  readonly #traps: boolean;
  #arena: Arena | undefined;

  /** `top` is a folder that is not there yet; everything happens below it. */
  constructor(top: string, kind: ArenaKind, traps = false) {
    this.#top = top;
    this.#kind = kind;
    this.#traps = traps;
  }

  get arena(): Arena {
    this.#arena ??= makeArena(this.#top, this.#kind, this.#traps);
    return this.#arena;
  }

  /** Looks at everything; the result says what has changed since, or what that may not be read was read. */
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
 * Every path with what tells whether it was touched: of a file the time of its last change of any kind, owners, times and
 * attributes included; of a folder the time at which something was last put into it, even if it is gone again.
 */
function snapshot(top: string): ReadonlySet<string> {
  const lines = new Set<string>();
  const look = (folder: string): void => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      const info = lstatSync(path, { throwIfNoEntry: false });
      // A name that is no UTF-8 is seen by its folder's time.
      if (info === undefined) continue;
      const { mode, size, mtimeMs, ctimeMs, ino } = info;
      // Shells put here-documents into the temporary folder for a moment.
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
