/**
 * Parses the final reports of test runners and type checkers: vitest, jest, mocha, node, pytest, go, cargo, tsc and
 * others.
 */

export interface TestReport {
  readonly runner: string;
  readonly passed: number;
  readonly failed: number;
  /** Names of failing tests or, if there are none, of failing files; at most `MAX_NAMES`. */
  readonly failing: readonly string[];
  /**
   * True if the output states the whole result, including failures and files that could not be loaded. False if a total
   * may be cut off or the runner prints several.
   */
  readonly isComplete: boolean;
}

const MAX_NAMES = 100;
const MAX_NAME = 200;
/** Longer lines are data, and matching them would be slow. */
const MAX_LINE = 500;

/** Undefined if the text is not the output of a test runner. */
export function parseTests(text: string): TestReport | undefined {
  let total: Counts | undefined;
  let files: Files | undefined;
  const failing = new Set<string>();
  for (const raw of text.split('\n')) {
    if (raw.length > MAX_LINE) continue;
    const line = raw.replace(/\u001b\[[\d;]*m/g, '').trim();
    if (line === '') continue;
    total = countsOf(line, total) ?? total;
    files = filesOf(line, files) ?? files;
    addFailing(failing, line);
  }
  if (total === undefined && (files?.failed ?? 0) === 0) return goReport(failing, text);
  const { runner, passed, failed } = total ?? { runner: files?.runner ?? '', passed: 0, failed: 0 };
  return {
    runner,
    passed,
    // A file that could not be loaded has no failed test.
    failed: failed === 0 ? (files?.failed ?? 0) : failed,
    failing: [...failing],
    isComplete:
      total !== undefined && (files?.runner === runner || isOneLine(runner) || total.lines === NODE_LINES),
  };
}

type Files = Pick<TestReport, 'runner' | 'failed'>;

/** Failed files of vitest and jest, and vitest's errors outside tests. */
function filesOf(line: string, before: Files | undefined): Files | undefined {
  const [, heading, rest = ''] = /^(Test Files|Test Suites:)\s+(\d.*)$/.exec(line) ?? [];
  if (heading !== undefined)
    return { runner: heading === 'Test Files' ? 'vitest' : 'jest', failed: wordCounts(rest).failed };
  const [, errors] = /^Errors\s+(\d+) errors?$/.exec(line) ?? [];
  if (errors === undefined || before?.runner !== 'vitest') return undefined;
  return { ...before, failed: before.failed + Number(errors) };
}

/** True for runners whose total is a single line with failures and errors. */
function isOneLine(runner: string): boolean {
  return runner === 'pytest' || runner === 'rspec';
}

type Counts = Pick<TestReport, 'runner' | 'passed' | 'failed'> & {
  /** For node: number of total lines seen in a row. */
  readonly lines?: number;
};

/** A later line overrides an earlier one, since the total comes last; several lines of one cargo run add up. */
function countsOf(line: string, before: Counts | undefined): Counts | undefined {
  const [, rest] = /^Tests:?\s+(\d.*)$/.exec(line) ?? [];
  if (rest !== undefined && /\d+ (?:passed|failed)/.test(rest))
    return { runner: line.startsWith('Tests:') ? 'jest' : 'vitest', ...wordCounts(rest) };
  if (/^=* ?(?:\d+ [a-z]+,? ?)+ in [\d.]+s\b/.test(line) && /\d+ (?:passed|failed|errors?)/.test(line))
    return { runner: 'pytest', ...wordCounts(line) };
  const cargo = /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed/.exec(line);
  if (cargo !== null) return cargoTotal(cargo[1], cargo[2], before);
  const maven = /^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+)/.exec(line);
  if (maven !== null) {
    const failed = Number(maven[2]) + Number(maven[3]);
    return { runner: 'maven', passed: Number(maven[1]) - failed, failed };
  }
  const rspec = /^(\d+) examples?, (\d+) failures?/.exec(line);
  if (rspec !== null)
    return { runner: 'rspec', passed: Number(rspec[1]) - Number(rspec[2]), failed: Number(rspec[2]) };
  const mocha = /^(\d+) (passing|failing)\b/.exec(line);
  if (mocha !== null) return mochaTotal(mocha[2] === 'passing', mocha[1], before);
  const node = /^[#ℹ] (pass|fail|cancelled) (\d+)$/.exec(line);
  if (node !== null) return nodeCounts(node[1], Number(node[2]), before);
  const tsc = /^Found (\d+) errors?(?: in |\.|$)/.exec(line);
  if (tsc !== null) return { runner: 'tsc', passed: 0, failed: Number(tsc[1]) };
  const lint = /^✖ \d+ problems? \((\d+) errors?/.exec(line);
  if (lint !== null) return { runner: 'eslint', passed: 0, failed: Number(lint[1]) };
  // Without --pretty tsc prints no total, so its error lines are counted.
  if (/^[^\s(]+\(\d+,\d+\): error TS\d+:/.test(line) && (before === undefined || before.runner === 'tsc'))
    return { runner: 'tsc', passed: 0, failed: (before?.failed ?? 0) + 1 };
  return undefined;
}

function wordCounts(text: string): Pick<Counts, 'passed' | 'failed'> {
  const of = (pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0);
  return { passed: of(/(\d+) passed/), failed: of(/(\d+) failed/) + of(/(\d+) errors?\b/) };
}

function cargoTotal(
  passed: string | undefined,
  failed: string | undefined,
  before: Counts | undefined,
): Counts {
  const base = before?.runner === 'cargo' ? before : { passed: 0, failed: 0 };
  return { runner: 'cargo', passed: base.passed + Number(passed), failed: base.failed + Number(failed) };
}

function mochaTotal(isPass: boolean, count: string | undefined, before: Counts | undefined): Counts {
  const base = before?.runner === 'mocha' ? before : { passed: 0, failed: 0 };
  return isPass
    ? { runner: 'mocha', passed: Number(count), failed: base.failed }
    : { runner: 'mocha', passed: base.passed, failed: Number(count) };
}

/** Node prints its totals on consecutive lines: pass, fail, cancelled. */
const NODE_LINES = 3;

function nodeCounts(word: string | undefined, count: number, before: Counts | undefined): Counts {
  if (word === 'pass') return { runner: 'node', passed: count, failed: 0, lines: 1 };
  const { passed, failed, lines = 0 } = before?.runner === 'node' ? before : { passed: 0, failed: 0 };
  return { runner: 'node', passed, failed: word === 'fail' ? count : failed + count, lines: lines + 1 };
}

/** The first group of each pattern is the name. */
const FAILING: readonly RegExp[] = [
  /^(?:FAIL|❯ FAIL)\s+(\S.*?)(?:\s+\[.*\])?$/, // vitest, jest: file, or file > test
  /^[×✗✕]\s+(\S.*?)(?:\s+\(?\d+ ?ms\)?)?$/, // vitest, jest, mocha: test
  /^●\s+(\S.*)$/, // jest: suite › test
  /^(?:FAILED|ERROR)\s+(\S+?::\S.*?|\S+\.py)(?: - .*)?$/, // pytest
  /^--- FAIL: (\S+)/, // go: test
  /^test (\S+) \.\.\. FAILED$/, // cargo
  /^not ok \d+ - (\S.*)$/, // node, tap
  /^✖ (\D.*?)(?: \([\d.]+ms\))?$/, // node
  /^(\S+?)(?:\(\d+,\d+\)|:\d+:\d+ -)(?::)? error TS\d+/, // tsc: file
];

function addFailing(names: Set<string>, line: string): void {
  if (names.size >= MAX_NAMES) return;
  for (const pattern of FAILING) {
    const name = pattern.exec(line)?.[1];
    if (name === undefined) continue;
    if (name.length <= MAX_NAME && !/^\d+ (?:problems?|failed|tests?)\b/.test(name)) names.add(name);
    return;
  }
}

/** Go prints no total: counts packages, and tests if `-v` names them. */
function goReport(failing: ReadonlySet<string>, text: string): TestReport | undefined {
  const packages = [...text.matchAll(/^(ok|FAIL|---? FAIL:)[ \t]+(\S+)[ \t]+(?:\(cached\)|\(?[\d.]+s\)?)/gm)];
  if (packages.length === 0) return undefined;
  const good = packages.filter(([, word]) => word === 'ok');
  const passed = new Set([...text.matchAll(/^\s*--- PASS: (Test\S*)/gm)].map(([, name]) => name));
  const tests = [...text.matchAll(/^\s*--- FAIL: (\S+)/gm)].flatMap(([, name]) => name ?? []);
  const bad = packages.flatMap(([, word, name]) => (word === 'FAIL' && name !== undefined ? [name] : []));
  const names = tests.length > 0 ? tests : bad;
  return {
    runner: 'go',
    passed: good.length + passed.size,
    failed: names.length > 0 ? names.length : failing.size,
    failing: names.slice(0, MAX_NAMES),
    isComplete: false,
  };
}
