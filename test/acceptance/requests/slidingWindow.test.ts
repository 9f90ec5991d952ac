/** The messages that a window shows. */

import { expect, test } from 'vitest';
import { groupAtoms } from '../../../src/context/history/atoms.ts';
import { reductionOf } from '../../../src/context/history/reductions.ts';
import { windowItems } from '../../../src/context/history/SlidingWindow.ts';
import { estimateTokens, SlidingWindow } from '../../../src/context/index.ts';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const sizeOfText = (value: unknown): number =>
  estimateTokens(typeof value === 'string' ? value : JSON.stringify(value ?? ''));

test('`SlidingWindow.applyWindow` on thirty messages of a real log', async () => {
  const app = await createTestApp({ files: { 'a.txt': 'alpha beta gamma\n'.repeat(250) } });
  const open = await app.open();
  for (let n = 0; n < 10; n++)
    await open.ask(
      `question ${n}`,
      { calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${n}. ${'Words. '.repeat(60)}` },
    );
  const atoms = groupAtoms(open.entries());
  expect(atoms.filter(({ head }) => head.subtype === 'prompt' || head.type === 'assistant')).toHaveLength(30);
  const items = windowItems(atoms, {
    sizeOf: (atom) =>
      sizeOfText(atom.head.message.content) +
      atom.calls.reduce((sum, { result }) => sum + sizeOfText(result?.toolResult?.output), 0),
    sizeOfResult: (atom, index) => sizeOfText(atom.calls[index]?.result?.toolResult?.output),
  });
  const window = new SlidingWindow({ rounds: 5, maxMessageTokens: 800, messagesBudget: 4000 });
  const startSeq = items[3]?.seq ?? 0;
  const result = window.applyWindow(items, startSeq, 2500);
  expect(result.totalTokens).toBeLessThanOrEqual(2500);
  expect(result.included.length).toBeGreaterThan(3);
  // The newest of the list, in order, without a gap.
  expect(result.included).toEqual(items.map(({ id }) => id).slice(-result.included.length));
  expect(result.lastIncludedSeq).toBe(items.at(-1)?.lastSeq);
  expect(result.excludedCount).toBe(items.length - 3 - result.included.length);
  const cut = items.filter(
    ({ id, results }) => result.included.includes(id) && results.some(({ tokens }) => tokens > 800),
  );
  expect(result.truncatedCount).toBe(cut.length);
  expect(result.truncatedCount).toBeGreaterThan(0);
  const wide = window.applyWindow(items, 0, 1_000_000);
  expect(wide.included).toEqual(items.map(({ id }) => id).slice(-15));
  // A tool's share is its size, and at least 50.
  const [tiny] = items;
  const small = { ...tiny, id: 'small', tokens: 30, results: [{ uuid: 'r', tokens: 10 }], hasCalls: true };
  expect(window.applyWindow([small as NonNullable<typeof tiny>], 0, 1000).totalTokens).toBe(70);
});

test('strategy sliding-window sends the newest rounds within its budget, in order, with every call and its result', async () => {
  const app = await createTestApp({
    settings: { context: { strategy: 'sliding-window' } },
    files: { 'a.txt': 'alpha beta\n'.repeat(30) },
  });
  const open = await app.open();
  for (let n = 0; n < 10; n++) {
    const asked = await open.ask(
      `question ${n}`,
      { calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${n}. ${'Words. '.repeat(200)}` },
    );
    for (const request of asked) {
      expectPairedCalls(request);
      const prompts = request.messages.map(textOf).filter((text) => text.startsWith('question'));
      expect(prompts.length).toBeLessThanOrEqual(5);
      expect(prompts).toEqual(
        Array.from({ length: prompts.length }, (_, index) => `question ${n - prompts.length + 1 + index}`),
      );
      const messages = request.messages.slice(1);
      expect(messages.reduce((sum, message) => sum + sizeOfText(message.content), 0)).toBeLessThan(4400);
    }
  }
  expect(open.entries().some((entry) => reductionOf(entry)?.strategy === 'sliding-window')).toBe(true);
});
