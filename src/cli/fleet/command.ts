/** `clawdcode fleet run`: runs many headless tasks in parallel on this machine. Loaded only when used. */

import { statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { isInside, realpath } from '../../disk/paths.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { formatCost } from '../../ui/print/numbers.ts';
import { truncate } from '../../ui/print/width.ts';
import { type AppPaths, readAppPaths } from '../process/appPaths.ts';
import { jsonLine, type Output, parseSubcommand, standardOutput } from '../sessionCommand/output.ts';
import { createFleetProgram, type FleetFlags } from './program.ts';
import { openResultFolder, type TaskResult } from './results.ts';
import { runFleet } from './runFleet.ts';
import { runTask } from './runTask.ts';
import { readTasks, shardTasks, type Task, TaskListError, tasksFor } from './tasks.ts';

/** Flags that the fleet sets itself. */
const ownFlags = /^(?:-p|--print|--(?:output-format|input-format|session-id|resume|continue)(?:=.*)?|-[rc])$/;
/** More characters than fit on a line of any screen. */
const MAX_ANSWER = 500;
const MAX_TASKS_BYTES = 64 * 2 ** 20;

/** `argv`: the arguments after `fleet`; those after `--` are for each run. Returns the exit code. */
export async function fleetCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  const cut = argv.indexOf('--');
  const [own, flags] = cut === -1 ? [argv, []] : [argv.slice(0, cut), argv.slice(cut + 1)];
  let code: number = EXIT.ok;
  const program = createFleetProgram(async (folders, given) => {
    try {
      code = await run(place, output, given, { folders, flags });
    } catch (error) {
      if (!(error instanceof TaskListError)) throw error;
      output.say(`${error.message}.`);
      code = EXIT.badInput;
    }
  });
  return (await parseSubcommand(program, own.length === 0 ? ['--help'] : own, output)) ?? code;
}

interface Words {
  readonly folders: readonly string[];
  readonly flags: readonly string[];
}

async function run(place: AppPaths, output: Output, given: FleetFlags, words: Words): Promise<number> {
  const refused = words.flags.find((flag) => ownFlags.test(flag));
  if (refused !== undefined) throw new TaskListError(`${refused} cannot be given to each run`);
  const all = await tasksOf(place.cwd, given, words.folders);
  const { dataRoot } = place;
  const out = resolve(place.cwd, given.out);
  refuseInProjects(out, all);
  const results = await openResultFolder(out, dataRoot);
  const tasks = all.filter(({ id }) => {
    const status = results.known.get(id);
    return status === undefined || (status !== 'done' && given.retryFailed === true);
  });
  const skipped = all.length - tasks.length;
  if (skipped > 0) output.hint(`${skipped} of ${all.length} tasks already have a result.`);
  const stopping = stopOnSignals();
  if (output.isTerminal && tasks.length > 0)
    output.hint(
      `${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}, ${Math.min(given.jobs, tasks.length)} at a time. Ctrl+C stops them; the same command continues.`,
    );
  let count = 0;
  const ended = await runFleet(tasks, {
    run: (task, sessionId) =>
      runTask(withLimits(task, given), {
        ...{ sessionId, flags: words.flags, signal: stopping.signal, env: { ...place.env } },
        program: [process.execPath, join(place.packageRoot, 'bin/clawdcode.js')],
        timeoutMs: (task.timeoutSeconds ?? given.timeout) * 1000,
      }),
    results,
    rootOf,
    report(result, stderr) {
      if (!output.isTerminal) void output.write(jsonLine(result));
      output.hint(`[${++count}/${tasks.length}] ${progressOf(result)}${whyFailed(result, stderr)}`);
      if (output.isTerminal) void output.write(answerLine(result, output.width));
    },
    jobs: given.jobs,
    retries: given.retries,
    signal: stopping.signal,
  });
  stopping.end();
  output.hint(summaryOf(ended, tasks.length - ended.length));
  if (output.isTerminal) output.hint(`Results, sessions and logs: ${given.out}`);
  if (stopping.code() !== undefined) return stopping.code() ?? EXIT.interrupted;
  const now = new Map([...results.known, ...ended.map(({ id, status }) => [id, status] as const)]);
  return all.every(({ id }) => now.get(id) === 'done') ? EXIT.ok : EXIT.failed;
}

/** The root of the project that a folder belongs to, links resolved; throws if there is no such folder. */
function rootOf(cwd: string): string {
  if (!statSync(cwd).isDirectory()) throw new TaskListError(`${cwd} is not a folder`);
  return readAppPaths(cwd).root;
}

