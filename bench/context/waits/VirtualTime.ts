import type { Clock } from '../../../src/agent/reply.ts';

/** Time that passes only when it is told to; whoever sleeps wakes in the order of time. */
export class VirtualTime implements Clock {
  #now = Date.now();
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly now = (): number => this.#now;

  random(): number {
    return 0.5;
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      const stop = (): void => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        resolve();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** Lets `ms` pass, and everybody who wakes meanwhile do what they woke for. */
  async pass(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined || next.at > end) break;
      this.#sleepers = this.#sleepers.filter((one) => one !== next);
      this.#now = next.at;
      next.wake();
    }
    this.#now = end;
    await settle();
  }
}

/** A few turns of the event loop: promises that follow on each other, and the disk. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}
