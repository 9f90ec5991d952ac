/** A timer that fires once after too long a silence. */
interface Watchdog {
  /** Restarts the silence, because something arrived. Cheap enough for every token. */
  readonly feed: () => void;
  /** Stops the timer until the next `feed`. */
  readonly rest: () => void;
  /** True if it has fired. */
  readonly barked: () => boolean;
  /** Stops the timer permanently. */
  readonly stop: () => void;
}

/** `patienceMs` is called at every check, since the limit changes during a reply. */
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

  // Checks on expiry whether `feed` was called in the meantime, so most tokens set no timer.
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
