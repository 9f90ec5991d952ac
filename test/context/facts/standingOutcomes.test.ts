import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commandRuns, currentOutcomes } from '../../../src/context/facts/commandRuns.ts';
import { recordedFacts } from '../../../src/context/facts/recordedFacts.ts';
import { Log } from './log.ts';

const RED = ' FAIL  a.test.ts > adds\n Tests  1 failed | 1 passed (2)';
const GREEN = ' Tests  2 passed (2)';

/** The outcomes after a log written by `write`, in short. */
function told(write: (log: Log) => void): { readonly tests?: string; readonly failed?: string } {
  const log = new Log();
  write(log);
  const { tests, failed } = currentOutcomes(commandRuns(log.entries));
  return {
    ...(tests === undefined ? {} : { tests: `${tests.tests.failed} failed` }),
    ...(failed === undefined ? {} : { failed: `${failed.command} = ${failed.exitCode}` }),
  };
}

const background = (log: Log, command: string): number =>
  log.call(
    { command },
    { output: 'Runs in the background as task 1. BashOutput reads it.', kind: 'command' },
  );
const interrupted = (log: Log, command: string): number =>
  log.call({ command }, { output: `${RED}\n(Interrupted by the user.)`, kind: 'command', status: 'partial' });
const own = (log: Log, command: string, output: string, status = 'ok'): number =>
  log.raw({
    subtype: 'shell',
    message: { role: 'user', content: `$ ${command}\n${output}` },
    data: { command, output, status },
  });

const cases: readonly (readonly [string, (log: Log) => void, object])[] = [
  [
    'a failure, then three green runs through another pipe',
    (log) => {
      log.command('npx vitest run 2>&1 | head -80', RED);
      for (let run = 0; run < 3; run++) log.command('npx vitest run 2>&1 | tail -12', GREEN);
    },
    { tests: '0 failed' },
  ],
  [
    'a direct call that failed, then a green npm test',
    (log) => {
      log.command('npx vitest run test/a.test.ts', RED, 1);
      log.command('npm test', GREEN);
    },
    { tests: '0 failed' },
  ],
  [
    'a program that failed, and later succeeded inside a chain',
    (log) => {
      log.command('node src/main.js', 'Error: no', 1);
      log.command('cd packages/a && npm run build && node src/main.js', 'fine');
    },
    {},
  ],
  ['a failure with nothing after it', (log) => log.command('npm test', RED, 1), { tests: '1 failed' }],
  [
    'a failure with only read-only commands after it',
    (log) => {
      log.command('npm test', RED, 1);
      log.command('cat src/a.ts | head -20 2>/dev/null; git diff --stat && ls', 'text');
      log.command('grep -rn adds src', '', 1);
    },
    { tests: '1 failed' },
  ],
  [
    'a failure and a run of something else',
    (log) => {
      log.command('npm test', RED, 1);
      log.command('sed -i s/a/b/ src/a.ts', '');
    },
    {},
  ],
  ...[
    'env CI=1 npm test',
    'tail -f log & npm test',
    'grep -c pass <(npm test)',
    'echo $(npm test)',
    'echo `npm test`',
    'cat a > src/a.ts',
    'CI=1 npm test | tail -1',
    'cd a\nnpm test',
    'git stash',
  ].map(
    (command) =>
      [
        `a failure that ${JSON.stringify(command)} followed, which may have shown it fixed`,
        (log: Log) => {
          log.command('npm test', RED, 1);
          log.command(command, 'done');
        },
        {},
      ] as const,
  ),
  [
    'a failure, and a background run whose end is unknown',
    (log) => {
      log.command('npm test', RED, 1);
      background(log, 'npm test');
    },
    {},
  ],
  ['an interrupted run', (log) => interrupted(log, 'npm test -- --run'), { tests: '1 failed' }],
  [
    'a failure, and a run that was interrupted before any output',
    (log) => {
      log.command('npm test', RED, 1);
      log.call({ command: 'npm test' }, { output: '(Interrupted by the user.)', status: 'partial' });
    },
    {},
  ],
  [
    'a failure that the user’s own command showed fixed',
    (log) => {
      log.command('npm test', RED, 1);
      own(log, 'npm test', GREEN);
    },
    { tests: '0 failed' },
  ],
  [
    'a failure that the user’s own command showed',
    (log) => own(log, 'npm test', RED, 'error'),
    { tests: '1 failed' },
  ],
  [
    'a pass, and a command that failed after it',
    (log) => {
      log.command('npm test', GREEN);
      log.command('npm run build', 'error', 2);
    },
    { failed: 'npm run build = 2' },
  ],
  [
    'a pass, and a command that succeeded after it',
    (log) => {
      log.command('npm test', GREEN);
      log.command('git commit -m x', 'done');
    },
    { tests: '0 failed' },
  ],
];

describe('the outcomes that are still current', () => {
  test.each(cases)('after %s', (_, write, expected) => {
    expect(told(write)).toEqual(expected);
  });
});

