import { expect, test } from 'vitest';
import {
  findDecisiveLines,
  firstErrorLine,
  quotesFiles,
  rank,
} from '../../../src/context/results/errorLines.ts';
import { truncateObservation } from '../../../src/context/results/ObservationTruncator.ts';
import { cpuClock } from '../../cpuTime.ts';

/** The rank of a line among the others of an output; empty if it does not matter. */
function ranksOf(line: string): readonly number[] {
  const text = `Error: first\n${line}\nError: last\n`;
  const steps = findDecisiveLines(text, 0, text.length);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value.map((found) => found.rank).filter((one) => one !== rank.edge);
}

test.each([
  ['src/a.ts(1,2): error TS2345: no', true],
  ['error[E0308]: mismatched types', true],
  ['TypeError: x is not a function', true],
  ['E       assert 500 == 200', true],
  ['--- FAIL: TestX (0.00s)', true],
  ['npm ERR! code ELIFECYCLE', true],
  ['java.lang.IllegalStateException: no', true],
  ["thread 'a' panicked at src/a.rs:1:2:", true],
  ['make: *** [all] Error 2', true],
  ['test a::b ... FAILED', true],
  ['PASS src/errors/failure.test.ts', false],
  [' ✓ test/error.test.ts (3 tests) 4ms', false],
  ['ok 3 - fails on a bad error', false],
  ['0 errors, 3 warnings', false],
  ['Tests:       0 failed, 12 passed', false],
  ['0 warnings, 2 errors', true],
  ['   Compiling thiserror-impl v1.0.50', false],
  ['import { AppError } from "./errors/AppError.ts"', false],
  ['all is well', false],
  ["    throw new SyntaxError(syntaxError('opening', '('));", false],
  ['  42\t    throw new TypeError(message);', false],
  ['lib/a.js:12:  } catch (error) {', false],
  ['-  if (error instanceof RangeError) return;', false],
  [' * Create the message for a syntax error', false],
  ['// may fail', false],
  ['        raise ValueError("no")', false],
  ['    except OSError as error:', false],
  ['export class AppError extends Error {', false],
  ['SyntaxError: Unexpected token {', true],
  ["error: expected ';' before '}' token", true],
  ['Uncaught Error: no', true],
  ['* error: it broke', true],
])('%j reports a failure: %s', (line, expected) => {
  expect(firstErrorLine(line)).toBe(expected ? line.trim() : undefined);
});

test.each([
  ['src/a.ts:12:5', true],
  ['src/a.ts(12,5): error', true],
  ['  File "app/a.py", line 12, in f', true],
  ['  --> src/main.rs:3:9', true],
  ['e: file:///proj/A.kt: (12, 5): no', true],
  ['Dockerfile:17', true],
  ['line 12 of the poem', false],
  ['at 12:30:05 it ended', false],
  ['version 1.2.3', false],
  ['unit1.pas(12,5) Error: no', true],
  ['      value = value.slice(2, -1);', false],
  ['const inner = prev.value.slice(1);', false],
])('%j names a place in a file: %s', (line, expected) => {
  const [found] = ranksOf(line);
  expect(found === rank.errorWithPlace || found === rank.place).toBe(expected);
});

test.each([
  ['  at run (node_modules/jest-circus/build/run.js:252:3)', true],
  ['  File "/usr/lib/python3.12/json/decoder.py", line 355', true],
  ['\t/usr/local/go/src/testing/testing.go:1631 +0x24a', true],
  ['  at Object.<anonymous> (src/a.test.ts:3:1)', false],
])('%j is about third-party code: %s', (line, expected) => {
  expect(ranksOf(line)).toEqual(expected ? [] : [rank.place]);
});

test.each([
  ['Tests:       6 failed, 1912 passed, 1918 total', true],
  ['test result: FAILED. 415 passed; 5 failed', true],
  ['======= 7 failed, 805 passed in 63.20s =======', true],
  ['exit code 1', true],
  ['Found 24 errors in 9 files.', true],
  ['compiling', false],
])('%j counts an outcome: %s', (line, expected) => {
  expect(ranksOf(line).includes(rank.summary)).toBe(expected);
});

test.each([
  [{ kind: 'file' }, true],
  [{ kind: 'search' }, true],
  [{ kind: 'text' }, false],
  [{}, false],
  [{ kind: 'command', display: { title: 'cat lib/parse.js lib/scan.js' } }, true],
  [{ kind: 'command', display: { title: "cd lib && sed -n '1,9p' a.js | head; git -C x diff" } }, true],
  [{ kind: 'command', display: { title: 'grep -rn "fail|error" src' } }, true],
  [{ kind: 'command', status: 'error', display: { title: 'cat lib/parse.js' } }, false],
  [{ kind: 'command', display: { title: 'cat build.log' } }, false],
  [{ kind: 'command', display: { title: 'cat a.js; node --test' } }, false],
  [{ kind: 'command', display: { title: 'node --test | tail -50' } }, false],
  [{ kind: 'command', display: { title: 'cat a.js … (+2 lines)' } }, false],
  [{ kind: 'command' }, false],
])('%j only quotes files: %s', (facts, expected) => {
  expect(quotesFiles(facts)).toBe(expected);
});

test('a command with many options causes no delay', () => {
  const spentMs = cpuClock();
  expect(quotesFiles({ kind: 'command', display: { title: `git ${'-C '.repeat(5000)}x` } })).toBe(false);
  expect(quotesFiles({ kind: 'command', display: { title: 'git -C a --no-pager -C b log' } })).toBe(true);
  expect(spentMs()).toBeLessThan(2000);
});

test('the first error line of a text is trimmed, and there may be none', () => {
  expect(firstErrorLine('a\n   Error: no\nError: later')).toBe('Error: no');
  expect(firstErrorLine('')).toBeUndefined();
  expect(firstErrorLine(`${'x\n'.repeat(150_000)}Error: too far`)).toBeUndefined();
});

test('places in the project precede frames in third-party packages', () => {
  const lines = ['start', ...Array.from({ length: 200 }, () => 'noise')];
  lines.push('Error: it broke');
  for (let index = 0; index < 20; index++)
    lines.push(`    at step (node_modules/runner/lib/file${index}.js:${index + 1}:10)`);
  lines.push('    at own (src/own.ts:42:7)', ...Array.from({ length: 200 }, () => 'noise'));
  const { preview } = truncateObservation(lines.join('\n'), { maxLines: 100, maxBytes: 500 }, 'head_tail');
  expect(preview).toContain('src/own.ts:42:7');
  expect(preview).toContain('Error: it broke');
});
