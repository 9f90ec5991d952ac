/**
 * Finds other names of protected files: a mount protects one name, but a command could write to the file through an
 * existing hard link.
 */
import { join } from 'node:path';
import { entriesOf, lstatOf } from '../../disk/fileLookups.ts';
import { isInside } from '../../disk/paths.ts';
import { inSlices, type Steps } from '../../disk/slices.ts';

/** Maximum number and depth of files checked in protected folders. */
const MAX_FILES = 500;
const MAX_DEPTH = 3;
/** Maximum entries of writable folders searched for other names. */
const MAX_ENTRIES = 200_000;

interface OtherNames {
  /** Other names of protected files in writable folders. */
  readonly found: readonly string[];
  /** Protected files with more names than were found; the rest may be in folders that were not searched. */
  readonly open: readonly string[];
}

interface Linked {
  readonly paths: string[];
  readonly state: string;
  names: bigint;
}

/** Creates a function that finds these names. It searches again only if such a file has changed. Never rejects. */
export function createHardLinkSearch(): (
  isProtected: readonly string[],
  writable: readonly string[],
) => Promise<OtherNames> {
  let key = '';
  let known: OtherNames = { found: [], open: [] };
  return async (places, writable) => {
    const linked = await inSlices(linkedFiles(places));
    if (linked.size === 0) return { found: [], open: [] };
    const now = JSON.stringify([writable, [...linked.values()].map(({ state }) => state)]);
    // Giving a file another name changes its change time, too.
    if (now !== key) [key, known] = [now, await inSlices(search(linked, writable, places))];
    return known;
  };
}

/** The files with several names, including files inside folders, by inode. */
function* linkedFiles(places: readonly string[]): Steps<Map<string, Linked>> {
  const linked = new Map<string, Linked>();
  let left = MAX_FILES;
  let level = [...new Set(places)];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const path of level) {
      yield;
      // The given paths themselves are always checked.
      if (depth > 0 && left <= 0) break;
      left -= 1;
      const found = lstatOf(path);
      if (found?.isDirectory() === true) next.push(...entriesOf(path).map(({ name }) => join(path, name)));
      if (found?.isFile() !== true || found.nlink < 2n) continue;
      const inode = `${found.dev} ${found.ino}`;
      const one = linked.get(inode) ?? { paths: [], state: `${inode} ${found.ctimeNs}`, names: found.nlink };
      if (!one.paths.includes(path)) one.paths.push(path);
      linked.set(inode, one);
    }
    level = next;
  }
  return linked;
}

function* search(
  linked: ReadonlyMap<string, Linked>,
  writable: readonly string[],
  places: readonly string[],
): Steps<OtherNames> {
  const missing = new Map(
    [...linked].map(([inode, { names, paths }]) => [inode, Number(names) - paths.length]),
  );
  const devices = new Set([...linked.keys()].map((inode) => inode.split(' ')[0] ?? ''));
  const found: string[] = [];
  let left = MAX_ENTRIES;
  const isComplete = (): boolean => [...missing.values()].every((count) => count <= 0);
  // The loop also visits folders appended in its body.
  const folders = writable.filter((one) => !writable.some((other) => other !== one && isInside(one, other)));
  for (const folder of folders) {
    if (left <= 0 || isComplete()) break;
    for (const { name } of entriesOf(folder)) {
      yield;
      left -= 1;
      const path = join(folder, name);
      const at = lstatOf(path);
      if (at?.isDirectory() === true && devices.has(String(at.dev))) folders.push(path);
      const inode = at?.isFile() === true && at.nlink > 1n ? `${at.dev} ${at.ino}` : '';
      const known = linked.get(inode);
      if (known === undefined || known.paths.includes(path)) continue;
      missing.set(inode, (missing.get(inode) ?? 0) - 1);
      if (!places.some((place) => isInside(path, place))) found.push(path);
    }
  }
  // After a complete search, the remaining names are where commands cannot write.
  const isSearched = left > 0;
  const open = [...linked].flatMap(([inode, { paths }]) =>
    !isSearched && (missing.get(inode) ?? 0) > 0 ? paths : [],
  );
  return { found, open };
}