const TARGETS = 4;
const target = fc.nat(TARGETS - 1);
/** How a run is written, and which lines of its output are in the log. */
const shapes = [
  { write: (run: string) => run, cut: (lines: readonly string[]) => lines, hidesExit: false },
  {
    write: (run: string) => `cd /repo && ${run}`,
    cut: (lines: readonly string[]) => lines,
    hidesExit: false,
  },
  { write: (run: string) => `env CI=1 ${run}`, cut: (lines: readonly string[]) => lines, hidesExit: false },
  {
    write: (run: string) => `${run} 2>&1 | head -80`,
    cut: (lines: readonly string[]) => lines,
    hidesExit: true,
  },
  {
    write: (run: string) => `${run} | head -1`,
    cut: (lines: readonly string[]) => lines.slice(0, 1),
    hidesExit: true,
  },
  {
    write: (run: string) => `${run} | tail -1`,
    cut: (lines: readonly string[]) => lines.slice(-1),
    hidesExit: true,
  },
  {
    write: (run: string) => `${run}; echo done`,
    cut: (lines: readonly string[]) => [...lines, 'done'],
    hidesExit: true,
  },
] as const;
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('edit' as const), target }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('script' as const), target }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('test' as const),
      /** Undefined = all. */
      target: fc.option(target, { nil: undefined }),
      shape: fc.constantFrom(...shapes),
      by: fc.constantFrom('model', 'model', 'user', 'background', 'interrupt'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('program' as const), shape: fc.constantFrom(...shapes) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('look' as const),
      command: fc.constantFrom('cat a.ts', 'git status', 'grep -rn x . | wc -l', 'cd /repo && ls -la 2>&1'),
      exitCode: fc.constantFrom(0, 0, 1),
    }),
  },
);

test('in any order of runs and edits, no failure is reported that was fixed', { tags: 'long' }, () => {
  let statements = 0;
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 25 }), (happenings) => {
      const log = new Log();
      const fails = Array.from({ length: TARGETS }, (_, index) => index % 2 === 0);
      for (const one of happenings) {
        if (one.type === 'edit') {
          fails[one.target] = fails[one.target] !== true;
          log.change(`/repo/src/part${one.target}.ts`);
        } else if (one.type === 'script') {
          fails[one.target] = fails[one.target] !== true;
          log.command(`sed -i s/a/b/ src/part${one.target}.ts`, '');
        } else if (one.type === 'look') log.command(one.command, 'text', one.exitCode);
        else if (one.type === 'program') {
          const { write, hidesExit } = one.shape;
          log.command(write('node src/main.js'), 'output', fails[0] === true && !hidesExit ? 1 : 0);
        } else run(log, one, fails);
        // Checked after every step, because a compaction may come at any time.
        statements += check(recordedFacts(log.entries, 10_000, undefined), fails);
      }
    }),
    { numRuns: 2000 },
  );
  expect(statements).toBeGreaterThan(1000);
});

type TestRun = Extract<typeof happening extends fc.Arbitrary<infer T> ? T : never, { type: 'test' }>;

function run(log: Log, { target: only, shape, by }: TestRun, fails: readonly boolean[]): void {
  const targets = Array.from({ length: TARGETS }, (_, index) => index).filter(
    (one) => only === undefined || one === only,
  );
  const failing = targets.filter((one) => fails[one]);
  const lines = [
    ...failing.map((one) => ` FAIL  part${one}.test.ts > works`),
    ` Tests  ${failing.length} failed | ${targets.length - failing.length} passed (${targets.length})`,
  ];
  const command = shape.write(only === undefined ? 'npm test' : `npx vitest run part${only}.test.ts`);
  const output = shape.cut(lines).join('\n');
  const exitCode = failing.length > 0 && !shape.hidesExit ? 1 : 0;
  if (by === 'background') background(log, command);
  else if (by === 'interrupt')
    log.call({ command }, { output: '(Interrupted by the user.)', kind: 'command', status: 'partial' });
  else if (by === 'user') own(log, command, output, exitCode === 0 ? 'ok' : 'error');
  else log.command(command, output, exitCode);
}

/** The failures that a section reports as current; a line that says that files were changed since reports none. */
function check(text: string, fails: readonly boolean[]): number {
  let statements = 0;
  for (const line of text.split('\n')) {
    if (line.endsWith('Files were changed after it.')) continue;
    const [, failed] = /^Last test run .*: (\d+) failed,/.exec(line) ?? [];
    if (failed !== undefined && Number(failed) > 0) {
      statements++;
      const [, only] = /`[^`]*part(\d)[^`]*`/.exec(line) ?? [];
      const now = fails.filter(
        (fail, index) => fail && (only === undefined || Number(only) === index),
      ).length;
      expect(Number(failed), line).toBe(now);
      for (const [, name] of (line.split('Failing then:')[1] ?? '').matchAll(/part(\d)/g))
        expect(fails[Number(name)], line).toBe(true);
    }
    if (line.startsWith('Last command, exit code')) {
      statements++;
      expect(fails[0], line).toBe(true);
    }
  }
  return statements;
}
