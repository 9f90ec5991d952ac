import { performance } from 'node:perf_hooks';

/**
 * Runs `work` and says for how long the event loop stood still at most, in milliseconds: a timer that is due all the
 * time notes the gaps between its calls. `cpuMs` is the processor time of this thread in the longest gap: on a
 * machine with other work, a gap is also what others took.
 */
export async function longestBlock(work) {
  let [wallMs, cpuMs] = [0, 0];
  let last = performance.now();
  let lastCpu = process.threadCpuUsage();
  let isRunning = true;
  const probe = () => {
    const now = performance.now();
    const cpu = process.threadCpuUsage();
    wallMs = Math.max(wallMs, now - last);
    cpuMs = Math.max(cpuMs, (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1000);
    [last, lastCpu] = [now, cpu];
    if (isRunning) setImmediate(probe);
  };
  setImmediate(probe);
  const started = performance.now();
  const result = await work();
  const tookMs = performance.now() - started;
  isRunning = false;
  probe();
  return { result, wallMs, cpuMs, tookMs };
}
