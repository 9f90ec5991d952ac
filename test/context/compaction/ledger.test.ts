import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ledgerLines, ledgerNote } from '../../../src/context/compaction/ledger.ts';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { estimateTokens, HIGH } from '../../../src/context/tokens/estimate.ts';
import type { Todo } from '../../../src/protocol/entries/fields.ts';
import { anyText, Log } from '../facts/log.ts';

type LedgerPosition = Parameters<typeof ledgerNote>[1];

const lines = (write: (log: Log) => void): readonly string[] => {
  const log = new Log();
  write(log);
  return ledgerLines(groupAtoms(log.entries));
};
const LONG = `cd packages/server && npx vitest run ${'test/integration/orders/discounts.test.ts '.repeat(9)}`;

test('the outcome of a command comes before the command, which may be cut', () => {
  const [line = ''] = lines((log) =>
    log.call(
      { command: LONG },
      {
        output: 'Error: expected 3 to be 4\nexit code 1',
        status: 'error',
        display: { title: LONG, summary: 'exit 1' },
      },
    ),
  );
  expect(line).toMatch(/^#1 Bash \[exit 1, .*expected 3 to be 4\] cd packages\/server && npx vitest run /);
  expect(line).toMatch(/…$/);
  expect(line.length).toBeLessThan(300);
});

test.each([
  [{ output: 'x'.repeat(5000), display: { title: 'a.ts' } }, '#1 Bash [ok, 5,000 bytes] a.ts'],
  [{ output: 'ok', display: { title: 'a.ts', summary: '2 lines' } }, '#1 Bash [2 lines] a.ts'],
  [{ output: 'fine', display: { title: 'a.ts' } }, '#1 Bash [ok] a.ts'],
  [{ output: 'half', status: 'partial' as const, display: { title: 'a.ts' } }, '#1 Bash a.ts'],
  [
    { output: 'The user said no.', status: 'denied' as const, display: { title: 'a.ts' } },
    '#1 Bash [denied] a.ts',
  ],
])('a call with the result %j becomes %j', (result, expected) => {
  expect(lines((log) => log.call({}, result))).toEqual([expected]);
});

test('an outcome is one line, whatever it contains', () => {
  const [line = ''] = lines((log) =>
    log.call(
      {},
      {
        output: `Error: ${'no\n'.repeat(500)}`,
        status: 'error',
        display: { title: 'make\nall', summary: 'exit 2' },
      },
    ),
  );
  expect(line).not.toContain('\n');
  expect(line).toContain('[exit 2');
  expect(line).toContain('make all');
});

const RED =
  ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 5 passed (6)\n   Start at  10:00:00';
const GREEN = ' Test Files  2 passed (2)\n      Tests  6 passed (6)\n   Start at  10:00:00';
const NODE_GREEN = 'ℹ tests 8\nℹ pass 8\nℹ fail 0\nℹ cancelled 0\nℹ skipped 0';
const GO_GREEN = 'ok  \texample.com/b\t0.001s';

/** The bracket of a command that took 2.0 s. */
const bracket = (command: string, output: string, exitCode = 0): string => {
  const summary = exitCode === 0 ? '2.0 s' : `exit ${exitCode} · 2.0 s`;
  const [line = ''] = lines((log) =>
    log.call(
      { command },
      {
        output: exitCode === 0 ? output : `${output}\nexit code ${exitCode}`,
        kind: 'command',
        status: exitCode === 0 ? 'ok' : 'error',
        display: { title: 'it', summary },
      },
    ),
  );
  return line.replace('#1 Bash ', '').replace(/(, \d+ bytes)?\] it$/, ']');
};

test.each([
  ['npx vitest run 2>&1 | tail -40', RED, 0, '[vitest: 1 failed, 5 passed, 2.0 s]'],
  ['npx vitest run; echo done', `${RED}\ndone`, 0, '[vitest: 1 failed, 5 passed, 2.0 s]'],
  [
    'npx vitest run',
    ` FAIL  a.test.ts > adds\n${RED}`,
    1,
    '[vitest: 1 failed, 5 passed, exit 1 · 2.0 s, a.test.ts > adds]',
  ],
  ['npx vitest run', GREEN, 0, '[vitest: 6 passed, 2.0 s]'],
  ['cd a && CI=1 npx vitest run 2>&1 | tail -40', GREEN, 0, '[vitest: 6 passed, 2.0 s]'],
  [
    'npx vitest run | tail -9',
    GREEN.replace('2 passed (2)', '1 failed | 2 passed (3)'),
    0,
    '[vitest: 1 failed, 6 passed, 2.0 s]',
  ],
  ['node --test test/ | tail -9', NODE_GREEN, 0, '[node: 8 passed, 2.0 s]'],
  ['python -m pytest -q | tail -3', '3 passed in 0.01s', 0, '[pytest: 3 passed, 2.0 s]'],
  ['npm run build && npm test', GREEN, 0, '[vitest: 6 passed, 2.0 s]'],
  [
    'npx tsc --noEmit',
    'src/a.ts(3,4): error TS2322: no\nFound 2 errors.',
    2,
    '[2 errors, exit 2 · 2.0 s, src/a.ts]',
  ],
  ['git commit -m x', 'done', 0, '[ok, 2.0 s]'],
])('the outcome of %s comes first', (command, output, exitCode, expected) => {
  expect(bracket(command, output, exitCode)).toBe(expected);
});

