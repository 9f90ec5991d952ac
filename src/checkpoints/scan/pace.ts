import { setImmediate } from 'node:timers/promises';

/** Less than half a frame, so that what is drawn beside a scan is drawn in time. */
const SLICE_MS = 6;

/** Lets others run whenever a long loop has had its share. */
export interface Pace {
  /** True when `breathe` should be awaited now; cheap enough to ask for every file. */
  readonly isDue: () => boolean;
  readonly breathe: () => Promise<void>;
}

export function createPace(): Pace {
  let sliceEndsAt = performance.now() + SLICE_MS;
  return {
    isDue: () => performance.now() >= sliceEndsAt,
    breathe: async () => {
      await setImmediate();
      sliceEndsAt = performance.now() + SLICE_MS;
    },
  };
}
