/** Who writes a summary, and under which headings. */
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/agent/reply.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { SUMMARY } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const hasty: Clock = { now: () => Date.now(), random: () => 0.5, sleep: () => Promise.resolve() };
const answer = { text: `Words. ${'And more of it. '.repeat(3000)}` };

test('smart: the model writes the headings, and the next request shows them', async () => {
  const open = await (await createTestApp({ window: 100_000 })).open();
  await open.ask('first', answer);
  await open.ask('second', { text: 'Short.' });
  const [asked] = await open.submit({ type: 'compact' }, { text: SUMMARY });
  const instruction = textOf(asked?.messages.at(-1)).toLowerCase();
  // Five of the six headings.
  for (const wanted of ['intent', 'decisions', 'completed work', 'important findings', 'pending tasks'])
    expect(instruction).toContain(wanted);
  const [next] = await open.ask('third', { text: 'Yes.' });
  const summary =
    next?.messages.map(textOf).find((text) => text.includes('## Archived Session Summary')) ?? '';
  for (const heading of ['Primary request and intent', 'Current work status', 'Pending tasks'])
    expect(summary).toContain(heading);
});

test('simple: counts and quotes are written without the model, and no failure is reported', async () => {
  const open = await (
    await createTestApp({ window: 100_000, settings: { context: { summary: 'simple' } } })
  ).open();
  await open.ask('first', answer);
  await open.ask('second', { text: 'Short.' });
  expect(await open.submit({ type: 'compact' })).toEqual([]);
  const ended = open.events.findLast((event) => event.type === 'compaction_ended');
  expect(ended?.report.outcome).toBe('done');
  const [next] = await open.ask('third', { text: 'Yes.' });
  const summary =
    next?.messages.map(textOf).find((text) => text.includes('[Previous conversation summary]')) ?? '';
  for (const wanted of ['Messages: 2', 'Replies: 1', 'first']) expect(summary).toContain(wanted);
});

test('if the model fails, the simple summary remains, and a notice says so', async () => {
  const app = await createTestApp({ window: 100_000, clock: hasty });
  const open = await app.open();
  await open.ask('first', answer);
  await open.ask('second', { text: 'Short.' });
  app.server.otherwise(() => ({ error: { status: 500, message: 'boom' } }));
  await open.submit({ type: 'compact' });
  const ended = open.events.findLast((event) => event.type === 'compaction_ended');
  expect(ended?.report).toMatchObject({ outcome: 'fallback' });
  expect(ended?.report.message).toMatch(/summary could not be written/);
  expect(JSON.stringify(open.context.getMessages())).toContain('Replies: 1');
});
