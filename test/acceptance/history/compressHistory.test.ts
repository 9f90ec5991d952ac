/** A summary and the newest rounds. */
import { expect, test } from 'vitest';
import { estimateTokens, HistoryManager } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { isSummary, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const sizeOf = (entry: JSONLEntry): number =>
  estimateTokens(JSON.stringify([entry.message, entry.toolResult ?? '']));
const isPrompt = (text: string): boolean => text.startsWith('question');

test('fifteen rounds become a summary and ten rounds', async () => {
  const open = await (
    await createTestApp({ window: 64_000, settings: { context: { minRetainRounds: 10 } } })
  ).open();
  for (let n = 0; n < 15; n++)
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'Words. '.repeat(1000)}` });
  const history = new HistoryManager({ sizeOf, contextWindow: 200_000, clock: () => Date.UTC(2030, 0, 1) });
  for (const entry of open.entries()) history.append(entry);
  expect(history.compress('What was said.')).toBe(true);
  const list = history.getHistory();
  expect(history.estimateRounds()).toBe(10);
  expect(JSON.stringify(list.find(({ isCompactSummary }) => isCompactSummary === true))).toContain(
    '2030-01-01',
  );
  expect(history.compress('Again.')).toBe(false);

  await open.submit({ type: 'compact' }, { text: SUMMARY });
  const [next] = await open.ask('question 15', { text: 'Yes.' });
  const texts = next?.messages.map(textOf) ?? [];
  expect(texts.filter(isPrompt)).toEqual(Array.from({ length: 11 }, (_, n) => `question ${n + 5}`));
  expect(texts.find((text) => text.startsWith('[Previous conversation summary]'))).toBeDefined();
});

test('one giant round is compressed too, and every call keeps its result', async () => {
  const open = await (
    await createTestApp({ window: 200_000, files: { 'a.txt': 'alpha beta\n'.repeat(400) } })
  ).open();
  const steps = Array.from({ length: 30 }, (_, n) => ({
    text: `Step ${n}. ${'Words. '.repeat(150)}`,
    calls: [use('Read', { file_path: 'a.txt', offset: n + 1, limit: 300 })],
  }));
  await open.ask('question of all questions', ...steps, { text: 'Done.' });
  const history = new HistoryManager({ sizeOf, contextWindow: 20_000 });
  for (const entry of open.entries()) history.append(entry);
  const before = history.countTokens();
  expect(history.estimateRounds()).toBe(1);
  expect(history.compress('What was read.')).toBe(true);
  expect(history.countTokens()).toBeLessThan(before / 2);

  await open.submit({ type: 'compact' }, { text: SUMMARY });
  const [next] = await open.ask('go on', { text: 'Yes.' });
  if (next === undefined) throw new Error('no request');
  expectPairedCalls(next);
  const texts = next.messages.map(textOf);
  expect(texts.filter((text) => text.startsWith('Step')).length).toBeLessThan(30);
  expect(texts.some((text) => text.startsWith('Step 29'))).toBe(true);
});

test('an earlier summary is folded into the next one', async () => {
  const open = await (await createTestApp({ window: 200_000 })).open();
  const talk = async (n: number): Promise<void> => {
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'Words. '.repeat(9000)}` });
    await open.ask(`question ${n}b`, { text: 'Short.' });
  };
  await talk(1);
  await open.submit({ type: 'compact' }, { text: `${SUMMARY}\nThe port is 8417.` });
  await talk(2);
  const [asked] = await open.submit({ type: 'compact' }, { text: SUMMARY });
  if (asked === undefined) throw new Error('no request');
  expect(isSummary(asked)).toBe(true);
  expect(JSON.stringify(asked.messages)).toContain('The port is 8417');
  expect(textOf(asked.messages.at(-1))).toMatch(/earlier summary/i);
  const [next] = await open.ask('question 3', { text: 'Yes.' });
  const summaries = next?.messages.filter((message) =>
    textOf(message).includes('[Previous conversation summary]'),
  );
  expect(summaries).toHaveLength(1);

  const history = new HistoryManager({ sizeOf, contextWindow: 100_000, minRetainRounds: 1 });
  for (const entry of open.entries()) history.append(entry);
  history.compress('First: the port is 8417.');
  await open.ask('question 4', { text: 'Words. '.repeat(500) });
  for (const entry of open.entries().slice(-3)) history.append(entry);
  expect(history.compress('Second.')).toBe(true);
  const text = JSON.stringify(history.getHistory());
  for (const kept of ['Second.', 'First: the port is 8417.']) expect(text).toContain(kept);
  expect(history.getHistory().filter(({ isCompactSummary }) => isCompactSummary === true)).toHaveLength(1);
});
