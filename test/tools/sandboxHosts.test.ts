import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CommandRequest, CommandSandbox, Confinement } from '../../src/protocol/sandbox.ts';
import type { RunningQuestion } from '../../src/protocol/tools.ts';
import { openWorkbench } from './workbench.ts';

/** Runs commands unconfined, and reports that each has reached the current `hosts`. */
function sandboxWith(hosts: readonly string[], isBlocked: boolean): CommandSandbox {
  const confinement = (mode: 'workspace-write' | 'none', reached: readonly string[]): Confinement => ({
    isConfined: mode !== 'none',
    launch: (program, args) => ({ program, args, inherit: [], env: { PATH: process.env.PATH ?? '' } }),
    record: () => ({ mode, ...(reached.length === 0 ? {} : { hosts: [...reached] }) }),
    blocked: () => (isBlocked && mode !== 'none' ? { reason: 'it wrote outside' } : undefined),
    changedProtectedFiles: () => [],
    share: async () => undefined,
    keep: () => undefined,
    release: () => undefined,
  });
  return {
    state: () => Promise.resolve({ type: 'on', mode: 'workspace-write' }),
    prepare: () => undefined,
    steps: async ({ command }) => [{ command, isConditional: false }],
    confine: () => Promise.resolve(confinement('workspace-write', hosts)),
    isExcluded: () => Promise.resolve(false),
    adopt: () => Promise.resolve(),
    outside: () => confinement('none', []),
    dispose: () => undefined,
  };
}

test('a command that was rerun outside its sandbox is recorded with the hosts of the first run', async () => {
  const sandbox = sandboxWith(['a.example:443'], true);
  const bench = await openWorkbench({ sandbox }, { confirm: () => Promise.resolve(true) });
  onTestFinished(() => bench.close());
  const outcome = await bench.call('Bash', { command: 'exit 1' }, undefined, { basis: 'user' });
  expect(outcome.sandbox).toEqual({ mode: 'none', hosts: ['a.example:443'] });
});

test('the question whether to run a command again outside its sandbox names the files that the first run has changed', async () => {
  const asked: RunningQuestion[] = [];
  const bench = await openWorkbench(
    { sandbox: sandboxWith([], true) },
    {
      confirm: async (question) => asked.push(question) === 0,
      filesChanged: async () => [
        { path: join(bench.root, 'new.sh'), kind: 'created' },
        { path: join(bench.root, 'b.sh'), kind: 'modified' },
        { path: '/elsewhere/c', kind: 'deleted' },
      ],
    },
  );
  onTestFinished(() => bench.close());
  await bench.call('Bash', { command: 'exit 1' }, undefined, { basis: 'user' });
  expect(asked).toMatchObject([
    {
      title: 'Run outside the sandbox?',
      preview: {
        changed: [
          'b.sh was changed during the first run.',
          '/elsewhere/c was deleted during the first run.',
          'new.sh was created during the first run.',
        ],
      },
    },
  ]);
});

test('a host that a background task reaches after its call is recorded with the output read later', {
  tags: 'long',
}, async () => {
  const hosts: string[] = [];
  const bench = await openWorkbench({ sandbox: sandboxWith(hosts, false) });
  onTestFinished(() => bench.close());
  const command = 'while [ ! -e go ]; do sleep 0.02; done';
  const started = await bench.call('Bash', { command, run_in_background: true });
  expect(started.sandbox).toEqual({ mode: 'workspace-write' });
  hosts.push('late.example:443');
  await bench.call('Bash', { command: 'touch go' });
  const read = await bench.call('BashOutput', { task_id: 'b1', wait: 5000 });
  expect(read.sandbox).toEqual({ mode: 'workspace-write', hosts: ['late.example:443'] });
  expect(bench.tools.tasks.list()).toMatchObject([{ sandbox: { hosts: ['late.example:443'] } }]);
});

test('the approval dialog for a host closes with the command that requested it', async () => {
  const asked: RunningQuestion[] = [];
  const sandbox = sandboxWith([], false);
  const confine = async (request: CommandRequest): Promise<Confinement> => {
    void request.askHost?.('late.example', 443, () => 'ask');
    return sandbox.confine(request);
  };
  const confirm = (question: RunningQuestion): Promise<boolean> => {
    asked.push(question);
    return new Promise(() => undefined);
  };
  const bench = await openWorkbench({ sandbox: { ...sandbox, confine } }, { confirm });
  onTestFinished(() => bench.close());
  await bench.call('Bash', { command: 'true' });
  expect(asked.map(({ domain, signal }) => [domain, signal?.aborted])).toEqual([['late.example', true]]);
});
