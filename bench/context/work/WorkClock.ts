/**
 * The time of a work trace. It passes when the worker says so, and while something that it waits for can only go on
 * with a summary: then it jumps to when that summary is there, and the jump is what a user would have waited.
 */
import { setImmediate as turn } from 'node:timers/promises';

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

export class WorkClock {
  /** Since the trace began. */
  minute = 0;
  /** Seconds of each wait, in order. */
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

  /** Lets time go by; who wakes meanwhile finishes what it woke for. */
  async pass(minutes: number): Promise<void> {
    const end = this.minute + minutes;
    for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next())
      await this.#wake(next);
    this.minute = end;
  }

  /** The user waits. */
  async wait(seconds: number): Promise<void> {
    if (seconds <= 0) return;
    this.waits.push(seconds);
    await this.pass(seconds / 60);
  }

  /** Resolves with `work`; as long as that stands still for want of a summary, time passes. */
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

/** Turns of the event loop without anything to do, after which nothing goes on by itself. */
const QUIET_TURNS = 8;
/** What is there for as long as the process is, and what only a clock ends. */
const LASTING = /Wrap$|^MessagePort$|^Timeout$|^Worker$/;

/** True when nothing happens any more: no file is read or written. False as soon as `isDone` says so. */
async function quiet(isDone: () => boolean): Promise<boolean> {
  for (let turns = 0; turns < QUIET_TURNS; turns++) {
    await turn();
    if (isDone()) return false;
    if (process.getActiveResourcesInfo().some((name) => !LASTING.test(name))) turns = 0;
  }
  return true;
}
