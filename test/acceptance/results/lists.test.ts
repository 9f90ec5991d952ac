/** The first items of a list, and their number. */
import { expect, test } from 'vitest';
import { textOf } from '../../e2e/support/wire.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`src/f${n}.txt`, `${n}\n`]));

async function listed(offload: object, pattern = 'src/*.txt') {
  const app = await createTestApp({ files, settings: { context: offload } });
  const open = await app.open();
  const [, next] = await open.ask('list', { calls: [use('Glob', { pattern })] }, { text: 'I see.' });
  return { open, text: textOf(next?.messages.at(-1)) };
}
const names = (text: string): string[] => text.match(/src\/f\d+\.txt/g) ?? [];

test('shows twenty of fifty items, with a note on how to see the others', async () => {
  const { open, text } = await listed({});
  expect(names(text)).toHaveLength(20);
  expect(text).toContain('_note_');
  expect(text).toMatch(/20 of 50/);
  const pointer = /Recall\W+(?:id\W+)?([0-9a-f]{8,64}|#\d+)/.exec(text)?.[1] ?? '';
  const [, next] = await open.ask('all', { calls: [use('Recall', { id: pointer })] }, { text: 'I see.' });
  expect(new Set(names(textOf(next?.messages.at(-1)))).size).toBe(50);
});

test('shorter lists are complete; the limit and shortening itself are settings', async () => {
  expect(names((await listed({}, 'src/f1*.txt')).text)).toHaveLength(11);
  expect((await listed({}, 'src/f1*.txt')).text).not.toContain('_note_');
  expect(names((await listed({ offload: { maxListItems: 5 } })).text)).toHaveLength(5);
  expect(names((await listed({ toolResultCompression: false })).text)).toHaveLength(50);
});

/** A list as an MCP tool returns it, admitted like every result. */
async function admitted(list: unknown) {
  const manager = (await createTestApp({ window: 200_000 })).manager();
  await manager.createSession('u', {}, { systemPrompt: 'Be brief.' });
  await manager.addMessage('user', 'list');
  const call = { id: 'call_1', name: 'mcp__files__list', arguments: '{}' };
  await manager.appendReply({
    message: { role: 'assistant', content: '', toolCalls: [call] },
    finishReason: 'tool_calls',
  });
  const text = JSON.stringify(list);
  const { toolResult } = await manager.appendToolResult({
    call,
    outcome: { status: 'ok', text, kind: 'list', display: { title: 'files' } },
  });
  const { id: _, ...shown } = JSON.parse(String(toolResult?.output));
  const pointer = /Recall\("([0-9a-f]{12})"\)/.exec(String(shown._note_))?.[1];
  const whole =
    pointer === undefined
      ? undefined
      : await manager.recall({ id: pointer, limit: 50_000 }, new AbortController().signal);
  await manager.close();
  return { shown, text, whole: whole?.text };
}
const items = (count: number, size = 1) =>
  Array.from({ length: count }, (_, n) => ({ name: `item ${n}`, about: 'word '.repeat(size) }));

test('a list in JSON keeps its other keys, and can be recalled in full', async () => {
  const rest = { nextCursor: 'c7', query: { kind: 'all' }, isPartial: false };
  const { shown, text, whole } = await admitted({ ...rest, items: items(50) });
  expect(shown).toEqual({
    ...rest,
    _note_: expect.stringMatching(/^20 of 50\. All: Recall/),
    totalCount: 50,
    items: items(20),
  });
  expect(whole).toContain(text);
  const bare = await admitted(items(50));
  expect(bare.shown).toMatchObject({ totalCount: 50, items: items(20) });
  const short = await admitted({ ...rest, items: items(20) });
  expect(short.shown).toEqual({ ...rest, items: items(20) });
});

test('shows fewer large items, only the beginning of one that is too large, and long keys only in the original', async () => {
  const large = await admitted({ items: items(50, 150) });
  expect(large.shown.items.length).toBeGreaterThan(2);
  expect(large.shown.items.length).toBeLessThan(10);
  expect(large.shown._note_).toContain(`${large.shown.items.length} of 50`);
  const huge = await admitted({ items: items(3, 4000) });
  expect(huge.shown).toMatchObject({
    totalCount: 3,
    items: [expect.stringMatching(/^\{"name":"item 0".*…$/)],
  });
  const wordy = await admitted({ cursor: 'c7', log: 'word '.repeat(4000), items: items(50) });
  expect([wordy.shown.cursor, wordy.shown.log]).toEqual(['c7', undefined]);
  expect(wordy.whole).toBeDefined();
});
