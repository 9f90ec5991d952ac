import { describe, expect, test } from 'vitest';
import { commandRuns } from '../../../src/context/facts/commandRuns.ts';
import { knownFacts, readFacts } from '../../../src/context/facts/knownFacts.ts';
import { parseTests } from '../../../src/context/facts/testReports.ts';
import { cpuClock } from '../../cpuTime.ts';
import { Log } from './log.ts';

const reports: readonly (readonly [string, string, object])[] = [
  [
    'vitest',
    ' ❯ test/a.test.ts (4 tests | 1 failed) 8ms\n   × adds 5ms\n FAIL  test/a.test.ts > adds\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 12 passed | 2 skipped (15)',
    { runner: 'vitest', passed: 12, failed: 1, failing: ['adds', 'test/a.test.ts > adds'] },
  ],
  [
    'jest',
    'PASS src/b.test.js\nFAIL src/a.test.js\n  ● sum › adds\n\nTests:       1 failed, 5 passed, 6 total',
    {
      runner: 'jest',
      passed: 5,
      failed: 1,
      failing: ['src/a.test.js', 'sum › adds'],
    },
  ],
  [
    'pytest',
    'FAILED tests/test_a.py::test_x - AssertionError: no\n==== 1 failed, 10 passed, 1 warning in 0.12s ====',
    { runner: 'pytest', passed: 10, failed: 1, failing: ['tests/test_a.py::test_x'] },
  ],
  ['pytest, quiet', '3 passed in 0.01s', { runner: 'pytest', passed: 3, failed: 0, failing: [] }],
  [
    'go',
    '--- FAIL: TestAdd (0.00s)\n    a_test.go:5: no\nFAIL\nFAIL\texample.com/a\t0.003s\nok  \texample.com/b\t0.001s',
    { runner: 'go', passed: 1, failed: 1, failing: ['TestAdd'] },
  ],
  [
    'go, verbose',
    '=== RUN   TestAdd\n--- PASS: TestAdd (0.00s)\n    --- PASS: TestAdd/zero (0.00s)\nok  \texample.com/b\t0.001s',
    { runner: 'go', passed: 3, failed: 0, failing: [] },
  ],
  [
    'cargo',
    'test math::adds ... FAILED\ntest math::subs ... ok\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\ntest result: ok. 4 passed; 0 failed; 0 ignored',
    { runner: 'cargo', passed: 5, failed: 1, failing: ['math::adds'] },
  ],
  [
    'tsc',
    'src/a.ts(3,4): error TS2322: Type\nsrc/a.ts(9,4): error TS2322: Type\nsrc/b.ts(1,1): error TS1005: x',
    { runner: 'tsc', failed: 3, failing: ['src/a.ts', 'src/b.ts'] },
  ],
  [
    'tsc, pretty',
    'src/a.ts:3:4 - error TS2322: Type\n\nFound 1 error in src/a.ts:3',
    { runner: 'tsc', failed: 1 },
  ],
  ['mocha', '  12 passing (30ms)\n  2 failing', { runner: 'mocha', passed: 12, failed: 2 }],
  ['node', '✖ adds (0.3ms)\nℹ pass 3\nℹ fail 1', { runner: 'node', passed: 3, failed: 1, failing: ['adds'] }],
  [
    'maven',
    '[INFO] Tests run: 5, Failures: 1, Errors: 1, Skipped: 0',
    { runner: 'maven', passed: 3, failed: 2 },
  ],
  ['rspec', '10 examples, 2 failures', { runner: 'rspec', passed: 8, failed: 2 }],
  [
    'vitest, a file that could not be loaded',
    ' FAIL  test/b.test.ts [ test/b.test.ts ]\n Test Files  1 failed | 1 passed (2)\n      Tests  6 passed (6)',
    { runner: 'vitest', passed: 6, failed: 1, failing: ['test/b.test.ts'] },
  ],
  [
    'vitest, no file could be loaded',
    ' Test Files  1 failed (1)\n      Tests  no tests',
    { runner: 'vitest', passed: 0, failed: 1 },
  ],
  [
    'vitest, an error outside of tests',
    ' Test Files  2 passed (2)\n      Tests  6 passed (6)\n     Errors  1 error',
    { runner: 'vitest', passed: 6, failed: 1 },
  ],
  [
    'jest, a suite that could not be loaded',
    'Test Suites: 1 failed, 1 passed, 2 total\nTests:       5 passed, 5 total',
    { runner: 'jest', passed: 5, failed: 1 },
  ],
  [
    'node, a test that was cancelled',
    'ℹ pass 3\nℹ fail 0\nℹ cancelled 1',
    { runner: 'node', passed: 3, failed: 1 },
  ],
  [
    'colors',
    '\u001b[31m FAIL \u001b[39m a.test.ts\n\u001b[2m      Tests \u001b[22m 1 failed (1)',
    { runner: 'vitest', failed: 1 },
  ],
];

