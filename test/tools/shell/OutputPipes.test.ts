import { chmod, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OutputPipes } from '../../../src/tools/shell/OutputPipes.ts';
import { SCRATCH_NAME } from '../../../src/tools/shell/scratch.ts';

type OutputPipe = NonNullable<Awaited<ReturnType<OutputPipes['take']>>>;

let parent: string;
let pipes: OutputPipes;
const taken: OutputPipe[] = [];
const { PATH = '' } = process.env;
const folders = (): Promise<string[]> => readdir(join(parent, SCRATCH_NAME));

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), 'pipes-test-')));
  vi.stubEnv('TMPDIR', parent);
  pipes = new OutputPipes();
});
afterEach(async () => {
  for (const pipe of taken.splice(0)) {
    pipe.closeWriteEnd();
    pipe.reader.destroy();
  }
  await pipes.dispose();
  vi.unstubAllEnvs();
  await rm(parent, { recursive: true, force: true });
});

async function take(searched = PATH): Promise<OutputPipe | undefined> {
  const pipe = await pipes.take(searched);
  if (pipe !== undefined) taken.push(pipe);
  return pipe;
}

test('each command gets its own pipe, even many at the same time', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, () => take()));
  const ends = all.map((pipe) => pipe?.writeEnd);
  expect(new Set(ends).size).toBe(40);
  expect(ends).not.toContain(undefined);
});

test('mkfifo is started once for several commands', async () => {
  const log = join(parent, 'log');
  await writeFile(
    join(parent, 'mkfifo'),
    `#!/bin/sh\necho started >> '${log}'\nPATH='${PATH}' exec mkfifo "$@"\n`,
  );
  await chmod(join(parent, 'mkfifo'), 0o700);
  for (let command = 0; command < 10; command++) await take(parent);
  expect(await readFile(log, 'utf8')).toBe('started\n');
});

test('spare pipes that were removed are replaced', async () => {
  await take();
  for (const name of await folders()) await rm(join(parent, SCRATCH_NAME, name), { recursive: true });
  expect(await take()).toBeDefined();
  expect(await take()).toBeDefined();
});

test('without mkfifo there is no pipe, and nothing is left behind', async () => {
  expect(await take(join(parent, 'nothing'))).toBeUndefined();
  expect(await folders()).toEqual([]);
});

test('nothing is left behind at the end, and nothing is created after it', async () => {
  for (let command = 0; command < 16; command++) await take();
  await pipes.dispose();
  expect(await folders()).toEqual([]);
});
