/**
 * Limits the memory of the running process. Every step of a long run produces garbage of several times its request's
 * size, and V8 prefers growing the heap tenfold over collecting it: 300 steps took 230 MB for 25 MB in use, and a
 * session of 150 turns in a terminal took as much.
 */
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
 * loaded afterwards.
 */
const GRAMMAR_FLAGS = [
  ['--no-wasm-tier-up', '--wasm-tier-up'],
  ['--no-wasm-dynamic-tiering', '--wasm-dynamic-tiering'],
] as const;

/** Changes V8 flags; each is given in its wanted and its default form. */
export type SetFlags = (flags: readonly (readonly [wanted: string, usual: string])[]) => void;

/**
 * Sets the flags shortly after the start; does not keep the process alive. In headless runs the first command may come
 * sooner, so the grammar flags are set at once; with a screen that would slow down its layout.
 */
export function limitHeap(setFlags: SetFlags, hasScreen: boolean): void {
  if (!hasScreen) setFlags(GRAMMAR_FLAGS);
  setTimeout(() => setFlags([...FLAGS, ...GRAMMAR_FLAGS]), AFTER_MS).unref();
}
