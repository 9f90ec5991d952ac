import { expect, test } from 'vitest';
import type { Confinement } from '../../../src/protocol/sandbox.ts';
import { EarlyProcess } from '../../../src/tools/shell/EarlyProcess.ts';
import { OutputPipes } from '../../../src/tools/shell/OutputPipes.ts';
import { type RunningCommand, startCommand } from '../../../src/tools/shell/startCommand.ts';

/** Runs a command that is not really confined, and passes it to `during` once its shell has exited. */
async function runWith(
  command: string,
  parts: Partial<Confinement>,
  during: (run: RunningCommand) => unknown,
): Promise<void> {
  const confinement: Confinement = {
    isConfined: false,
    launch: (program, args) => ({ program, args, inherit: [], env: { PATH: process.env.PATH ?? '' } }),
    record: () => ({ mode: 'none', reason: 'a test' }),
    blocked: () => undefined,
    changedProtectedFiles: () => [],
    share: async () => undefined,
    keep: () => undefined,
    release: () => undefined,
    ...parts,
  };
  const pipes = new OutputPipes();
  const early = new EarlyProcess(pipes);
  const run = await startCommand(
    {
      ...{ shell: '/bin/sh', command, cwd: '/', env: {}, ownPath: process.env.PATH ?? '' },
      confine: async () => confinement,
      onChunk: () => undefined,
    },
    pipes,
    early,
  );
  await run.finished;
  await during(run);
  await run.stop();
  await run.release();
  early.dispose();
  await pipes.dispose();
}

test('looks for a command’s changes before reporting its end', async () => {
  const calls: string[] = [];
  const parts: Partial<Confinement> = {
    async lookForChanges() {
      await new Promise(setImmediate);
      calls.push('looked');
    },
    async share() {
      calls.push('shared');
    },
    release: () => void calls.push('released'),
  };
  await runWith('true', parts, () => calls.push('ended'));
  expect(calls).toEqual(['shared', 'looked', 'ended', 'released']);
});

test.runIf(process.platform === 'linux')(
  'looks for no other process in a sandbox whose first one has ended',
  async () => {
    const stays = 'sleep 60 > /dev/null 2>&1 &';
    await runWith(stays, {}, ({ alive }) => expect(alive()).toBe(true));
    let first: number | undefined;
    await runWith(stays, { firstProcess: () => first }, ({ alive, pid }) => {
      expect(alive()).toBe(true);
      // The kernel would have ended the others.
      first = pid;
      expect(alive()).toBe(false);
      first = undefined;
    });
  },
);
