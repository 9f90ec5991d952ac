/** Lets what comes in wait for what is still being looked up, so that everything takes effect in the order it was typed. */
export interface Turns {
  /** Acts at once, or when what came before is done. Whoever returns a promise is waited for; it must not reject. */
  take(act: () => void | Promise<void>): void;
}

export function createTurns(): Turns {
  let last: Promise<void> | undefined;
  const enqueue = (work: Promise<void>): void => {
    last = work;
    void work.then(() => {
      if (last === work) last = undefined;
    });
  };
  return {
    take(act) {
      const done = last === undefined ? act() : last.then(act);
      if (done !== undefined) enqueue(done);
    },
  };
}
