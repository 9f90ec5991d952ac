/** Lets `vi.waitFor` and `vi.waitUntil` wait long enough on a busy machine: by default they give up after a second. */
import { vi } from 'vitest';

/** Only a condition that never becomes true takes this many milliseconds. */
export const PATIENCE_MS = 60_000;

type Options = Parameters<typeof vi.waitFor>[1];

function patient(options: Options = {}): Options {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return { ...given, timeout: Math.max(given.timeout ?? 0, PATIENCE_MS) };
}

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
