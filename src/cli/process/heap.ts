/**
 * Keeps the process small while it works. Every step of a long run makes a few times its request's size of garbage,
 * and V8 rather lets a heap grow tenfold than collect it: 300 steps took 230 MB for 25 MB that were in use, and a
 * session of 150 turns in a terminal as much.
 */
/** The start allocates as it likes, which is quicker; by then it is over. Measured: 15–50 ms of CPU. */
const AFTER_MS = 300;

/**
 * The young generation stays as large as it is, the old one grows to at most twice of what is in use. V8 reads both
 * whenever it decides about growing, so they may be set at any time. Together they halve the memory of a long run,
 * for up to 5 % more CPU in a burst of text; the bench of 300 steps and the soak watch.
 */
const FLAGS = [
  ['--semi-space-growth-factor=1', '--semi-space-growth-factor=2'],
  ['--heap-growing-percent=100', '--heap-growing-percent=0'],
  // V8 would wake an idle program every eight seconds to ask itself whether a collection is worth it, for minutes.
  ['--memory-reducer-gc-count=0', '--memory-reducer-gc-count=2'],
] as const;

/**
 * Optimising the shell's grammar, which V8 does after some twenty commands, takes 500 MB for a second (620 MB at the peak
 * instead of 130); a command is read in half a millisecond either way. It counts for what is loaded from then on.
 */
const GRAMMAR_FLAGS = [
  ['--no-wasm-tier-up', '--wasm-tier-up'],
  ['--no-wasm-dynamic-tiering', '--wasm-dynamic-tiering'],
] as const;

/** Changes settings of V8, each given as it is wanted and as V8 has it by itself. */
export type SetFlags = (flags: readonly (readonly [wanted: string, usual: string])[]) => void;

/**
 * From a moment after the start on; keeps no process from ending. Without a screen, which is laid out by optimised code,
 * the first command may come sooner.
 */
export function keepHeapSmall(setFlags: SetFlags, hasScreen: boolean): void {
  if (!hasScreen) setFlags(GRAMMAR_FLAGS);
  setTimeout(() => setFlags([...FLAGS, ...GRAMMAR_FLAGS]), AFTER_MS).unref();
}
