import type { CommandRun } from './commandRuns.ts';

/** The newest word on a set of tests, by the command that ran them. */
export interface TestRun extends CommandRun {
  readonly tests: NonNullable<CommandRun['tests']>;
}

export interface FailingTest {
  readonly name: string;
  readonly command: string;
  readonly seq: number;
}

/**
 * The latest run of each test command, in log order. A run replaces an earlier one of the same command and of
 * narrower ones ("vitest run" those of "vitest run a.test.ts"), so a test that failed and passed later has passed.
 */
export function latestTestRuns(runs: readonly CommandRun[]): TestRun[] {
  const latest: TestRun[] = [];
  for (const run of [...runs].reverse()) {
    if (run.tests === undefined || latest.some((newer) => covers(newer, run))) continue;
    latest.push({ ...run, tests: run.tests });
    if (latest.length >= MAX_RUNS) break;
  }
  return latest.reverse();
}

/** Distinct test commands that are told of. */
const MAX_RUNS = 60;

function covers(newer: TestRun, older: CommandRun): boolean {
  if (newer.tests.runner !== older.tests?.runner) return false;
  if (newer.command === older.command) return true;
  // A chain of commands may test something else altogether.
  return older.command.startsWith(`${newer.command} `) && !/&&|[|;]/.test(older.command);
}

/** Tests that failed when they were last heard of; in log order. */
export function failingTests(runs: readonly CommandRun[]): FailingTest[] {
  const latest = latestTestRuns(runs);
  const passedAt = new Map<string, number>();
  for (const { tests, seq } of latest) for (const name of tests.passing) passedAt.set(name, seq);
  return latest.flatMap(({ command, seq, tests }) =>
    tests.failing.filter((name) => (passedAt.get(name) ?? -1) <= seq).map((name) => ({ name, command, seq })),
  );
}
