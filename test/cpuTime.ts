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
