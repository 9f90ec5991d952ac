import { expect, test } from 'vitest';
import type { TaskResult } from '../../../src/cli/fleet/results.ts';
import { runFleet } from '../../../src/cli/fleet/runFleet.ts';
import type { Try } from '../../../src/cli/fleet/runTask.ts';
import { type Task, tasksFor } from '../../../src/cli/fleet/tasks.ts';

type FleetPorts = Parameters<typeof runFleet>[1];

const ok: Try = { exitCode: 0, end: 'exited', durationMs: 5, stderr: '', result: undefined };
const result = { type: 'result', is_error: false, total_cost_usd: 0.5 } as const;

function setUp(run: (task: Task) => Try | Promise<Try>, more: Partial<FleetPorts> = {}) {
  const stored: TaskResult[] = [];
  const logs: string[] = [];
  const ports: FleetPorts = {
    run: async (task) => run(task),
    results: {
      add: async (one) => void stored.push(one),
      addLog: async (id, text) => void logs.push(`${id}: ${text}`),
      addSession: async (id) => `sessions/${id}.jsonl`,
    },
    rootOf: (cwd) => cwd,
    report: () => undefined,
    ...{ jobs: 4, retries: 0, signal: new AbortController().signal },
    ...more,
  };
  return { ports, stored, logs };
}
const tasks = (...folders: string[]): Task[] => tasksFor('p', folders, '/');
const numbered = (cwd: string, count: number): Task[] =>
  Array.from({ length: count }, (_, index) => ({ id: `${cwd}${index}`, prompt: 'p', cwd }));

test('as many tasks run as there are jobs, and never two in one folder', async () => {
  let [running, most] = [0, 0];
  const inFolder = new Map<string, number>();
  const { ports, stored } = setUp(
    async ({ cwd }) => {
      most = Math.max(most, ++running);
      inFolder.set(cwd, (inFolder.get(cwd) ?? 0) + 1);
      expect(inFolder.get(cwd)).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      inFolder.set(cwd, 0);
      running--;
      return ok;
    },
    { jobs: 3 },
  );
  await runFleet([...numbered('/a', 4), ...numbered('/b', 4), ...tasks('c', 'd', 'e', 'f')], ports);
  expect(stored).toHaveLength(12);
  expect(most).toBe(3);
});

test('a failed task is retried as often as requested, with all tries in its cost and time', async () => {
  const tries: Try[] = [
    { ...ok, exitCode: 1, result, stderr: 'no' },
    { ...ok, exitCode: null, end: 'timed_out', result },
    { ...ok, result },
  ];
  const { ports, stored } = setUp(() => tries.shift() ?? ok, { retries: 5 });
  await runFleet(tasks('a'), ports);
  expect(stored).toMatchObject([{ status: 'done', tries: 3, duration_ms: 15, cost_usd: 1.5, result }]);
});

test.each([[41], [42], [52], [53]])(
  'exit code %i would recur, so the task is not retried',
  async (exitCode) => {
    const { ports, stored, logs } = setUp(() => ({ ...ok, exitCode, stderr: 'why' }), { retries: 5 });
    await runFleet(tasks('a'), ports);
    expect(stored).toMatchObject([{ status: 'failed', tries: 1, cost_usd: null, exit_code: exitCode }]);
    expect(logs[0]).toContain('why');
  },
);

test('a folder that does not exist fails without a run, and the report says so', async () => {
  const reported: string[] = [];
  const { ports, stored } = setUp(() => ok, {
    retries: 2,
    report: (_, stderr) => void reported.push(stderr),
    rootOf: () => {
      throw new Error('none');
    },
  });
  await runFleet(tasks('a'), ports);
  expect(stored).toMatchObject([{ status: 'failed', session: null, tries: 1 }]);
  expect(reported).toEqual(['there is no folder /a\n']);
});

test('after a stop, no task starts, and stopped tasks have no result', async () => {
  const stop = new AbortController();
  const { ports, stored } = setUp(
    ({ cwd }) => {
      if (cwd === '/a') return ok;
      stop.abort();
      return { ...ok, end: 'stopped', exitCode: 143 };
    },
    { jobs: 1, signal: stop.signal },
  );
  await runFleet(tasks('a', 'b', 'c'), ports);
  expect(stored.map(({ cwd }) => cwd)).toEqual(['/a']);
});
