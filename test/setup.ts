/** Runs before each test file: a home of our own, none of the developer's keys or settings, no chance, no open files. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, vi } from 'vitest';
import { forgetOpenFiles, openFiles } from './openFiles.ts';

const home = process.env.CLAWDCODE_TEST_HOME;
if (home === undefined) throw new Error('test/globalSetup.ts did not run');
process.env.HOME = home;
for (const name of Object.keys(process.env)) {
  if (name.startsWith('OPENAI_') || (name.startsWith('CLAWDCODE_') && !name.startsWith('CLAWDCODE_TEST_'))) {
    delete process.env[name];
  }
}

/**
 * Properties are tried with the same cases on every run: what fails, fails for everybody and again.
 * `CLAWDCODE_TEST_SEED=7` tries others. Loaded only where it is used, as it takes a tenth of a second.
 */
const seed = Number(process.env.CLAWDCODE_TEST_SEED ?? 1);
const { testPath = '' } = expect.getState();
if (readFileSync(testPath, 'utf8').includes("from 'fast-check'"))
  (await import('fast-check')).default.configureGlobal({ seed });

// Test files share processes: what one leaves open warns in another, whenever garbage is collected.
afterAll(async () => {
  try {
    await vi.waitUntil(() => openFiles().length === 0, { timeout: 5000 }).catch(() => undefined);
    const [first] = openFiles();
    if (first !== undefined) throw first;
  } finally {
    forgetOpenFiles();
  }
});
