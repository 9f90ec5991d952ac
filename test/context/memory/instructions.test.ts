import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formatInstructions, readInstructions } from '../../../src/context/memory/instructions.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-instructions-'));
  await mkdir(join(base, 'home'));
  await mkdir(join(base, 'repo/packages/a'), { recursive: true });
});
afterEach(() => rm(base, { recursive: true, force: true }));

test('files are read from the user’s own down to the nearest, one a directory', async () => {
  await writeFile(join(base, 'home/AGENTS.md'), 'user');
  await writeFile(join(base, 'repo/AGENTS.md'), 'root');
  await writeFile(join(base, 'repo/CLAUDE.md'), 'never: AGENTS.md stands beside it');
  await writeFile(join(base, 'repo/packages/a/GEMINI.md'), 'nearest');
  const files = await readInstructions(join(base, 'home'), join(base, 'repo'), join(base, 'repo/packages/a'));
  expect(files.map((file) => file.text)).toEqual(['user', 'root', 'nearest']);
  expect(formatInstructions(files)).toMatch(
    /# Instructions from .*home\/AGENTS.md\n\nuser\n\n# Instructions/,
  );
});

test('a file above the limit is cut and says so; a directory of that name is no file', async () => {
  await writeFile(join(base, 'repo/AGENTS.md'), 'x'.repeat(40_000));
  await mkdir(join(base, 'home/AGENTS.md'));
  const files = await readInstructions(join(base, 'home'), join(base, 'repo'), join(base, 'repo'));
  expect(files).toHaveLength(1);
  expect(files[0]?.text).toContain('only the first 32768 bytes');
  expect(formatInstructions([])).toBe('');
});
