export interface Breather {
  /** The event loop was not let go of for a while. */
  isDue(): boolean;
  /** Lets it go: input is read and timers run before this resolves. */
  breathe(): Promise<void>;
}

/**
 * For loops over what may all be there already. Awaiting what has come is not letting go: a stream that the network
 * has delivered is read to its end before a key is looked at, unless its reader pauses. `everyMs` is half a frame.
 */
export function createBreather(everyMs = 8): Breather {
  let last = performance.now();
  return {
    isDue: () => performance.now() - last >= everyMs,
    async breathe() {
      await new Promise((done) => setImmediate(done));
      last = performance.now();
    },
  };
}
