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
