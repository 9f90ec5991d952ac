import { expect, test } from 'vitest';
import { liveEntries } from '../../../src/context/history/liveEntries.ts';
import { reductionEntry } from '../../../src/context/history/reductions.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import { removalEntry, withNotes } from '../../../src/context/strategies/removeAtoms.ts';
import { LogMaker } from '../history/logMaker.ts';

/** Removes these, and the notes of earlier removals with them. */
function remove(log: LogMaker, ...uuids: readonly string[]): LogMaker {
  const removed = withNotes(viewOf(log.entries), uuids);
  const removal = { removed, strategy: 'test', reason: 'test' };
  return log.add(removalEntry(removal, liveEntries(log.entries), { preTokens: 0 }));
}

const shown = (log: LogMaker): readonly string[] =>
  viewOf(log.entries).atoms.map(({ head }) => String(head.message.content));

test('the note of a later removal points to what the earlier ones left out as well', () => {
  const log = new LogMaker().prompt('a').prompt('b').prompt('c').prompt('d').prompt('e');
  remove(log, 'e0');
  remove(log, 'e2');
  remove(log, 'e3');
  expect(shown(log)).toEqual([expect.stringContaining('3 earlier messages are'), 'b', 'e']);
  expect(shown(log)[0]).toContain('"#0-#3"');
});

test('the pointer of a removal reaches the results of what it left out', () => {
  const log = new LogMaker().prompt('a').step('look', 'one', 'two').prompt('b');
  expect(shown(remove(log, 'e1'))).toEqual(['a', expect.stringContaining('"#1-#5"'), 'b']);
});

test('a removal of nothing but notes still says where everything is', () => {
  const log = new LogMaker().prompt('a').reply('x').reply('y').prompt('b').reply('z').prompt('c');
  const notes = [
    { at: 'e1', text: 'line of x and y' },
    { at: 'e4', text: 'line of z' },
  ];
  const facts = { reason: 'old steps', preTokens: 0 };
  log.add(reductionEntry({ kind: 'mask', ...facts, removed: ['e1', 'e2', 'e4'], notes }));
  expect(shown(log)).toEqual(['a', 'line of x and y', 'b', 'line of z', 'c']);
  remove(log, 'e6:0', 'e6:1');
  expect(shown(log)).toEqual(['a', expect.stringContaining('"#1-#4"'), 'b', 'c']);
});

test('reductions of a foreign log that remove each other end', () => {
  const log = new LogMaker().prompt('a').prompt('b');
  const facts = { kind: 'remove', reason: 'test', preTokens: 0 } as const;
  log.add(reductionEntry({ ...facts, removed: ['e0', 'e3'] }));
  log.add(reductionEntry({ ...facts, removed: ['e2'] }));
  expect(shown(log)).toEqual(['b']);
  expect(shown(remove(log, 'e1')).length).toBeLessThan(2);
});
