/** Lists of paths that outlast a session, in a file that commands cannot see; other sessions may write it as well. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf, readFileNow } from '../../disk/fileLookups.ts';

/** Absolute paths, by the name of a list. */
export type PathLists = Readonly<Record<string, readonly string[]>>;

export interface PathNotes {
  /** The same object until something changes. */
  read(): PathLists;
  /** Never throws: if nothing can be written, the lists are kept in memory. */
  write(lists: PathLists): void;
}

const MAX_BYTES = 64 * 2 ** 20;

/** `file`: undefined = in memory. `damaged`: what a file says that cannot be read. */
export function createPathNotes(file: string | undefined, damaged: PathLists = {}): PathNotes {
  let lists: PathLists = {};
  let stamp = '';
  const stampNow = (): string => {
    const found = file === undefined ? undefined : lstatOf(file);
    return found === undefined ? '' : `${found.ino} ${found.ctimeNs}`;
  };
  return {
    read() {
      const now = stampNow();
      if (file !== undefined && now !== '' && now !== stamp) lists = readLists(file) ?? damaged;
      stamp = now;
      return lists;
    },
    write(changed) {
      lists = changed;
      if (file !== undefined) writeLists(file, lists);
      stamp = stampNow();
    },
  };
}

function readLists(file: string): PathLists | undefined {
  try {
    const found: unknown = JSON.parse(readFileNow(file, MAX_BYTES)?.toString('utf8') ?? '');
    const isPaths = (list: unknown): boolean =>
      Array.isArray(list) && list.every((path) => typeof path === 'string');
    return typeof found === 'object' && found !== null && Object.values(found).every(isPaths)
      ? (found as PathLists)
      : undefined;
  } catch {
    return undefined;
  }
}

function writeLists(file: string, lists: PathLists): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(lists), { mode: 0o600 });
    renameSync(temporary, file);
  } catch {
    // Disk full: known in this session only.
  }
}
