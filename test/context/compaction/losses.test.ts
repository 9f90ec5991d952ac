import { expect, test } from 'vitest';
import { lossesOf } from '../../../src/context/compaction/losses.ts';
import { Log } from '../facts/log.ts';

function dropped(): Log {
  const log = new Log();
  log.prompt('Fix it. Use pnpm. Never touch the database.');
  log.reply('I decided to use a queue, because writes race.');
  log.change('/repo/src/a.ts');
  log.command(
    'npx vitest run',
    ' FAIL  test/a.test.ts > adds\nTypeError: x is not a function\n Tests  1 failed (1)',
    1,
  );
  return log;
}

test('everything that is nowhere any more is named, strongest first, with its place', () => {
  expect(lossesOf('', '', dropped().entries)).toEqual([
    { kind: 'constraint', text: 'Never touch the database.', seq: 0 },
    { kind: 'constraint', text: 'Use pnpm.', seq: 0 },
    { kind: 'path', text: '/repo/src/a.ts', seq: 3 },
    { kind: 'failing_test', text: 'test/a.test.ts > adds', seq: 5 },
    { kind: 'decision', text: 'I decided to use a queue, because writes race.', seq: 1 },
    { kind: 'error', text: 'TypeError: x is not a function', seq: 5 },
  ]);
});

test('what the summary or the kept part says is not lost', () => {
  const summary =
    'The user said "never touch the database". Changed: src/a.ts. Failing: test/a.test.ts > adds';
  const kept = 'I decided to use a queue, because\nwrites race. TypeError: x is not a function';
  expect(lossesOf(summary, kept, dropped().entries).map(({ text }) => text)).toEqual(['Use pnpm.']);
  expect(lossesOf(`${summary} ${kept} use pnpm`, '', dropped().entries)).toEqual([]);
});

test('a longer name does not stand for a shorter one, and a test that passes now is no loss', () => {
  const log = new Log();
  log.change('/repo/src/a.ts');
  log.command('npm test', ' FAIL  x.test.ts > y\n Tests  1 failed (1)', 1);
  log.command('npm test', ' Tests  1 passed (1)');
  expect(lossesOf('src/a.tsx', '', log.entries).map(({ kind }) => kind)).toEqual(['path']);
});

test('the list ends at fifty, and large texts are searched in one pass', () => {
  const log = new Log();
  for (let index = 0; index < 300; index++) {
    log.prompt(`Never rename field f${index}.`);
    log.change(`/repo/src/part${index}.ts`);
    log.command(`check ${index}`, `Error: number ${index} is bad`, 1);
  }
  const started = performance.now();
  expect(lossesOf('nothing', 'src/part 1 Error: number is bad\n'.repeat(30_000), log.entries)).toHaveLength(
    50,
  );
  expect(performance.now() - started).toBeLessThan(5000);
});
