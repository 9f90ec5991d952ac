/** Aborts a call without activity for too long; time in which its server waits for the user is not counted. */
interface IdleTimer {
  readonly signal: AbortSignal;
  /** Call on activity of the server. */
  reset(): void;
  /** Stops the time until the returned function is called. */
  hold(): () => void;
  stop(): void;
}

export function createIdleTimer(limitMs: number): IdleTimer {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let held = 0;
  const reset = (): void => {
    clearTimeout(timer);
    if (held === 0) timer = setTimeout(() => abort.abort(), limitMs);
  };
  reset();
  return {
    signal: abort.signal,
    reset,
    hold() {
      held++;
      clearTimeout(timer);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        held--;
        reset();
      };
    },
    stop() {
      held = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
