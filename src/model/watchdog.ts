/** A timer that fires once after too long a silence. */
export interface Watchdog {
  /** Something arrived: the silence begins anew. Cheap enough for every token. */
  readonly feed: () => void;
  /** Stops the timer until the next `feed`. */
  readonly rest: () => void;
  /** Has it fired? */
  readonly barked: () => boolean;
  /** Ends the timer for good. */
  readonly stop: () => void;
}

/** `patienceMs` is asked at every check, since patience changes as a reply goes on. */
export function createWatchdog(onSilence: () => void, patienceMs: () => number): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let fedAt: number | undefined;
  let barked = false;
  let stopped = false;

  function wake(at: number): void {
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(check, Math.max(0, at - performance.now()));
  }

  // The timer looks when it is due whether the silence began anew, so that most tokens set none.
  function check(): void {
    dueAt = Number.POSITIVE_INFINITY;
    if (fedAt === undefined) return;
    const deadline = fedAt + patienceMs();
    if (deadline > performance.now()) {
      wake(deadline);
      return;
    }
    barked = true;
    onSilence();
  }

  return {
    barked: () => barked,
    rest() {
      fedAt = undefined;
    },
    feed() {
      if (stopped) return;
      fedAt = performance.now();
      const deadline = fedAt + patienceMs();
      if (deadline < dueAt) wake(deadline);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
