/** Sorts files by modification time: the search most likely looks for a recently changed file. */
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';

/** For more files, reading all modification times would take longer than the search. */
const MAX_STATS = 20_000;
const AT_ONCE = 64;

/** Newest first; equal times, and all lists of more than 20,000 files, by name. */
export async function newestFirst(paths: readonly string[], cwd: string): Promise<string[]> {
  const byName = paths.toSorted();
  if (byName.length > MAX_STATS) return byName;
  const times = new Map<string, number>();
  const queue = byName.values();
  const worker = async (): Promise<void> => {
    for (const path of queue) {
      times.set(
        path,
        await stat(resolve(cwd, path)).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return byName.sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}
