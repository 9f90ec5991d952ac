import { expect, test } from 'vitest';
import { viewOf } from '../../../src/context/history/view.ts';
import { planSlidingWindow } from '../../../src/context/strategies/applyWindow.ts';
import { contextSettingsSchema } from '../../../src/protocol/contextSettings.ts';
import { LogMaker } from '../history/logMaker.ts';

const { window } = contextSettingsSchema.parse({});
/** A token for each character, and ten for what is around it. */
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

test('what the user pinned stays', () => {
  const log = new LogMaker();
  for (let index = 0; index < 8; index++) log.prompt(`p${index}`).reply(`r${index}`);
  const plan = planSlidingWindow({ ...viewOf(log.entries), pinned: new Set(['e1']) }, window, facts);
  expect(plan?.removed).toEqual(['e0', 'e2', 'e3', 'e4', 'e5']);
});

test('a short conversation is left unchanged', () => {
  const log = new LogMaker().prompt('a').reply('b');
  expect(planSlidingWindow(viewOf(log.entries), window, facts)).toBeUndefined();
});
