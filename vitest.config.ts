import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Fewer collections of young objects, which took a twentieth of the CPU time. */
const roomyHeap = ['--max-semi-space-size=32'];
/** As in `src/cli/process/heap.ts`: otherwise V8 spends a second and 500 MB on optimizing the grammar in each process. */
const plainGrammar = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** Every test runs in a temporary home that `test/setup.ts` creates; none reads or writes `~`. */
const common = {
  setupFiles: ['test/setup.ts'],
  globalSetup: ['test/globalSetup.ts'],
  hookTimeout: 120_000,
  // Generous: even on a busy machine, only a test that hangs takes this long.
  testTimeout: 180_000,
  pool: 'forks' as const,
  execArgv: roomyHeap,
  // Test files share processes and so the packages they import: loading them again took half of the time.
  isolate: false,
  // The same; for other waits see `test/patience.ts`.
  expect: { poll: { timeout: 60_000 } },
};

const ofProgram = ['test/e2e/**/*.test.ts', 'test/acceptance/**/*.test.ts'];
const ofPermissions = ['test/permissions/**/*.test.ts'];
/** Tests that load the shell grammar often, which a process can do only a few dozen times, or that need a fresh process. */
const alone = ['test/fuzz/**/*.test.ts', 'test/tools/scratch.test.ts'];

export default defineConfig({
  test: {
    // Two more than there are cores: tests of the program spend much of their time waiting.
    maxWorkers: availableParallelism() + 2,
    tags: [{ name: 'long', description: 'takes long: runs in "npm run test:all", not in "npm test"' }],
    projects: [
      {
        test: {
          ...common,
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...ofProgram, ...ofPermissions, ...alone],
        },
      },
      {
        test: {
          ...common,
          name: 'permissions',
          include: ofPermissions,
          setupFiles: [...common.setupFiles, 'test/permissions/setup.ts'],
          execArgv: [...roomyHeap, ...plainGrammar],
        },
      },
      {
        test: {
          ...common,
          name: 'alone',
          include: alone,
          isolate: true,
          execArgv: [...roomyHeap, ...plainGrammar],
        },
      },
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
