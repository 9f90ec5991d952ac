import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EarlyProcess } from '../../src/tools/shell/EarlyProcess.ts';
import { OutputPipes } from '../../src/tools/shell/OutputPipes.ts';
import { SCRATCH_NAME } from '../../src/tools/shell/scratch.ts';
import { startCommand } from '../../src/tools/shell/startCommand.ts';
import { openWorkbench } from './workbench.ts';

let parent: string;
beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'scratch-test-')));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true, force: true });
});

const gone = spawnSync(process.execPath, ['-e', '']).pid;
const old = new Date(Date.now() - 24 * 60 * 60 * 1000);

async function folder(name: string, isOld = true): Promise<string> {
  const path = join(parent, name);
  await mkdir(path);
  await writeFile(join(path, 'command'), 'make');
  if (isOld) await utimes(path, old, old);
  return path;
}

test('the first command of a process removes only what killed processes left behind', async () => {
  const left = await folder(`clawdcode-${gone}-Ab12Cd`);
  const stays = [
    await folder(`clawdcode-${gone}-Ef34Gh`, false),
    await folder(`clawdcode-${process.pid}-Ij56Kl`),
    await folder('clawdcode-notes'),
    await folder(`clawdcode-${gone}-notes-of-mine`),
  ];
  await symlink(stays[2] ?? '', join(parent, `clawdcode-${gone}-Mn78Op`));
  vi.stubEnv('TMPDIR', parent);
  const bench = await openWorkbench();
  expect((await bench.call('Bash', { command: 'echo done' })).text).toContain('done');
  await vi.waitFor(() => expect(existsSync(left)).toBe(false), { timeout: 30_000 });
  for (const path of stays) expect(existsSync(join(path, 'command'))).toBe(true);
  await bench.close();
});

test('a sandbox that fails leaves no folder and no pipe behind', async () => {
  vi.stubEnv('TMPDIR', parent);
  const open = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
  const before = open();
  const pipes = new OutputPipes();
  const early = new EarlyProcess(pipes);
  const failing = startCommand(
    {
      ...{ shell: '/bin/sh', command: ':', cwd: parent, env: {}, ownPath: '', onChunk: () => undefined },
      confine: () => Promise.reject(new Error('no sandbox')),
    },
    pipes,
    early,
  );
  await expect(failing).rejects.toThrow('no sandbox');
  early.dispose();
  await pipes.dispose();
  expect(await readdir(join(parent, SCRATCH_NAME))).toEqual([]);
  await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before));
});
