import { setImmediate } from 'node:timers/promises';

/** Half a frame: the screen and the keys have their turn between two slices. */
const SLICE_MS = 5;

/** Long work as a generator that yields now and then, run in slices so that nothing else waits for it. */
export async function runInSlices<T>(work: Generator<void, T>): Promise<T> {
  let started = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - started < SLICE_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** The same at once, for short logs and where everything was looked at before. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
  }
}
