import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeEach(async () => {
  bench = await openWorkbench();
});
afterEach(() => bench.close());

const bash = (command: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
  bench.call('Bash', { command, ...more }, signal);

/** True while the process runs; false for a zombie. */
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

const until = (condition: () => boolean) => vi.waitUntil(condition, { interval: 10 });

const pidIn = (name: string): number => {
  const path = join(bench.root, name);
  return existsSync(path) ? Number(readFileSync(path, 'utf8')) : 0;
};

describe('background processes of a command', () => {
  test.each([
    ['sleep 60 & echo $! > pid; echo done'],
    ['sleep 60 > /dev/null 2>&1 & echo $! > pid; echo done'],
  ])('neither delay %j nor outlive it', { tags: 'long' }, async (command) => {
    const startedAt = performance.now();
    const { text } = await bash(command);
    // The process that it leaves behind sleeps for a minute.
    expect(performance.now() - startedAt).toBeLessThan(55_000);
    expect(text).toMatch(/^done\n\(Processes it left behind will be killed/);
    expect(pidIn('pid')).toBeGreaterThan(0);
    await until(() => !alive(pidIn('pid')));
  });

  test('are killed with everything else by dispose', { tags: 'long' }, async () => {
    await bash('trap "" TERM; sleep 60 & echo $! > pid; wait', { run_in_background: true });
    await until(() => pidIn('pid') > 0);
    await bench.tools.dispose();
    await until(() => !alive(pidIn('pid')));
  });
});

test('a command ends when its last process has ended, in the background too', async () => {
  const steps: string[] = [];
  const onStarted = ({ command, basis }: { command: string; basis: string }) => {
    steps.push(`start ${command.slice(0, 5)} ${basis}`);
    return () => void steps.push('gone');
  };
  const own = await openWorkbench({ onStarted });
  try {
    await own.call('Bash', { command: 'true' });
    await until(() => steps.length === 2);
    await own.call('Bash', { command: 'while [ ! -e go ]; do sleep 0.02; done', run_in_background: true });
    expect(steps.map((step) => step.split(' ')[0])).toEqual(['start', 'gone', 'start']);
    writeFileSync(join(own.root, 'go'), '');
    await until(() => steps.length === 4);
  } finally {
    await own.close();
  }
});

describe('an interrupt', () => {
  /** The shell may report first that a program was terminated. */
  const interrupted = (output: string): RegExp =>
    new RegExp(`^${output}(?:Terminated\\n)?\\(Interrupted by the user\\.\\)$`);

  test('kills the command and its grandchildren, and has its result', async () => {
    const controller = new AbortController();
    const running = bash("echo before; bash -c 'sleep 60 & echo $! > pid; wait'", {}, controller.signal);
    await until(() => pidIn('pid') > 0);
    controller.abort();
    const outcome = await running;
    expect(outcome).toMatchObject({
      status: 'partial',
      text: expect.stringMatching(interrupted('before\n')),
    });
    await until(() => !alive(pidIn('pid')));
  });

  test('kills processes that ignore SIGTERM', async () => {
    const controller = new AbortController();
    const running = bash(`trap '' TERM; echo $$ > pid; while :; do sleep 0.1; done`, {}, controller.signal);
    await until(() => pidIn('pid') > 0);
    controller.abort();
    await running;
    await until(() => !alive(pidIn('pid')));
  });

  test('from before the start still applies', async () => {
    const outcome = await bash('sleep 60', {}, AbortSignal.abort());
    expect(outcome.text).toMatch(interrupted(''));
  });
});

describe('the background', () => {
  const taskIn = (text: string): string => /task (b\d+)/.exec(text)?.[1] ?? '';

  test('moves a command to the background at its timeout, where it can be read and stopped', async () => {
    const moved = await bash(
      'echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; touch gone; sleep 60',
      { timeout: 1500 },
    );
    expect(moved).toMatchObject({ status: 'partial' });
    expect(moved.text).toMatch(
      /^one\n\(Still running after [\d.]+ s: it continues in the background as task b1\./,
    );
    const id = taskIn(moved.text);
    await bash('touch go; while [ ! -e gone ]; do sleep 0.02; done');
    await until(() => bench.tools.tasks.output(id)?.text.includes('two') === true);
    expect((await bench.call('BashOutput', { task_id: id })).text).toMatch(/^two\n\(running for/);
    expect((await bench.call('BashOutput', { task_id: id })).text).toMatch(
      /^\(no new output\)\n\(running for/,
    );
    expect((await bench.call('KillBash', { task_id: id })).text).toMatch(/exit code 143, ended by SIGTERM/);
  });

  test('receives a command on request, and its end can be awaited', async () => {
    const started = await bash('sleep 0.4; echo done; exit 2', { run_in_background: true });
    expect(started).toMatchObject({ status: 'ok' });
    const ended = await bench.call('BashOutput', { task_id: taskIn(started.text), wait: 15_000 });
    expect(ended.text).toMatch(/^done\n\(exit code 2 after [\d.]+ s\)$/);
  });

  test('does not receive a command that fails at once', async () => {
    expect((await bash('no-such-program', { run_in_background: true })).text).toMatch(/exit code 127/);
  });

  test('does not change the working directory', async () => {
    await bash('cd /; true', { run_in_background: true });
    expect(bench.cwd()).toBe(bench.root);
  });

  test('lists the existing tasks if an unknown one is requested', { tags: 'long' }, async () => {
    await bash('sleep 60', { run_in_background: true });
    expect((await bench.call('BashOutput', { task_id: 'b9' })).text).toContain('Known tasks: b1.');
  });
});
