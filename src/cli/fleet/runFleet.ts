/** Runs tasks, several at a time; those in the same folder one after the other. */
import { randomUUID } from 'node:crypto';
import { EXIT } from '../../headless/exitCodes.ts';
import type { ResultFolder, TaskResult, TaskStatus } from './results.ts';
import type { RunResult, Try } from './runTask.ts';
import type { Task } from './tasks.ts';

interface FleetPorts {
  /** Runs one try. Never rejects. */
  readonly run: (task: Task, sessionId: string) => Promise<Try>;
  readonly results: Pick<ResultFolder, 'add' | 'addLog' | 'addSession'>;
  /** The root of the project that a folder belongs to, links resolved; throws if there is no such folder. */
  readonly rootOf: (cwd: string) => string;
  /** `stderr`: the standard error of the last try. */
  readonly report: (result: TaskResult, stderr: string) => void;
  readonly jobs: number;
  readonly retries: number;
  /** Starts no more tasks; the running ones have no result. */
  readonly signal: AbortSignal;
}

/** The results of the tasks that have ended. Rejects if a result cannot be stored. */
export async function runFleet(tasks: readonly Task[], ports: FleetPorts): Promise<readonly TaskResult[]> {
  const waiting = [...tasks];
  const busy = new Set<string>();
  const done: TaskResult[] = [];
  let wake: (() => void)[] = [];
  const worker = async (): Promise<void> => {
    while (waiting.length > 0 && !ports.signal.aborted) {
      const next = waiting.findIndex(({ cwd }) => !busy.has(cwd));
      const [task] = next === -1 ? [] : waiting.splice(next, 1);
      if (task === undefined) {
        await new Promise<void>((resolve) => wake.push(resolve));
        continue;
      }
      busy.add(task.cwd);
      try {
        const ended = await resultOf(task, ports);
        if (ended === undefined) continue;
        const { result, stderr } = ended;
        await ports.results.add(result);
        done.push(result);
        ports.report(result, stderr);
      } finally {
        busy.delete(task.cwd);
        for (const resolve of wake) resolve();
        wake = [];
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(ports.jobs, tasks.length) }, worker));
  return done;
}

/** Exit codes after which another try would end in the same way. */
const final: ReadonlySet<number | null> = new Set<number | null>([
  EXIT.ok,
  EXIT.noAccess,
  EXIT.badInput,
  EXIT.badSettings,
  EXIT.turnLimit,
]);

/** Undefined if the fleet was stopped before there was a result. */
async function resultOf(
  task: Task,
  ports: FleetPorts,
): Promise<{ readonly result: TaskResult; readonly stderr: string } | undefined> {
  const { id, cwd } = task;
  let [durationMs, costUsd] = [0, 0 as number | null];
  for (let tries = 1; ; tries++) {
    const sessionId = randomUUID();
    const root = rootIn(cwd, ports);
    const one = root === undefined ? noFolder(cwd) : await ports.run(task, sessionId);
    durationMs += one.durationMs;
    costUsd = sum(costUsd, one.result);
    if (one.end === 'stopped') return undefined;
    const mayTryAgain = root !== undefined && !final.has(one.exitCode) && tries <= ports.retries;
    if (mayTryAgain && !ports.signal.aborted) continue;
    await ports.results.addLog(id, one.stderr);
    const result: TaskResult = {
      ...{ id, cwd, status: statusOf(one), exit_code: one.exitCode, tries, duration_ms: durationMs },
      ...{ cost_usd: costUsd, session_id: sessionId },
      session: root === undefined ? null : await ports.results.addSession(id, { root, sessionId }),
      result: one.result ?? null,
    };
    return { result, stderr: one.stderr };
  }
}

function statusOf({ end, exitCode }: Try): TaskStatus {
  if (end === 'timed_out') return 'timed_out';
  return exitCode === EXIT.ok ? 'done' : 'failed';
}

function rootIn(cwd: string, { rootOf }: FleetPorts): string | undefined {
  try {
    return rootOf(cwd);
  } catch {
    return undefined;
  }
}

function noFolder(cwd: string): Try {
  const stderr = `there is no folder ${cwd}\n`;
  return { exitCode: EXIT.badInput, end: 'exited', durationMs: 0, result: undefined, stderr };
}

function sum(before: number | null, result: RunResult | undefined): number | null {
  const cost = result?.total_cost_usd;
  return before === null || cost === undefined || cost === null ? null : before + cost;
}
