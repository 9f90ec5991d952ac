import { setImmediate } from 'node:timers/promises';

/** Milliseconds of work between two yields, about half a frame. */
const SLICE_MS = 5;

/** Runs a generator that yields regularly in slices, so that it does not block the event loop. */
export async function runInSlices<T>(work: Generator<void, T>): Promise<T> {
  let started = performance.now();
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
    if (performance.now() - started < SLICE_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}

/** Runs it without pauses, for short logs and cached facts. */
export function runAtOnce<T>(work: Generator<void, T>): T {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return step.value;
  }
}
