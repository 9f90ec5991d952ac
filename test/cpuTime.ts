/** Milliseconds of processor time that `work` takes at best: what else the machine is doing does not count. */
export function cpuMs(work: () => unknown, times = 5): number {
  const spent = Array.from({ length: times }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...spent);
}

/** Starts to count: the milliseconds of processor time that this process has taken since. */
export function cpuClock(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}
