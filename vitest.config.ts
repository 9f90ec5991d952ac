import { defineConfig } from 'vitest/config';

/** Every test runs below a temporary home that `test/setup.ts` makes; nothing reads or writes `~`. */
const common = {
  setupFiles: ['test/setup.ts'],
  hookTimeout: 120_000,
  pool: 'forks' as const,
  // What is polled for comes when the machine has time for it; only what never comes takes so long.
  expect: { poll: { timeout: 15_000 } },
};

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: ['test/e2e/**', 'test/acceptance/**'],
          globalSetup: ['test/globalSetup.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          ...common,
          name: 'program',
          include: ['test/e2e/**/*.test.ts', 'test/acceptance/**/*.test.ts'],
          globalSetup: ['test/globalSetup.ts', 'test/e2e/support/program.ts'],
          testTimeout: 180_000,
        },
      },
    ],
  },
});