/**
 * Throws a `TaskListError` if the output folder is inside a project that tasks work in: a repository could contain
 * results, so that a task is skipped, and a task could change the results of others.
 */
function refuseInProjects(out: string, tasks: readonly Task[]): void {
  const real = realpath(out);
  for (const cwd of new Set(tasks.map((task) => task.cwd))) {
    // A task in a folder that does not exist fails later.
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const root = rootOf(cwd);
    if (isInside(real, root))
      throw new TaskListError(
        `--out ${out} is inside ${root}, where tasks work: results in it could be the project's. Choose a folder outside`,
      );
  }
}

async function tasksOf(cwd: string, given: FleetFlags, folders: readonly string[]): Promise<readonly Task[]> {
  const tasks = await allTasks(cwd, given, folders);
  return given.shard === undefined ? tasks : shardTasks(tasks, given.shard);
}

async function allTasks(
  cwd: string,
  { tasks: file, prompt }: FleetFlags,
  folders: readonly string[],
): Promise<readonly Task[]> {
  if (file === undefined) {
    if (prompt === undefined) throw new TaskListError('give --tasks <file>, or --prompt <text> and folders');
    return tasksFor(prompt, folders, cwd);
  }
  if (prompt !== undefined || folders.length > 0)
    throw new TaskListError('--tasks has its own prompts and folders: leave out --prompt and folders');
  const path = resolve(cwd, file);
  try {
    if ((await stat(path)).size > MAX_TASKS_BYTES) throw new TaskListError('is larger than 64 MB');
    return readTasks(await readFile(path, 'utf8'), dirname(path));
  } catch (error) {
    throw new TaskListError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The task's own limits override those of the command line. */
function withLimits(task: Task, { maxTurns, maxBudgetUsd }: FleetFlags): Task {
  return { ...task, maxTurns: task.maxTurns ?? maxTurns, maxBudgetUsd: task.maxBudgetUsd ?? maxBudgetUsd };
}

/** The first SIGINT, SIGTERM or SIGHUP ends the children; `code` is the exit code then. */
function stopOnSignals(): {
  readonly signal: AbortSignal;
  readonly code: () => number | undefined;
  readonly end: () => void;
} {
  const stop = new AbortController();
  let code: number | undefined;
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (name: NodeJS.Signals): void => {
    code ??= 128 + constants.signals[name];
    stop.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: stop.signal,
    code: () => code,
    end: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

function progressOf({ id, status, duration_ms, cost_usd, tries }: TaskResult): string {
  const cost = cost_usd === null || cost_usd === 0 ? [] : [formatCost(cost_usd)];
  const more = tries > 1 ? [`${tries} tries`] : [];
  const words = [status.replace('_', ' '), `${Math.round(duration_ms / 1000)} s`, ...cost, ...more];
  return `${id}: ${words.join(' · ')}`;
}

const failureSchema = z.object({ errors: z.array(z.string()) });

/** The reason in a failed task's result, or the last line of what it printed to standard error. */
function whyFailed({ status, result }: TaskResult, stderr: string): string {
  const reason = failureSchema.safeParse(result).data?.errors[0] ?? stderr;
  const last = status === 'failed' ? reason.trimEnd().split('\n').at(-1) : undefined;
  return last === undefined || last === ''
    ? ''
    : `: ${visibleLine(last.replace(/^clawdcode: /, ''), MAX_ANSWER)}`;
}

const answerSchema = z.object({ result: z.string() });

/** The beginning of the answer; empty if the run has none. The full answer is in the result folder. */
function answerLine({ result }: TaskResult, width: number): string {
  const answer = visibleLine(answerSchema.safeParse(result).data?.result ?? '', MAX_ANSWER);
  return answer === '' ? '' : `  ${truncate(answer, width - 2)}\n`;
}

function summaryOf(results: readonly TaskResult[], missing: number): string {
  const count = (status: TaskResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const costs = results.map(({ cost_usd }) => cost_usd);
  const cost = costs.every((one) => one !== null)
    ? costs.reduce((total, one) => total + (one ?? 0), 0)
    : undefined;
  return [
    `${count('done')} done`,
    `${count('failed')} failed`,
    `${count('timed_out')} timed out`,
    ...(missing > 0 ? [`${missing} not run`] : []),
    ...(cost === undefined || cost === 0 ? [] : [formatCost(cost)]),
  ].join(' · ');
}
