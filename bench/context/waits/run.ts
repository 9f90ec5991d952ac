/**
 * `npm run bench:waits`: how long a user would wait, for each latency and outcome of a summary; time is virtual
 * for the models and real for the engine. `-- --real` does one run by the machine's own clock instead: a
 * summary that takes 60 seconds beside steps of two.
 */
import { parseArgs } from 'node:util';
import type { Clock } from '../../../src/agent/reply.ts';
import { latenciesMs, outcomeNames } from './summaries.ts';
import { runTask, stepsFor, type TaskResult } from './task.ts';
import { VirtualTime } from './VirtualTime.ts';

/** The machine's own clock: to let time pass is to wait. */
class RealTime implements Clock {
  readonly now = Date.now;
  readonly random = Math.random;

  pass(ms: number): Promise<void> {
    return this.sleep(ms, new AbortController().signal);
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      const stop = (): void => {
        clearTimeout(timer);
        resolve();
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });
  }
}

const { values } = parseArgs({ options: { real: { type: 'boolean', default: false } } });
if (values.real) await oneRealRun();
else await allCombinations();

async function allCombinations(): Promise<void> {
  // The first task pays for loading and compiling the code; a user pays for that at the start.
  const warmUp = { latencyMs: 0, prompts: 2, steps: 20, stepMs: 1000 };
  await runTask({ ...warmUp, outcome: 'ok', strategy: 'summary', clock: new VirtualTime() });
  print([
    'summary after',
    'outcome',
    'longest, ms',
    'of it CPU',
    'end of step',
    'summaries',
    'failed',
    'turns',
  ]);
  let [longest, longestCpu, finished, all] = [0, 0, 0, 0];
  for (const latencyMs of latenciesMs) {
    for (const outcome of outcomeNames) {
      const clock = new VirtualTime();
      const steps = stepsFor({ latencyMs, outcome });
      const result = await runTask({ latencyMs, outcome, strategy: 'summary', prompts: 2, ...steps, clock });
      print([`${latencyMs / 1000} s`, outcome, ...figures(result)]);
      longest = Math.max(longest, result.longestBuildMs);
      longestCpu = Math.max(longestCpu, result.longestBuildCpuMs);
      all++;
      if (result.ended.every((one) => one === 'done') && result.problems.length === 0) finished++;
    }
  }
  const waits = `longest wait for a request ${longest.toFixed(1)} ms, ${longestCpu.toFixed(1)} ms of it CPU`;
  console.log(`\n${finished} of ${all} tasks finished; ${waits}.`);
}

async function oneRealRun(): Promise<void> {
  const started = performance.now();
  const steps = { prompts: 3, steps: 20, stepMs: 2000 };
  const result = await runTask({
    latencyMs: 60_000,
    outcome: 'ok',
    strategy: 'summary',
    ...steps,
    clock: new RealTime(),
  });
  print([
    'summary after',
    'outcome',
    'longest, ms',
    'of it CPU',
    'end of step',
    'summaries',
    'failed',
    'turns',
    'room',
  ]);
  print(['60 s', 'ok', ...figures(result), result.reductions.join(', ')]);
  console.log(`\n${result.builds} requests in ${Math.round((performance.now() - started) / 1000)} s.`);
}

function figures(result: TaskResult): string[] {
  const { longestBuildMs, longestBuildCpuMs, longestMaintainMs, summariesAsked, summariesFailed } = result;
  const times = [longestBuildMs, longestBuildCpuMs, longestMaintainMs].map((ms) => ms.toFixed(1));
  const turns = result.ended.join(' ').replaceAll(/(\w+)(?: \1)+/g, '$1');
  return [...times, String(summariesAsked), String(summariesFailed), turns];
}

function print(cells: readonly string[]): void {
  const widths = [14, 22, 12, 10, 12, 10, 7, 6, 0];
  console.log(cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' '));
}
