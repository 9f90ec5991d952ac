import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** Fewer collections of young objects, which took a twentieth of the CPU time. */
const roomyHeap = ['--max-semi-space-size=32'];
/** As in `src/cli/process/heap.ts`: otherwise V8 spends a second and 500 MB on optimizing the grammar in each process. */
const plainGrammar = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/** With `--tagsFilter !long`, files whose tests all take long are not even loaded. */
const excluded = [...configDefaults.exclude, ...(process.argv.includes('!long') ? filesThatTakeLong() : [])];

/** Every test runs in a temporary home that `test/setup.ts` creates; none reads or writes `~`. */
const common = {
  exclude: excluded,
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

/** The second project that needs the program uses the one that the first has installed. */
const withProgram = [...common.globalSetup, 'test/e2e/support/program.ts'];

const ofProgram = ['test/e2e/**/*.test.ts'];
/** Most of these compute in their own process. */
const ofRequirements = ['test/acceptance/**/*.test.ts'];
const ofPermissions = ['test/permissions/**/*.test.ts'];
/** Apart from the other parts, so that `npm test` has two halves that take about as long. */
const ofScreen = ['test/ui/**/*.test.{ts,tsx}'];
/** Tests that load the shell grammar often, which a process can do only a few dozen times, or that need a fresh process. */
const alone = ['test/fuzz/**/*.test.ts', 'test/tools/scratch.test.ts'];

/** As many processes as there are cores: each loads and compiles the same code, so two more took a quarter more CPU. */
const busy = { maxWorkers: availableParallelism(), sequence: { groupOrder: 0 } };
/**
 * Two more than there are cores: tests of the program spend much of their time waiting. They come last, when `npm test`
 * has least to compute at the same time.
 */
const waiting = { maxWorkers: availableParallelism() + 2, sequence: { groupOrder: 1 } };

export default defineConfig({
  test: {
    tags: [{ name: 'long', description: 'takes long: runs in "npm run test:all", not in "npm test"' }],
    projects: [
      {
        test: {
          ...common,
          ...busy,
          name: 'parts',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: [...excluded, ...ofProgram, ...ofRequirements, ...ofPermissions, ...ofScreen, ...alone],
        },
      },
      {
        test: {
          ...common,
          ...busy,
          name: 'permissions',
          include: ofPermissions,
          setupFiles: [...common.setupFiles, 'test/permissions/setup.ts'],
          execArgv: [...roomyHeap, ...plainGrammar],
        },
      },
      {
        test: {
          ...common,
          ...busy,
          name: 'requirements',
          include: ofRequirements,
          globalSetup: withProgram,
        },
      },
      { test: { ...common, ...busy, name: 'screen', include: ofScreen } },
      {
        test: {
          ...common,
          ...busy,
          name: 'alone',
          include: alone,
          isolate: true,
          execArgv: [...roomyHeap, ...plainGrammar],
        },
      },
      {
        test: {
          ...common,
          ...waiting,
          name: 'program',
          include: ofProgram,
          globalSetup: withProgram,
        },
      },
    ],
  },
});

/** Those with the tag in their first comment. */
function filesThatTakeLong(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => join('test', file))
    .filter((file) => /^ ?\/?\*.*@module-tag long\b/m.test(readFileSync(file, 'utf8')));
}
