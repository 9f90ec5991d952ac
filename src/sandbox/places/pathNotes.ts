/**
 * Lists of paths that outlast a session, in a file that commands cannot see. Each change is appended as a line, so that
 * concurrent sessions lose nothing.
 */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { lstatOf, readFileNow } from '../../disk/fileLookups.ts';

/** Absolute paths, by the name of a list. */
type PathLists = Readonly<Record<string, readonly string[]>>;

export interface PathNotes {
  /** The same object until something changes. */
  read(): PathLists;
  /** Records the differences from the lists last read. Never throws: what cannot be written is kept in memory. */
  write(lists: PathLists): void;
}

/** One line of the file. */
interface Change {
  readonly add: PathLists;
  readonly remove: PathLists;
}

const MAX_BYTES = 64 * 2 ** 20;

/** `file`: undefined = in memory. `damaged`: the value of an unreadable line. */
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
      if (file !== undefined && now !== '' && now !== stamp) lists = readLists(file, damaged);
      stamp = now;
      return lists;
    },
    write(changed) {
      const change = { add: without(changed, lists), remove: without(lists, changed) };
      lists = changed;
      // The next `read` notices the change, and what other sessions have added.
      if (file !== undefined && Object.keys({ ...change.add, ...change.remove }).length > 0)
        append(file, change);
    },
  };
}

/** The paths of each list that the other lists lack. */
function without(lists: PathLists, others: PathLists): PathLists {
  const found = Object.entries(lists).map(([name, paths]) => {
    const known = new Set(others[name]);
    return [name, paths.filter((path) => !known.has(path))] as const;
  });
  return Object.fromEntries(found.filter(([, paths]) => paths.length > 0));
}

function readLists(file: string, damaged: PathLists): PathLists {
  const text = readFileNow(file, MAX_BYTES)?.toString('utf8');
  const lines = text?.split('\n').filter((line) => line !== '');
  const changes = lines?.map((line) => changeIn(line)) ?? [undefined];
  const lists = new Map<string, Set<string>>();
  for (const { add, remove } of changes.map((change) => change ?? { add: damaged, remove: {} })) {
    for (const [name, paths] of Object.entries(remove))
      for (const path of paths) lists.get(name)?.delete(path);
    for (const [name, paths] of Object.entries(add)) {
      const list = lists.get(name) ?? new Set();
      for (const path of paths) list.add(path);
      lists.set(name, list);
    }
  }
  return Object.fromEntries([...lists].map(([name, paths]) => [name, [...paths]]));
}

/** Earlier versions wrote the lists themselves. */
function changeIn(line: string): Change | undefined {
  try {
    const found: unknown = JSON.parse(line);
    if (isLists(found)) return { add: found, remove: {} };
    const { add, remove } = found as Partial<Record<keyof Change, unknown>>;
    return isLists(add) && isLists(remove) ? { add, remove } : undefined;
  } catch {
    return undefined;
  }
}

function isLists(found: unknown): found is PathLists {
  const isPaths = (list: unknown): boolean =>
    Array.isArray(list) && list.every((path) => typeof path === 'string');
  return typeof found === 'object' && found !== null && Object.values(found).every(isPaths);
}

function append(file: string, change: Change): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // The leading line feed ends a line that was only partly written.
    appendFileSync(file, `\n${JSON.stringify(change)}\n`, { mode: 0o600 });
  } catch {
    // If the disk is full, only this session knows.
  }
}
