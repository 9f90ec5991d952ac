import { expect, test } from 'vitest';
import { ledgerLines } from '../../../src/context/compaction/ledger.ts';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { Log } from '../facts/log.ts';

const lines = (write: (log: Log) => void): readonly string[] => {
  const log = new Log();
  write(log);
  return groupAtoms(log.entries).flatMap(ledgerLines);
};
const LONG = `cd packages/server && npx vitest run ${'test/integration/orders/discounts.test.ts '.repeat(9)}`;

test('how a command ended stands before the command, which may be cut', () => {
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
  [{ output: 'x'.repeat(5000), display: { title: 'a.ts' } }, '#1 Bash [5,000 bytes] a.ts'],
  [{ output: 'ok', display: { title: 'a.ts', summary: '2 lines' } }, '#1 Bash [2 lines] a.ts'],
  [{ output: 'ok', display: { title: 'a.ts' } }, '#1 Bash a.ts'],
  [
    { output: 'The user said no.', status: 'denied' as const, display: { title: 'a.ts' } },
    '#1 Bash [denied] a.ts',
  ],
])('a call with the result %j is told as %j', (result, expected) => {
  expect(lines((log) => log.call({}, result))).toEqual([expected]);
});

test('an outcome is one line, whatever it holds', () => {
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
