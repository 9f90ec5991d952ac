/** @module-tag long */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noCounts } from './counts.ts';
import { explore } from './explore.ts';
import type { Program } from './program.ts';
import { runProgram } from './run.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'clawdcode-fuzz-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** For a few seconds. */
const PROGRAMS = 20;

test('random programs over a real session break nothing', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const counts = noCounts();
  // The same ones on every run and every machine; `npm run fuzz` tries others.
  for (let seed = 1; seed <= PROGRAMS; seed++) {
    const failure = await explore(seed, 'quick', folder, counts);
    expect(failure, `seed ${seed}; keep the program in test/fuzz/fixtures`).toBeUndefined();
  }
  expect(counts.requests).toBeGreaterThan(0);
});

const fixtures = join(import.meta.dirname, 'fixtures');
const names = (await readdir(fixtures)).filter((name) => name.endsWith('.json'));

describe('programs that once broke something', { tags: 'long' }, () => {
  test.each(names)(
    '%s',
    async (name) => {
      const { program } = JSON.parse(await readFile(join(fixtures, name), 'utf8')) as { program: Program };
      await runProgram(program, folder, noCounts());
    },
    60_000,
  );
});
