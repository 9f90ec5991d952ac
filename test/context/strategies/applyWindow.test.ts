import { expect, test } from 'vitest';
import { liveEntries } from '../../../src/context/history/liveEntries.ts';
import { reductionEntry } from '../../../src/context/history/reductions.ts';
import { viewOf } from '../../../src/context/history/view.ts';
import { planSlidingWindow, removalEntry, withNotes } from '../../../src/context/strategies/applyWindow.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { LogMaker } from '../history/logMaker.ts';

const { window } = contextSettingsSchema.parse({});
/** One token for each character, plus ten. */
const sizeOfResult = (atom: Parameters<typeof sizeOf>[0], index: number): number =>
  String(atom.calls[index]?.result?.toolResult?.output ?? '').length;
const sizeOf = (atom: ReturnType<typeof viewOf>['atoms'][number]): number =>
  10 +
  String(atom.head.message.content).length +
  atom.calls.reduce((sum, _, index) => sum + sizeOfResult(atom, index), 0);
const facts = { sizeOf, sizeOfResult };

test('everything before the newest rounds is removed, and large results are cut', () => {
  const log = new LogMaker().note('instructions', 'Always test.');
  for (let index = 0; index < 8; index++) log.prompt(`p${index}`).reply(`r${index}`);
  log.step('look', 'x'.repeat(3000));
  const plan = planSlidingWindow(viewOf(log.entries), window, facts);
  // Three rounds of eight; the instructions stay.
  expect(plan?.removed).toEqual(['e1', 'e2', 'e3', 'e4', 'e5', 'e6']);
  expect(plan?.clips.map(({ result, tokens }) => [result.uuid, tokens])).toEqual([['e19', 800]]);
  expect(plan?.window.totalTokens).toBeLessThanOrEqual(4000);
});

test('a turn of a hundred steps keeps its prompt and its newest steps', () => {
  const log = new LogMaker().prompt('the request');
  for (let index = 0; index < 100; index++) log.step(`s${index}`, 'y'.repeat(400));
  const view = viewOf(log.entries);
  const plan = planSlidingWindow(view, window, facts);
  const removed = new Set(plan?.removed);
  expect(removed.has('e0')).toBe(false);
  const kept = view.atoms.filter(({ head }) => !removed.has(head.uuid));
  expect(kept.at(-1)).toBe(view.atoms.at(-1));
  expect(kept.reduce((sum, atom) => sum + sizeOf(atom), 0)).toBeLessThanOrEqual(4000);
  expect(kept).toHaveLength(10);
});

test('pinned items stay', () => {
  const log = new LogMaker();
  for (let index = 0; index < 8; index++) log.prompt(`p${index}`).reply(`r${index}`);
  const plan = planSlidingWindow({ ...viewOf(log.entries), pinned: new Set(['e1']) }, window, facts);
  expect(plan?.removed).toEqual(['e0', 'e2', 'e3', 'e4', 'e5']);
});

test('a short conversation is left unchanged', () => {
  const log = new LogMaker().prompt('a').reply('b');
  expect(planSlidingWindow(viewOf(log.entries), window, facts)).toBeUndefined();
});

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
  expect(shown(log)).toEqual([expect.stringContaining('3 earlier messages were removed'), 'b', 'e']);
  expect(shown(log)[0]).toContain('"#0-#3"');
});

test('the pointer of a removal reaches the results of what it left out', () => {
  const log = new LogMaker().prompt('a').step('look', 'one', 'two').prompt('b');
  expect(shown(remove(log, 'e1'))).toEqual(['a', expect.stringContaining('"#1-#5"'), 'b']);
});

test('a removal of only notes still says where everything is', () => {
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

test('reductions in a foreign log that remove each other terminate', () => {
  const log = new LogMaker().prompt('a').prompt('b');
  const facts = { kind: 'remove', reason: 'test', preTokens: 0 } as const;
  log.add(reductionEntry({ ...facts, removed: ['e0', 'e3'] }));
  log.add(reductionEntry({ ...facts, removed: ['e2'] }));
  expect(shown(log)).toEqual(['b']);
  expect(shown(remove(log, 'e1')).length).toBeLessThan(2);
});
