/** Runs long work in steps so that the thread can do something else in between. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds at a time: less than a frame. */
const SLICE_MS = 6;

/** Work that can be interrupted at each `yield`. */
export type Steps<T> = Generator<undefined, T>;

/** Does all of it now. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does it without keeping this thread busy throughout. */
export async function inSlices<T>(steps: Steps<T>): Promise<T> {
  for (let until = performance.now() + SLICE_MS; ; ) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  }
}

/** For work that awaits other things, too: call it after each part of the work. */
export function createRest(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await setImmediate();
    until = performance.now() + SLICE_MS;
  };
}
