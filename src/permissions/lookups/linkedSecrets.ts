/** Finds secrets that also have an ordinary name: a hard link to `.env` is the same file. */
import { basename, join } from 'node:path';
import { entriesOf, lstatOf } from '../../disk/fileLookups.ts';
import { isSensitive } from '../files/sensitive.ts';

/** Secrets behind this many entries are not found; the folders nearest to the top come first. */
const MAX_ENTRIES = 50_000;

/** Folders whose files share others: packages, and this program's records of objects of git. */
const ordinary = new Set(['node_modules', '.git', '.clawdcode']);

/** Identifies a file that has several names; undefined for any other. Never throws. */
export function linkId(path: string): string | undefined {
  const found = lstatOf(path);
  return found?.isFile() === true && found.nlink > 1n ? `${found.dev} ${found.ino}` : undefined;
}

/**
 * Returns a function that finds the files in some folders that are secret by their names and have several, by `linkId`.
 * It searches once for all lookups of one decision. Never throws.
 */
export function createLinkedSecrets(): (folders: readonly string[]) => ReadonlyMap<string, string> {
  const known = new Map<string, ReadonlyMap<string, string>>();
  return (folders) => {
    const key = JSON.stringify(folders);
    const found = known.get(key) ?? secretsIn(folders);
    // A decision takes one turn of the event loop.
    if (known.size === 0) setImmediate(() => known.clear());
    known.set(key, found);
    return found;
  };
}

function secretsIn(folders: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pending = [...folders];
  let left = MAX_ENTRIES;
  // The loop also visits folders appended in its body.
  for (const folder of pending) {
    if (ordinary.has(basename(folder))) continue;
    for (const entry of entriesOf(folder)) {
      left -= 1;
      if (left < 0) return found;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) pending.push(path);
      else if (entry.isFile() && isSensitive(path)) {
        const id = linkId(path);
        if (id !== undefined) found.set(id, path);
      }
    }
  }
  return found;
}
