/** A history only grows, and cannot be changed from outside. */
import { expect, test } from 'vitest';
import { estimateTokens, HistoryManager } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { createTestApp } from '../support/testApp.ts';

const options = {
  sizeOf: (entry: JSONLEntry) => estimateTokens(JSON.stringify(entry.message)),
  contextWindow: 10_000,
};

test('changing a list that `HistoryManager` returned changes nothing', async () => {
  const app = await createTestApp();
  const open = await app.open();
  await open.ask('one', { text: 'First.' });
  await open.ask('two', { text: 'Second.' });
  const history = new HistoryManager(options);
  for (const entry of open.entries()) history.append(structuredClone(entry) as JSONLEntry);
  const before = JSON.stringify(history.getHistory());
  expect(JSON.parse(before)).toEqual(open.entries());

  const list = history.getHistory();
  list.pop();
  list.reverse();
  const dict = history.toDict();
  for (const entry of [...list, ...dict.entries])
    expect(() => Object.assign(entry.message, { content: 'changed' })).toThrow(TypeError);
  expect(JSON.stringify(history.getHistory())).toBe(before);

  const mine = structuredClone(open.entries()[0]) as JSONLEntry;
  const own = new HistoryManager(options);
  own.append(mine);
  mine.message.content = 'changed';
  expect(JSON.stringify(own.getHistory())).not.toContain('changed');

  const copy = new HistoryManager(options);
  copy.load(JSON.parse(JSON.stringify(dict)));
  expect(copy.getHistory()).toEqual(JSON.parse(before));
  expect(copy.countTokens()).toBe(history.countTokens());
  copy.clear();
  expect([copy.getHistory(), copy.countTokens()]).toEqual([[], 0]);
  expect(JSON.stringify(history.getHistory())).toBe(before);
});

test('changing a list that the session returned changes nothing', async () => {
  const open = await (await createTestApp()).open();
  await open.ask('one', { text: 'First.' });
  const before = JSON.stringify([open.context.entries(), open.context.getMessages()]);
  const tamper = (work: () => unknown): void => {
    try {
      work();
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
  };
  tamper(() => (open.context.entries() as JSONLEntry[]).pop());
  tamper(() => Object.assign(open.context.entries()[1]?.message ?? {}, { content: 'changed' }));
  tamper(() => (open.context.getMessages() as unknown[]).pop());
  expect(JSON.stringify([open.context.entries(), open.context.getMessages()])).toBe(before);
});
