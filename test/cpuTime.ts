/** The least processor time of `work` in milliseconds, so that other load on the machine does not matter. */
export function cpuMs(work: () => unknown, times = 5): number {
  const spent = Array.from({ length: times }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...spent);
}

/** Starts a clock that returns the milliseconds of processor time that this process has used since. */
export function cpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/**
 * Compares the processor time for 300,000 characters of `part` with the time for ten texts of a tenth of it: about 1 if the time
 * grows with the length, about 10 if it grows with its square. The least of up to five ratios: the compiler, the garbage
 * collector and a busy machine disturb one of them, while work that grows with the square shows it in each.
 */
export function growth(work: (text: string) => unknown, part: string): number {
  const [short = '', long = ''] = [30_000, 300_000].map((length) =>
    part.repeat(Math.ceil(length / part.length)),
  );
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 5 && least > 2; attempt++) {
    const tenShort = (): void => {
      for (let times = 0; times < 10; times++) work(short);
    };
    least = Math.min(least, averageMs(() => work(long)) / averageMs(tenShort));
  }
  return least;
}

/** Average processor time of `work`, repeated until it took 20 ms in all, far above the resolution of the processor's clock. */
function averageMs(work: () => unknown): number {
  const spent = cpuClock();
  let times = 0;
  do {
    work();
    times++;
  } while (spent() < 20);
  return spent() / times;
}
