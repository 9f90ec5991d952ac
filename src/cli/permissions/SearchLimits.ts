/** Limits a search for scripts: what it takes in, and what it, or all searches of a start, look at on the disk. */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';

/** The limits of one search. Once one is reached, what was found is not all. */
export class SearchLimits {
  readonly disk: FolderLists;
  readonly #left = { texts: 100, folders: 100, files: 1000 };
  #isExceeded = false;

  /** `disk`: shared by all searches of a start. */
  constructor(disk: FolderLists) {
    this.disk = disk;
  }

  get isExceeded(): boolean {
    return this.#isExceeded || this.disk.isSpent;
  }

  /** False if there are more of these than the search takes in. */
  takes(kind: 'texts' | 'folders' | 'files'): boolean {
    this.#left[kind] -= 1;
    if (this.#left[kind] < 0) this.exceed();
    return this.#left[kind] >= 0;
  }

  /** For what is too long to be read. */
  exceed(): void {
    this.#isExceeded = true;
  }
}

const MAX_LOOKUPS = 30_000;
const MAX_LOOKUPS_AT_START = 200_000;

/** Lists folders, each once, and counts what is looked up on the disk. */
export class FolderLists {
  /** For all searches of a start. */
  static atStart(): FolderLists {
    return new FolderLists(MAX_LOOKUPS_AT_START);
  }

  readonly #listed = new Map<string, readonly string[]>();
  readonly #names = new Map<string, ReadonlySet<string>>();
  #left: number;

  constructor(lookups = MAX_LOOKUPS) {
    this.#left = lookups;
  }

  /** True once the limit is reached: what was found is then not all. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** False once the limit is reached. */
  spend(lookups: number): boolean {
    this.#left -= lookups;
    return !this.isSpent;
  }

  /** The files in a folder, also in those below if `isDeep`, without dependencies. */
  filesIn(folder: string, isDeep: boolean): readonly string[] {
    const key = `${isDeep} ${folder}`;
    const listed = this.#listed.get(key);
    if (listed !== undefined) return this.spend(listed.length / 50) ? listed : [];
    const files: string[] = [];
    const folders = [folder];
    for (const at of folders)
      for (const entry of this.#entriesOf(at)) {
        if (!entry.isDirectory()) files.push(join(at, entry.name));
        else if (isDeep && !/^(?:\.git|node_modules)$/.test(entry.name)) folders.push(join(at, entry.name));
      }
    this.#listed.set(key, files);
    return files;
  }

  /** The names of everything in a folder. */
  namesIn(folder: string): ReadonlySet<string> {
    const names = this.#names.get(folder) ?? new Set(this.#entriesOf(folder).map(({ name }) => name));
    this.#names.set(folder, names);
    return names;
  }

  #entriesOf(folder: string): readonly Dirent[] {
    if (this.isSpent) return [];
    const entries = entriesOf(folder);
    return this.spend(entries.length) ? entries : [];
  }
}
