import { defineConfig } from 'vitest/config';

/** Every test runs below a temporary home that `test/setup.ts` makes; nothing reads or writes `~`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/globalSetup.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
