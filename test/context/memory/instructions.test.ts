import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createInstructionSource } from '../../../src/context/memory/InstructionSource.ts';
import { formatInstructions, type InstructionFile } from '../../../src/context/memory/instructions.ts';
import { instructionFiles } from './instructionFiles.ts';

const read = (cwd = 'repo'): Promise<readonly InstructionFile[]> =>
  instructionFiles(
    createInstructionSource({
      dataRoot: join(base, 'home'),
      root: join(base, 'repo'),
      cwd: join(base, cwd),
      isSensitive: (path) => path.endsWith('.env'),
    }),
  );

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-instructions-'));
  await mkdir(join(base, 'home'));
  await mkdir(join(base, 'repo/packages/a'), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

test("files are read from the user's own to the nearest, one per directory", async () => {
  await writeFile(join(base, 'home/AGENTS.md'), 'user');
  await writeFile(join(base, 'repo/AGENTS.md'), 'root');
  await writeFile(join(base, 'repo/CLAUDE.md'), 'never: AGENTS.md stands beside it');
  await writeFile(join(base, 'repo/packages/a/GEMINI.md'), 'nearest');
  const files = await read('repo/packages/a');
  expect(files.map((file) => file.text)).toEqual(['user', 'root', 'nearest']);
  expect(formatInstructions(files)).toMatch(
    /# Instructions from .*home\/AGENTS.md\n\nuser\n\n# Instructions/,
  );
});

test('a file above the limit is cut and says so; a directory of that name is ignored', async () => {
  await writeFile(join(base, 'repo/AGENTS.md'), 'x'.repeat(40_000));
  await mkdir(join(base, 'home/AGENTS.md'));
  const files = await read();
  expect(files).toHaveLength(1);
  expect(files[0]?.text).toContain('only the first 32768 bytes');
  expect(formatInstructions([])).toBe('');
});

test('a link is followed inside the repository, never to a secret or out of it', async () => {
  await writeFile(join(base, 'secret'), 'SECRET');
  await writeFile(join(base, 'repo/.env'), 'SECRET');
  await writeFile(join(base, 'repo/CLAUDE.md'), 'inside');
  for (const [target, text] of [
    ['CLAUDE.md', 'inside'],
    ['../secret', expect.stringContaining('was not read')],
    ['.env', expect.stringContaining('was not read')],
  ] as const) {
    await rm(join(base, 'repo/AGENTS.md'), { force: true });
    await symlink(target, join(base, 'repo/AGENTS.md'));
    expect((await read()).map((file) => file.text)).toEqual([text]);
  }
});

test("the user's own file may be a link to anywhere", async () => {
  await writeFile(join(base, 'dotfiles.md'), 'mine');
  await symlink('../dotfiles.md', join(base, 'home/AGENTS.md'));
  expect((await read()).map((file) => file.text)).toEqual(['mine']);
});

test('a pipe of that name blocks nothing', async () => {
  execFileSync('mkfifo', [join(base, 'repo/AGENTS.md')]);
  await writeFile(join(base, 'repo/CLAUDE.md'), 'fallback');
  expect((await read()).map((file) => file.text)).toEqual(['fallback']);
});
