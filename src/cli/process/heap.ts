/**
 * Limits the memory of the running process. Every step of a long run produces garbage of several times its request's
 * size, and V8 prefers growing the heap tenfold over collecting it: 300 steps took 230 MB for 25 MB in use, and a
 * session of 150 turns in a terminal took as much.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';

/**
 * Milliseconds after which the start is over; limiting the heap during the start would slow it down (measured: 15–50 ms
 * of CPU).
 */
const AFTER_MS = 300;

/**
 * Keeps the young generation at its size and lets the old one grow to at most twice the memory in use. V8 reads both
 * flags whenever it decides about growing, so they may be set at any time. Together they halve the memory of a long
 * run, for up to 5 % more CPU in a burst of text; checked by the benchmark of 300 steps and the soak test.
 */
const FLAGS = [
  ['--semi-space-growth-factor=1', '--semi-space-growth-factor=2'],
  ['--heap-growing-percent=100', '--heap-growing-percent=0'],
  // Otherwise V8 wakes an idle program every eight seconds, for minutes, to check whether a collection is worthwhile.
  ['--memory-reducer-gc-count=0', '--memory-reducer-gc-count=2'],
] as const;

/**
 * Keeps V8 from optimizing the shell grammar, which it does after some twenty commands and which takes 500 MB for a
 * second (a peak of 620 MB instead of 130). Parsing a command takes half a millisecond either way. Affects only code
 * loaded afterwards, so the thread that loads the grammar sets them too (`cli/permissionThread/worker.ts`).
 */
export const GRAMMAR_FLAGS = [
  ['--no-wasm-tier-up', '--wasm-tier-up'],
  ['--no-wasm-dynamic-tiering', '--wasm-dynamic-tiering'],
] as const;

/**
 * Changes V8 flags: sets those that are given, each in its wanted and its default form, and restores the default of
 * those that were given before.
 */
export type SetFlags = (flags: Flags) => void;
type Flags = readonly (readonly [wanted: string, usual: string])[];

/**
 * Sets the flags shortly after the start, and those for the grammar once a thread runs; does not keep the process
 * alive. While the first thread starts, all flags have their defaults: under others V8 rejects the compiled code that
 * Node has of its own modules, and the thread takes twice the CPU.
 */
export function limitHeap(setFlags: SetFlags): void {
  const limit = (flags: Flags): NodeJS.Timeout => setTimeout(() => setFlags(flags), AFTER_MS).unref();
  const start = limit(FLAGS);
  const onThread = (message: unknown): void => {
    unsubscribe('worker_threads', onThread);
    clearTimeout(start);
    setFlags([]);
    const { worker } = message as { readonly worker: Worker };
    worker.once('online', () => setFlags(GRAMMAR_FLAGS));
    for (const event of ['online', 'exit']) worker.once(event, () => limit([...FLAGS, ...GRAMMAR_FLAGS]));
  };
  subscribe('worker_threads', onThread);
}
