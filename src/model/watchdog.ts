/** A timer that fires once after too long a silence. */
export interface Watchdog {
  /** Something arrived: the silence begins anew. */
  readonly feed: () => void;
  /** Stops the timer until the next `feed`. */
  readonly rest: () => void;
  /** Has it fired? */
  readonly barked: () => boolean;
}

/** `patienceMs` is asked at every `feed`, since patience changes as a reply goes on. */
export function createWatchdog(onSilence: () => void, patienceMs: () => number): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let barked = false;
  const rest = () => clearTimeout(timer);
  return {
    rest,
    barked: () => barked,
    feed() {
      rest();
      timer = setTimeout(() => {
        barked = true;
        onSilence();
      }, patienceMs());
    },
  };
}
