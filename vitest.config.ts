import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Every test runs below a temporary home that `test/setup.ts` makes; nothing reads or writes `~`. */
const common = {
  setupFiles: ['test/setup.ts'],
  globalSetup: ['test/globalSetup.ts'],
  hookTimeout: 120_000,
  // Only what never ends takes so long, also on a machine that is busy with ten other things.
  testTimeout: 180_000,
  pool: 'forks' as const,
  // Test files share processes, and so the packages that they import: loading these again took half of the time.
  isolate: false,
  // What is polled for comes when the machine has time for it; only what never comes takes so long.
  expect: { poll: { timeout: 15_000 } },
};

const ofProgram = ['test/e2e/**/*.test.ts', 'test/acceptance/**/*.test.ts'];
/** Tests that load the shell grammar, which a process can do a few dozen times, or want a process that is new. */
const alone = ['test/permissions/**/*.test.ts', 'test/fuzz/**/*.test.ts', 'test/tools/scratch.test.ts'];

export default defineConfig({
  test: {
    // One more than there are cores: tests of the program wait for much of their time.
    maxWorkers: availableParallelism() + 1,
    tags: [{ name: 'long', description: 'takes long: runs in "npm run test:all", not in "npm test"' }],
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...ofProgram, ...alone],
        },
      },
      { test: { ...common, name: 'alone', include: alone, isolate: true } },
      {
        test: {
          ...common,
          name: 'program',
          include: ofProgram,
          globalSetup: [...common.globalSetup, 'test/e2e/support/program.ts'],
        },
      },
    ],
  },
});
