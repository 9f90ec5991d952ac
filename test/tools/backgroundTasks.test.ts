import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { TaskChange } from '../../src/protocol/tasks.ts';
import { RecentText } from '../../src/tools/shell/TaskRegistry.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const RECENT_CHARACTERS = 256 * 1024;

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench();
});
afterEach(() => bench.close());

const bash = (command: string, more: Record<string, unknown> = {}) =>
  bench.call('Bash', { command, ...more });
const read = (id: string, wait?: number) =>
  bench.call('BashOutput', { task_id: id, ...(wait === undefined ? {} : { wait }) });

const until = (condition: () => boolean) => vi.waitUntil(condition, { interval: 10 });

/** False for a process that has ended, even if it was not reaped. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(
      existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '',
    );
  } catch {
    return false;
  }
}

const numberIn = (name: string): number => {
  const path = join(bench.root, name);
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
};

describe('a command that the user moves', () => {
  test('returns at once with its output so far, continues, and loses nothing', async () => {
    const running = bash('echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3');
    await until(() => bench.live().includes('one'));
    expect(bench.move()).toBe(1);
    const moved = await running;
    expect(moved.status).toBe('partial');
    expect(moved.text).toMatch(
      /^one\n\(Moved to the background by the user after [\d.]+ s: it continues as task b1\./,
    );
    expect(moved.text).toContain('task_id "b1"');
    expect(bench.move(), 'it is no longer in front').toBe(0);
    expect(bench.tools.tasks.list()).toMatchObject([{ id: 'b1', lastLine: 'one' }]);
    await bash('touch go');
    expect((await read('b1', 5000)).text).toMatch(/^two\n\(exit code 3 after/);
    expect(bench.tools.tasks.output('b1')).toEqual({ text: 'one\ntwo\n', missing: 0 });
  });

  test('shows output printed during the move in exactly one of the two reads', {
    tags: 'long',
  }, async () => {
    const running = bash('i=0; while [ ! -e stop ]; do i=$((i+1)); echo line $i; done; echo $i > last');
    await until(() => bench.live().length > 200_000);
    bench.move();
    const first = await running;
    await bash('touch stop');
    const second = await read('b1', 10_000);
    const whole = (outcome: typeof first): string =>
      outcome.original === undefined
        ? outcome.text
        : (bench.blobs.get(outcome.original.hash)?.toString() ?? '');
    const numbers = (whole(first) + whole(second)).match(/^line \d+$/gm) ?? [];
    const last = numberIn('last');
    expect(last).toBeGreaterThan(1000);
    expect(numbers).toHaveLength(last);
    expect(numbers.at(-1)).toBe(`line ${last}`);
  });

  test('keeps an output of any size in bounded memory, and in full next to the log', {
    tags: 'long',
  }, async () => {
    const running = bash(
      'echo begin; while [ ! -e go ]; do sleep 0.02; done; head -c 60000000 /dev/zero | tr "\\0" x; echo; echo end',
    );
    await until(() => bench.live().includes('begin'));
    bench.move();
    await running;
    await bash('touch go');
    await until(() => bench.tools.tasks.list()[0]?.end !== undefined);
    const shown = bench.tools.tasks.output('b1');
    expect(shown?.text.length).toBeLessThanOrEqual(2 * RECENT_CHARACTERS);
    expect(shown?.text.endsWith('x\nend\n')).toBe(true);
    expect((shown?.missing ?? 0) + (shown?.text.length ?? 0)).toBe(60_000_000 + 'begin\n\nend\n'.length);
    const outcome = await read('b1');
    expect(outcome.text.length).toBeLessThan(1_200_000);
    expect(outcome.original?.bytes).toBe(60_000_000 + '\nend\n'.length);
  });
});

describe('the list of tasks', () => {
  test('reports starts and ends, and an end that the model has not seen once', async () => {
    const heard: TaskChange[] = [];
    bench.tools.tasks.subscribe((change) => heard.push(change));
    await bash('while [ ! -e go ]; do sleep 0.02; done', { run_in_background: true });
    await bash('touch go');
    await until(() => heard.length === 2);
    expect(heard).toEqual([
      { type: 'started', id: 'b1' },
      { type: 'ended', id: 'b1', isKnown: false },
    ]);
    expect(bench.tools.tasks.takeUnreported()).toMatchObject([{ id: 'b1', end: { code: 0 } }]);
    expect(bench.tools.tasks.takeUnreported()).toEqual([]);
  });

  test.each([
    ['waited for', () => read('b1', 5000)],
    ['read', () => until(() => bench.tools.tasks.list()[0]?.end !== undefined).then(() => read('b1'))],
    ['stopped', () => bench.call('KillBash', { task_id: 'b1' })],
  ])('does not report a task that the model has %s', { tags: 'long' }, async (_how, look) => {
    await bash('sleep 0.3', { run_in_background: true });
    await look();
    await until(() => bench.tools.tasks.list()[0]?.end !== undefined);
    expect(bench.tools.tasks.takeUnreported()).toEqual([]);
  });

  test('reports who stopped a task, and kills its whole process tree, even processes that ignore SIGTERM', {
    tags: 'long',
  }, async () => {
    await bash(`trap '' TERM; (trap '' TERM; sleep 60 & echo $! > pid; wait) & wait`, {
      run_in_background: true,
    });
    await until(() => numberIn('pid') > 0);
    bench.tools.tasks.stop('b1');
    await until(() => bench.tools.tasks.list()[0]?.end !== undefined);
    expect(bench.tools.tasks.list()[0]?.end).toMatchObject({ stoppedBy: 'user', signal: 'SIGKILL' });
    await until(() => !alive(numberIn('pid')));
    expect(bench.tools.tasks.takeUnreported()).toMatchObject([{ id: 'b1' }]);
  });

  test('leaves no process and no file behind when it is disposed of', { tags: 'long' }, async () => {
    await bash('sleep 60 & echo $! > one; wait', { run_in_background: true });
    const running = bash('sleep 60 & echo $! > two; wait');
    await until(() => numberIn('one') > 0 && numberIn('two') > 0);
    bench.move();
    await running;
    await bench.tools.dispose();
    expect(alive(numberIn('one'))).toBe(false);
    expect(alive(numberIn('two'))).toBe(false);
  });

  test('ignores unknown ids', () => {
    const { tasks } = bench.tools;
    tasks.stop('b7');
    expect(tasks.output('b7')).toBeUndefined();
    expect(tasks.list()).toEqual([]);
  });
});

describe('the recent text', () => {
  test('is the end of the whole output, however it is split', { tags: 'long' }, () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.integer({ min: 1, max: 3 * RECENT_CHARACTERS }).map((length) => 'ab\n'.repeat(length / 3)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const recent = new RecentText();
        for (const one of pieces) recent.push(one);
        const all = pieces.join('');
        const { text, missing } = recent.read();
        expect(all.slice(missing)).toBe(text);
        expect(text.length).toBeGreaterThanOrEqual(Math.min(all.length, RECENT_CHARACTERS));
        expect(text.length).toBeLessThan(2 * RECENT_CHARACTERS);
      }),
      { numRuns: 60 },
    );
  });

  test.each([
    [['one\ntwo\n'], 'two'],
    [['one\nt', 'w', 'o', '\n', '\n  '], 'two'],
    [['a prompt: '], 'a prompt:'],
    [[], ''],
    [['\n\n'], ''],
    [['x'.repeat(1000)], 'x'.repeat(200)],
  ])('of %j ends with the line %j', (pieces, line) => {
    const recent = new RecentText();
    for (const one of pieces) recent.push(one);
    expect(recent.lastLine()).toBe(line);
  });

  test('stores a quarter of a million single characters in few chunks', () => {
    const recent = new RecentText();
    for (let index = 0; index < RECENT_CHARACTERS + 10; index++) recent.push('x');
    expect(recent.read().text.length).toBeGreaterThanOrEqual(RECENT_CHARACTERS);
  });
});
