/**
 * Virtual time of a work trace. It advances when the worker says so. It also advances while a call into the engine is
 * blocked on a summary: time then jumps to the moment the summary arrives, and the jump is counted as the user's wait.
 */
import { setImmediate as turn } from 'node:timers/promises';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class WorkClock {
  /** Since the trace began. */
  minute = 0;
  /** Length of each wait in seconds, in order. */
  readonly waits: number[] = [];
  #sleepers: Sleeper[] = [];

  /** Resolves when that many seconds have passed, or at once on abort. */
  sleep(seconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper = { at: this.minute + seconds / 60, wake: resolve };
      const stop = (): void => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        resolve();
      };
      if (signal.aborted) return resolve();
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** Lets time go by; whatever wakes up meanwhile is allowed to finish. */
  async pass(minutes: number): Promise<void> {
    const end = this.minute + minutes;
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next())
      await this.#wake(next);
    this.minute = end;
  }

  /** Lets the user wait that long. */
  async wait(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    this.waits.push(seconds);
    await this.pass(seconds / 60);
  }

  /** Resolves with `work`; while it is blocked on a sleeper, time advances. */
  async run<T>(work: Promise<T>): Promise<T> {
    const started = this.minute;
    let isDone = false;
    const done = (): void => {
      isDone = true;
    };
    work.then(done, done);
    while (!isDone) {
      const next = this.#next();
      if (next === undefined) await turn();
      else if ((await quiet(() => isDone)) && this.#sleepers.includes(next)) await this.#wake(next);
    }
    if (this.minute > started) this.waits.push((this.minute - started) * 60);
    return work;
  }

  #next(): Sleeper | undefined {
    return this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
  }

  async #wake(sleeper: Sleeper): Promise<void> {
    this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
    this.minute = Math.max(this.minute, sleeper.at);
    sleeper.wake();
    await quiet(() => false);
  }
}

/** So many idle turns of the event loop mean that nothing will happen by itself. */
const QUIET_TURNS = 8;
/** Resources that live as long as the process, and timers: neither is work in progress. */
const LASTING = /Wrap$|^MessagePort$|^Timeout$|^Worker$/;

/** Resolves with true once the process is idle (no file is being read or written), with false once `isDone` is. */
async function quiet(isDone: () => boolean): Promise<boolean> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await turn();
    if (isDone()) return false;
    if (process.getActiveResourcesInfo().some((name) => !LASTING.test(name))) turns = 0;
  }
  return true;
}
