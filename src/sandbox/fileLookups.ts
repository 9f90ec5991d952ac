/** Looks at the disk without exceptions: what is not there, or cannot be seen, is nothing. */
import { type BigIntStats, lstatSync, readdirSync, realpathSync } from 'node:fs';

/** The path with its links resolved; empty where there is nothing. */
export function resolved(path: string): readonly string[] {
  // Most are not there, and an exception for each would take longer than all the rest.
  if (lstatOf(path) === undefined) return [];
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

/** The names in a folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What stands there, links not followed. */
export function lstatOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}