test.each([
  ['a pass through a pipe, when more than one command ran', 'npx jest; npx vitest run | tail -9', GREEN, 0],
  ['a pass through a pipe, when a script may have run several', 'npm test 2>&1 | tail -9', GREEN, 0],
  ['a pass of which only the total is left', 'npx vitest run | grep Tests', '      Tests  6 passed (6)', 0],
  ['node tests when their failures were cut off', 'node --test | grep pass', 'ℹ pass 8', 0],
  ['go packages when others may have been cut off', 'go test ./... | tail -1', GO_GREEN, 0],
  ['success, where a pipe hides the exit code', 'npx tsc --noEmit | head -20; echo done', 'done', 0],
  ['tests that passed in a command that failed', 'npx vitest run && npm run lint', GREEN, 1],
  ['failures that contradict the exit code', 'node print.js', RED, 0],
  ['a report in a file that was only displayed', 'cat run.log | tail -5', RED, 0],
])('omits %s', (_, command, output, exitCode) => {
  expect(bracket(command, output, exitCode)).toBe(exitCode === 0 ? '[2.0 s]' : '[exit 1 · 2.0 s]');
});

test('a user’s command is reported like the model’s', () => {
  const head = '$ npm test | tail\n\n';
  const [line] = lines((log) =>
    log.raw({
      subtype: 'shell',
      message: { role: 'user', content: head + RED },
      data: {
        command: 'npm test | tail',
        outputAt: head.length,
        status: 'ok',
        display: { title: 'npm test | tail', summary: '2.0 s' },
      },
    }),
  );
  expect(line).toBe('#0 ! [vitest: 1 failed, 5 passed, 2.0 s] npm test | tail');
});

describe('todo lists', () => {
  const list = (log: Log, summary: string, todos: readonly Todo[]): number =>
    log.call({}, { todos: [...todos], display: { title: `${todos.length} todos`, summary } }, 'TodoWrite');
  const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({ content, status });

  test('the last one names open items; earlier ones may be outdated, so they do not', () => {
    const told = lines((log) => {
      list(log, '0 of 2 done', [todo('read it'), todo('change it')]);
      list(log, '1 of 2 done', [todo('read it', 'completed'), todo('change it', 'in_progress')]);
    });
    expect(told).toEqual([
      '#1 TodoWrite [0 of 2 done] 2 todos',
      '#3 TodoWrite [1 of 2 done] open: change it',
    ]);
  });

  test('with any number of them, the line is short and says how many it leaves out', () => {
    const todos = Array.from({ length: 30 }, (_, index) => todo(`part ${index} of the work\non the parser`));
    const [line = ''] = lines((log) => list(log, '0 of 30 done', todos));
    expect(line).toMatch(
      /^#1 TodoWrite \[0 of 30 done\] open: part 0 of the work on the parser; .*; and \d+ more$/,
    );
    expect(line.length).toBeLessThan(250);
  });
});

describe('the text of a reply', () => {
  const answer = (text: string): string => lines((log) => log.reply(text))[0] ?? '';
  const filler =
    'Extglobs are guarded: repeated ones with ambiguous alternatives are rewritten to literals. '.repeat(8);

  test.each([
    [
      'a question at the end of a paragraph',
      `${filler}A limit (say 20) would bound it. Do you want one?`,
      'Do you want one?',
    ],
    ['a last paragraph', `${filler}\n\nNot done: the fastpaths.`, 'Not done: the fastpaths.'],
    [
      'a question before its choices',
      `${filler}\n\nWhich one?\n\n1. the limit\n2. the warning`,
      'Which one? 1. the limit 2. the warning',
    ],
    [
      'a question in Chinese',
      `${'这个选项限制了花括号的数量。'.repeat(40)}要我加一个限制吗？`,
      '要我加一个限制吗？',
    ],
    ['a question in a one-megabyte text', `${filler.repeat(1500)}Do you want one?`, 'Do you want one?'],
  ])('keeps its beginning, and %s', (_, text, end) => {
    const line = answer(text);
    expect(line.startsWith(`#0 "${text.slice(0, 20)}`)).toBe(true);
    expect(line.endsWith(`${end}"`)).toBe(true);
    expect(line).toContain(' … ');
    expect(line.length).toBeLessThan(700);
  });

  test('a last sentence that is too long keeps its end', () => {
    const line = answer(`First. ${'and so on '.repeat(300)}until it is done?`);
    expect(line).toMatch(/^#0 "First\..* … ….*until it is done\?"$/);
  });

  test('is complete if it fits', () => {
    expect(answer('Done.\n\nDo you want more?')).toBe('#0 "Done. Do you want more?"');
  });
});

test('a note is one line for each step, whatever it contains', () => {
  fc.assert(
    fc.property(anyText, anyText, fc.nat(80), (text, title, times) => {
      const log = new Log();
      log.reply(text.repeat(times));
      log.call({ command: text }, { output: text.repeat(times), display: { title, summary: '1 s' } });
      const made = ledgerLines(groupAtoms(log.entries));
      for (const line of made) {
        expect(line).not.toMatch(/[\n\r]/);
        expect(line.isWellFormed()).toBe(true);
        expect(estimateTokens(line, HIGH)).toBeLessThan(200);
      }
    }),
  );
});

test('each kind has its own heading, which says how to see a full step', () => {
  const log = new Log();
  log.reply('Done.');
  const places: readonly LedgerPosition[] = ['earlier', 'current', 'current_after_summary', 'continued'];
  const notes = places.map((place) => ledgerNote(groupAtoms(log.entries), place));
  expect(new Set(notes).size).toBe(places.length);
  for (const note of notes) expect(note).toMatch(/Recall with its pointer .*:\n#0 "Done\."$/);
});
