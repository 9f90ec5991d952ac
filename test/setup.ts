/**
 * Runs before each test file: sets a temporary home, removes the developer's keys and settings, fixes the random seed,
 * and checks for open files.
 */
import { readFileSync } from 'node:fs';
import { afterAll, expect, vi } from 'vitest';
import { forgetOpenFiles, openFiles } from './openFiles.ts';
import './patience.ts';

const home = process.env.CLAWDCODE_TEST_HOME;
if (home === undefined) throw new Error('test/globalSetup.ts did not run');
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (name.startsWith('OPENAI_') || (name.startsWith('CLAWDCODE_') && !name.startsWith('CLAWDCODE_TEST_'))) {
    delete process.env[name];
  }
}

/**
 * Property tests use the same cases on every run, so failures are reproducible. `CLAWDCODE_TEST_SEED=7` tries others.
 * fast-check is loaded only where it is used, since loading takes a tenth of a second.
 */
const seed = Number(process.env.CLAWDCODE_TEST_SEED ?? 1);
const { testPath = '' } = expect.getState();
if (readFileSync(testPath, 'utf8').includes("from 'fast-check'"))
  (await import('fast-check')).default.configureGlobal({ seed });

// Test files share processes: a file left open by one would cause a warning in another at the next garbage collection.
afterAll(async () => {
  try {
    await vi.waitUntil(() => openFiles().length === 0).catch(() => undefined);
    const [first] = openFiles();
    if (first !== undefined) throw first;
  } finally {
    forgetOpenFiles();
  }
});
