/**
 * One change of a file at a time: changes of this process wait in a queue, and those of other processes for a lock. The
 * queues belong to the process, because every part of it that changes a file must meet the others.
 */
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { tryFileLock } from './fileLock.ts';

const queues = new Map<string, Promise<unknown>>();

/** A change takes milliseconds; only a stopped process holds the lock for longer. */
const PATIENCE_MS = 10_000;

/**
 * Runs `work` when no other change of the file is running. `isShared`: other processes change it, too, and its folder may
 * have a folder for locks. Rejects if another process does not finish.
 */
export async function inTurn<T>(
  file: string,
  { isShared }: { readonly isShared: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const key = resolve(file);
  const mine = (queues.get(key) ?? Promise.resolve()).then(async () => {
    const release = isShared ? await lock(key) : undefined;
    try {
      return await work();
    } finally {
      release?.();
    }
  });
  const settled = mine.catch(() => undefined);
  queues.set(key, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(key) === settled) queues.delete(key);
  }
}

async function lock(file: string): Promise<() => void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const taken = tryFileLock(join(dirname(file), 'locks', `${basename(file)}.lock`));
    if (taken.type === 'taken') return taken.release;
    // Where nothing can be locked, the last one to write wins.
    if (taken.type === 'impossible') return () => {};
    if (performance.now() > deadline) throw new Error(`${file} is being changed by another process`);
    await wait(2 + 8 * Math.random());
  }
}
