import { describe, expect, test } from 'vitest';
import type { IdentifiedEvent } from '../../../src/protocol/events.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import type { TaskInfo, TaskOutput } from '../../../src/protocol/tasks.ts';
import { textWidth } from '../../../src/ui/print/width.ts';
import { TasksDialog } from '../../../src/ui/tasks/TasksDialog.tsx';
import { firstOfLastPage, outputLines, outputRows, taskRow } from '../../../src/ui/tasks/tasks.ts';
import { state } from '../../headless/scriptedAgent.ts';
import { mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const NOW = 100_000;
const task = (id: string, fields: Partial<TaskInfo> = {}): TaskInfo => ({
  id,
  command: `run ${id}`,
  startedAtMs: NOW - 12_000,
  lastLine: `last of ${id}`,
  ...fields,
});
const ended = (code: number): Partial<TaskInfo> => ({ end: { endedAtMs: NOW - 10_000, code } });

/** An agent with tasks that a test starts, ends and lets print. */
function createTasks(first: readonly TaskInfo[], outputs: Record<string, TaskOutput> = {}) {
  let tasks = first;
  const listeners = new Set<(event: IdentifiedEvent) => void>();
  const watchers = new Map<string, () => void>();
  const ops: Op[] = [];
  return {
    ops,
    watchers,
    agent: {
      state: () => ({ ...state, tasks }),
      subscribe(listener: (event: IdentifiedEvent) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      submit: (op: Op) => void ops.push(op),
      taskOutput: (id: string) => outputs[id],
      watchTask(id: string, listener: () => void) {
        watchers.set(id, listener);
        return () => watchers.delete(id);
      },
    },
    now(next: readonly TaskInfo[]) {
      tasks = next;
      for (const listener of listeners) listener({ agentId: 'main', type: 'tasks_changed' });
    },
    print(id: string, text: string) {
      outputs[id] = { text: (outputs[id]?.text ?? '') + text, missing: 0 };
      watchers.get(id)?.();
    },
  };
}

async function open(
  tasks: readonly TaskInfo[],
  { columns = 80, rows = 9, outputs = {} as Record<string, TaskOutput> } = {},
) {
  const made = createTasks(tasks, outputs);
  let closed = 0;
  const dialog = (
    <TasksDialog
      agent={made.agent}
      width={columns}
      rows={rows}
      theme={plain}
      now={() => NOW}
      onClose={() => closed++}
    />
  );
  const { screen } = await mount(dialog, { columns, rows: rows + 3 });
  return { ...made, screen, closed: () => closed };
}

const lines = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');

describe('the list', () => {
  test('shows the newest first, with state, command and last line', async () => {
    const { screen } = await open([task('b1', ended(1)), task('b2')]);
    expect(screen.text()).toEqual([
      expect.stringMatching(/^─ Background tasks ─+$/),
      '❯ b2   running 12s      run b2 │ last of b2',
      '  b1   exit 1 · 2.0s    run b1 │ last of b1',
      '',
      'Enter shows its output · x stops it · they stop on exit · Esc closes',
    ]);
  });

  test('says that no task is running, and how to start one', async () => {
    const { screen, closed } = await open([]);
    expect(screen.text().join('\n')).toContain('No background tasks.');
    expect(screen.text().join('\n')).toContain('Ctrl+B');
    await screen.press(keys.enter, 'x', keys.escape);
    expect(closed()).toBe(1);
  });

  test('follows tasks that start and end; the cursor stays on its task', async () => {
    const { screen, now } = await open([task('b1'), task('b2')]);
    await screen.press(keys.down);
    now([task('b1', ended(0)), task('b2'), task('b3')]);
    await screen.settle();
    expect(screen.text().slice(1, 4)).toEqual([
      expect.stringMatching(/^ {2}b3 +running/),
      expect.stringMatching(/^ {2}b2 +running/),
      expect.stringMatching(/^❯ b1 +exit 0/),
    ]);
  });

  test('stops a task only after confirmation, and says if it has already ended', async () => {
    const { screen, ops } = await open([task('b1', ended(0)), task('b2')]);
    await screen.press('x');
    expect(screen.text().at(-1)).toBe('Stop b2 and all it started? y stops it, any other key cancels');
    await screen.press('n');
    await screen.press('k', keys.escape);
    expect(ops).toEqual([]);
    await screen.press('x', 'y');
    expect(ops).toEqual([{ type: 'stop_task', id: 'b2' }]);
    await screen.press(keys.down, 'x');
    expect(screen.text().at(-1)).toBe('b1 has already ended.');
    await screen.press('y');
    expect(ops).toHaveLength(1);
  });

  test.each(['xy', 'ky', 'xxy', `${keys.ctrl('n')}xy`])(
    'a yes in the same chunk as the stop key does not count: %j',
    async (piece) => {
      const { screen, ops } = await open([task('b1')]);
      await screen.press(piece);
      expect(ops).toEqual([]);
      await screen.press('x');
      await screen.press('y');
      expect(ops).toEqual([{ type: 'stop_task', id: 'b1' }]);
    },
  );

  test('withdraws the question about a task that has ended', async () => {
    const { screen, ops, now } = await open([task('b1')]);
    await screen.press('x');
    now([task('b1', ended(0))]);
    await screen.settle();
    await screen.press('y');
    expect(ops).toEqual([]);
  });

  test.each([
    ['中文命令 --选项', 20],
    ['run 🎉🎉🎉 --with emoji', 40],
    ['echo שלום עולם', 80],
    ['evil \u001B[2J\u0007 command\nsecond line', 200],
  ])('shows %j in %d columns on one line', (command, columns) => {
    for (const isSelected of [true, false]) {
      const row = taskRow(task('b1', { command, lastLine: '进度 50% \u001B[31m' }), {
        width: columns,
        isSelected,
        now: NOW,
        theme: plain,
      });
      expect(textWidth(row)).toBeLessThanOrEqual(columns);
      expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
  });

  test('fits in 20 columns', async () => {
    const { screen } = await open([task('b1', { command: '中文命令 --选项' }), task('b2', ended(2))], {
      columns: 20,
    });
    for (const row of screen.text()) expect(textWidth(row)).toBeLessThanOrEqual(20);
    expect(screen.text().slice(1, 4)).toEqual(['❯ b2 exit 2 run b2', '  b1 12s 中文命令 -…', '  last of b2']);
  });
});

describe('the output', () => {
  const outputs = () => ({ b1: { text: lines(40), missing: 0 } });

  test('follows its end; Esc returns to the list', async () => {
    const { screen, print, closed } = await open([task('b1')], { outputs: outputs() });
    await screen.press(keys.enter);
    expect(screen.text()[0]).toMatch(/b1 running 12s · run b1/);
    expect(screen.text().slice(1, 7)).toEqual([35, 36, 37, 38, 39, 40].map((at) => `line ${at}`));
    print('b1', 'line 41\n');
    await screen.waitFor((rows) => rows.includes('line 41'));
    await screen.press(keys.escape);
    expect(screen.text()[0]).toContain('Background tasks');
    expect(closed()).toBe(0);
  });

  test('does not move after the user has scrolled up, and follows again at its end', async () => {
    const { screen, print } = await open([task('b1')], { outputs: outputs() });
    await screen.press(keys.enter, keys.up);
    const still = screen.text().slice(1, 7);
    expect(still).toEqual([34, 35, 36, 37, 38, 39].map((at) => `line ${at}`));
    print('b1', 'line 41\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(screen.text().slice(1, 7)).toEqual(still);
    await screen.press(keys.home);
    expect(screen.text().slice(1, 7)).toEqual([1, 2, 3, 4, 5, 6].map((at) => `line ${at}`));
    await screen.press(keys.end);
    print('b1', 'line 42\n');
    await screen.waitFor((rows) => rows.includes('line 42'));
  });

  test('can be stopped from there', async () => {
    const { screen, ops } = await open([task('b1')], { outputs: outputs() });
    await screen.press(keys.enter, 'x', 'y');
    expect(ops).toEqual([{ type: 'stop_task', id: 'b1' }]);
  });

  test('says if it is empty', async () => {
    const { screen } = await open([task('b1')], { outputs: { b1: { text: '', missing: 0 } } });
    await screen.press(keys.enter);
    expect(screen.text().join('\n')).toContain('No output yet.');
  });

  test('says how much of its beginning was dropped', () => {
    expect(outputLines({ text: 'rest of a line\nwhole\n', missing: 12_345 })).toEqual([
      '… 12,345 earlier characters …',
      'whole',
    ]);
  });

  test.each([20, 80, 200])('fits %d columns on the first and last page', (width) => {
    const text = `${'中文'.repeat(50)}\n${'x'.repeat(300_000)}\n\u001B[31mred\u001B[0m\tand tab\n\nend\n`;
    const all = outputLines({ text, missing: 0 });
    const room = { width, rows: 10 };
    for (const top of [undefined, 0, 1, 3]) {
      const rows = outputRows(all, top, room);
      expect(rows.length).toBeLessThanOrEqual(10);
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
    }
    expect(outputRows(all, undefined, room).at(-1)).toBe('end');
    expect(firstOfLastPage(all, { width, rows: 2 })).toBe(3);
  });
});
