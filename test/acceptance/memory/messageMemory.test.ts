/** The part of a long session that stays in memory. */

import { expect, test } from 'vitest';
import { MemoryStore, projectMessages } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { sessionOf } from '../../context/sessionOf.ts';
import { createTestApp, type TestApp } from '../support/testApp.ts';

/** A session of 1,200 messages: 300 rounds of a question, a call, its result and a reply. */
async function longSession(app: TestApp) {
  const manager = app.manager();
  await manager.createSession('u', {}, { systemPrompt: 'Be brief.', instructions: 'Be kind.' });
  for (let n = 0; n < 300; n++) {
    const call = { id: `call_${n}`, name: 'Read', arguments: '{}' };
    await manager.addMessage('user', `question ${n}`);
    await manager.appendReply({
      message: { role: 'assistant', content: '', toolCalls: [call] },
      finishReason: 'tool_calls',
    });
    const display = { title: 'a.txt' };
    await manager.appendToolResult({
      call,
      outcome: { status: 'ok', text: `result ${n}`, kind: 'file', display },
    });
    await manager.addMessage('assistant', `answer ${n}`);
  }
  return manager;
}

test('keeps 800 to 1,000 of 1,200 messages in memory and separates no pair', {
  tags: 'long',
}, async () => {
  const app = await createTestApp({ window: 1_000_000 });
  const manager = await longSession(app);
  const entries = manager.entries();
  const store = new MemoryStore(1000);
  for (const entry of entries) store.addMessage(entry);
  expect(store.getTotalCount()).toBe(entries.length);
  const check = (resident: readonly JSONLEntry[], least: number, most: number): void => {
    expect(resident.length).toBeGreaterThanOrEqual(least);
    expect(resident.length).toBeLessThanOrEqual(most);
    const calls = resident.flatMap(({ tool }) => tool?.id ?? []);
    expect(resident.flatMap(({ toolResult }) => toolResult?.id ?? [])).toEqual(calls);
    const seqs = resident.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));
    expect(resident[0]?.subtype).toBe('session_start');
    expect(resident.at(-1)?.seq).toBe(entries.at(-1)?.seq);
  };
  check(store.getMessages(), 800, 1000);
  store.setMessages(entries.slice(0, 10));
  expect([store.getMessageCount(), store.getTotalCount()]).toEqual([10, 10]);
  store.clear();
  expect([store.getMessageCount(), store.getTotalCount()]).toEqual([0, 0]);

  // In the session: messages that left memory are rebuilt from the log, and the request is the same.
  const { memory } = sessionOf(manager).projection;
  check(memory.resident(), 800, 1000);
  expect(JSON.stringify(manager.getMessages())).toBe(JSON.stringify(projectMessages(entries)));
  expect(manager.getMessages()).toHaveLength(1202);
});

test('the setting applies, and the summary always stays in memory', async () => {
  const app = await createTestApp({
    window: 1_000_000,
    settings: { context: { summary: 'simple', maxMemoryMessages: 50 } },
  });
  const open = await app.open();
  const { memory } = sessionOf(open.context).projection;
  await open.ask('first', { text: 'Much. '.repeat(70_000) });
  await open.ask('second', { text: 'Little.' });
  await open.submit({ type: 'compact' });
  for (let n = 0; n < 60; n++)
    await open.context.addMessage(n % 2 === 0 ? 'user' : 'assistant', `message ${n}`);
  expect(memory.count).toBeLessThanOrEqual(50);
  expect(memory.resident().some(({ isCompactSummary }) => isCompactSummary === true)).toBe(true);
  const messages = open.context.getMessages();
  expect(JSON.stringify(messages)).toBe(JSON.stringify(projectMessages(open.entries())));
  expect(JSON.stringify(messages)).toContain('[Previous conversation summary]');
  expect(messages.length).toBeGreaterThan(60);
});