describe('reports of test runners', () => {
  test.each(reports)('%s', (_name, text, report) => {
    expect(parseTests(text)).toMatchObject(report);
  });

  test.each([
    '',
    'hello',
    'The tests passed: 3 of them',
    'Tests are good',
    'x'.repeat(100_000),
    'FAIL\n'.repeat(9),
  ])('not a report: %j', (text) => {
    expect(parseTests(text)).toBeUndefined();
  });
});

test('commands end with the exit code in their result; ids may be reused', () => {
  const log = new Log();
  log.command('npm run build', 'done');
  log.command('make', 'no rule', 2);
  log.call(
    { command: 'sleep 9' },
    { output: 'x\n(Interrupted by the user.)', kind: 'command', status: 'partial' },
  );
  log.call(
    { command: 'serve' },
    { output: 'Runs in the background as task 1. BashOutput reads', kind: 'command' },
  );
  log.call({ command: 'rm -rf /' }, { output: 'The user said no.', status: 'denied' });
  log.call({ file_path: 'a.ts' }, { output: 'exit code 3' }, 'Read');
  log.raw({
    subtype: 'shell',
    message: { role: 'user', content: '' },
    data: { command: 'git status', output: 'clean', status: 'ok' },
  });
  expect(commandRuns(log.entries).map(({ command, exitCode }) => [command, exitCode])).toEqual([
    ['npm run build', 0],
    ['make', 2],
    ['sleep 9', undefined],
    ['serve', undefined],
    ['rm -rf /', undefined],
    ['git status', 0],
  ]);
});

test('a file is reported once, in its last state, in the order of the last changes', () => {
  const log = new Log();
  log.change('/repo/a.ts', 'created', { hash: 'aa', added: 10, removed: 0 });
  log.change('/repo/b.ts', 'modified', { hash: 'bb', added: 1, removed: 1 });
  log.change('/repo/c.ts', 'created', { hash: 'cc' });
  const last = log.change('/repo/a.ts', 'modified', { hash: 'ab', added: 2, removed: 3 });
  log.change('/repo/c.ts', 'deleted');
  expect(knownFacts(log.entries).files).toEqual([
    { path: '/repo/b.ts', kind: 'modified', seq: 3 },
    { path: '/repo/a.ts', kind: 'created', seq: last },
    { path: '/repo/c.ts', kind: 'deleted', seq: 9 },
  ]);
});

test('reading in slices gives the same result as reading at once, and five megabytes cause no delay', async () => {
  const log = new Log();
  for (let index = 0; index < 100; index++)
    log.command(`run ${index}`, `line ${index} src/foo${index}.ts error: bad\n`.repeat(1500), index % 2);
  const spentMs = cpuClock();
  await readFacts(log.entries);
  const facts = knownFacts(log.entries);
  expect(spentMs()).toBeLessThan(2000);
  expect(facts.commands).toHaveLength(100);
  expect(facts.commands.filter(({ tests }) => tests !== undefined)).toEqual([]);
});
