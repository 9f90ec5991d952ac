import { expect, test } from 'vitest';
import type { Confinement } from '../../../src/protocol/sandbox.ts';
import { OutputPipes } from '../../../src/tools/shell/OutputPipes.ts';
import { startCommand } from '../../../src/tools/shell/startCommand.ts';

test('what a command has changed is looked for before its end is reported', async () => {
  const calls: string[] = [];
  const confinement: Confinement = {
    isConfined: false,
    launch: (program, args) => ({ program, args, inherit: [], env: { PATH: process.env.PATH ?? '' } }),
    record: () => ({ mode: 'none', reason: 'a test' }),
    blocked: () => undefined,
    async lookForChanges() {
      await new Promise(setImmediate);
      calls.push('looked');
    },
    changedProtectedFiles: () => [],
    async share() {
      calls.push('shared');
    },
    keep: () => undefined,
    release: () => void calls.push('released'),
  };
  const pipes = new OutputPipes();
  const run = await startCommand(
    {
      ...{ shell: '/bin/sh', command: 'true', cwd: '/', env: {}, ownPath: process.env.PATH ?? '' },
      confine: async () => confinement,
      onChunk: () => undefined,
    },
    pipes,
  );
  await run.finished;
  calls.push('ended');
  await run.release();
  await pipes.dispose();
  expect(calls).toEqual(['shared', 'looked', 'ended', 'released']);
});
