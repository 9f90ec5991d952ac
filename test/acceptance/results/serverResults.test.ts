/**
 * Long results of an MCP server in a separate process.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { textOf } from '../../e2e/support/wire.ts';
import { stdio } from '../../mcp/support/testServer.ts';
import { openProject, use } from '../support/project.ts';

const settings = { mcpServers: { far: stdio('long-results') } };

test('a text of 200 kB is offloaded, and any part of it can be read again, even in a resumed session', async () => {
  const project = await openProject({ settings });
  const first = await project.run('read the words', {
    replies: [
      { calls: [use('mcp__far__words', { count: 20_000 })] },
      { calls: [use('mcp__far__words', { count: 90 })] },
      { text: 'I have them.' },
    ],
  });
  const word = (at: number): string => `word${String(at).padStart(5, '0')}`;
  const text = Array.from({ length: 20_000 }, (_, at) => word(at)).join(' ');
  expect(text.length).toBeGreaterThan(199_000);
  const { _OFFLOADED_: pointer, originalSize } = JSON.parse(textOf(first.requests[1]?.messages.at(-1))) as {
    _OFFLOADED_: { memoryId: string; summary: string; preview: string; totalLength: number };
    originalSize: number;
  };
  expect(pointer).toMatchObject({
    memoryId: expect.stringMatching(/^[0-9a-f]{8,64}$/),
    summary: expect.stringContaining('Recall'),
    totalLength: text.length,
  });
  expect(pointer.preview.length).toBeLessThanOrEqual(500);
  expect(pointer.preview.length).toBeGreaterThan(400);
  expect(originalSize).toBeGreaterThan(1000);
  // Below the limit nothing is lost.
  expect(textOf(first.requests[2]?.messages.at(-1))).toContain(text.slice(0, 89 * 10));

  const recall = { calls: [use('Recall', { id: pointer.memoryId, offset: 100_000, limit: 1000 })] };
  const second = await project.run('and bytes 100 k to 101 k?', {
    resume: first.sessionId,
    replies: [recall, { text: 'Here.' }],
  });
  expect(textOf(second.requests[1]?.messages.at(-1))).toContain(text.slice(100_000, 101_000));
});

test('shows twenty of a list’s fifty items with the other keys, and the rest can be recalled', async () => {
  const project = await openProject({ settings });
  const first = await project.run('list them', {
    replies: [{ calls: [use('mcp__far__items', { count: 50 })] }, { text: 'I see.' }],
  });
  const { id: _, ...shown } = JSON.parse(textOf(first.requests[1]?.messages.at(-1)));
  expect(shown).toEqual({
    ...{ nextCursor: 'c7', isPartial: false, totalCount: 50 },
    _note_: expect.stringMatching(/^20 of 50\. All: Recall/),
    items: Array.from({ length: 20 }, (_, at) => ({ name: `item ${at}`, size: at })),
  });
  const pointer = /Recall\("([0-9a-f]{12})"\)/.exec(String(shown._note_))?.[1];
  const second = await project.run('and the others?', {
    resume: first.sessionId,
    replies: [{ calls: [use('Recall', { id: pointer })] }, { text: 'All.' }],
  });
  expect(textOf(second.requests[1]?.messages.at(-1))).toContain('item 49');
});
