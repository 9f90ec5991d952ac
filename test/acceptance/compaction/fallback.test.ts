/** The model that should write the summary is unavailable. */
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/agent/reply.ts';
import { retainedBy } from '../../../src/context/history/compactions.ts';
import type { SummaryModel } from '../../../src/context/index.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { createTestApp, type OpenTestApp } from '../support/testApp.ts';

/** Retries cost no time. */
const hasty: Clock = { now: () => Date.now(), random: () => 0.5, sleep: () => Promise.resolve() };
const last = `Please never touch the folder legacy/, and say „danke“ ${'x'.repeat(250)}`;

async function talk(open: OpenTestApp, many: number): Promise<void> {
  for (let n = 0; n < many; n++)
    await open.ask(`request number ${n}.`, { text: `Answer ${n}. ${'And so on. '.repeat(300)}` });
  await open.ask(last, { text: 'Understood.' });
}

test('after errors 500, the fallback has four statistics, the last five requests, and a notice', async () => {
  const app = await createTestApp({
    clock: hasty,
    window: 16_000,
    settings: { context: { compact: { auto: false } } },
  });
  const open = await app.open();
  await talk(open, 9);
  const down = { error: { status: 500, message: 'boom' } };
  app.server.otherwise(() => down);
  await open.submit({ type: 'compact' });
  const ended = open.events.findLast((event) => event.type === 'compaction_ended');
  expect(ended?.report).toMatchObject({ outcome: 'fallback' });
  expect(ended?.report.message).toMatch(/rebuilt from the log/);
  const boundary = open.entries().find(({ subtype }) => subtype === 'compact_boundary');
  expect(boundary?.compactMetadata).toMatchObject({ success: false, trigger: 'manual' });
  const before = app.server.requests().length;
  await open.agent.close().catch(() => undefined);
  const again = await app.open(open.sessionId);
  const messages = again.context.getMessages();
  const summary =
    messages
      .map(({ content }) => String(content))
      .find((text) => text.includes('[Previous conversation summary]')) ?? '';
  for (const statistic of [/Messages: \d+/, /From the user: \d+/, /Replies: \d+/, /Tool calls: \d+/])
    expect(summary).toMatch(statistic);
  // Of the other removed requests, the newest five.
  const left = Array.from({ length: 9 }, (_, n) => n).filter(
    (n) => !messages.some(({ content }) => content === `request number ${n}.`),
  );
  expect(left.length).toBeGreaterThan(5);
  const quoted = [...summary.matchAll(/^- request number (\d+)\.$/gm)].map(([, n]) => Number(n));
  expect(quoted).toEqual(left.slice(-5));
  expect(messages.some(({ role, content }) => role === 'user' && content === last)).toBe(true);
  expect(before).toBeGreaterThan(8);
});

test('after any other error, the newest 30 % stay and the error is reported', {
  tags: 'long',
}, async () => {
  const compacted = async (summarize: SummaryModel) => {
    const settings = { context: { compact: { auto: false } } };
    const open = await (await createTestApp({ window: 64_000, summarize, settings })).open();
    await talk(open, 40);
    await open.submit({ type: 'compact' });
    const entry = open.entries().find(({ subtype }) => subtype === 'compact_boundary');
    const boundary = entry?.compactMetadata;
    expect(boundary).toMatchObject({ success: false });
    const summary = open.entries().find(({ isCompactSummary }) => isCompactSummary === true);
    const [next] = await open.ask('still there?', { text: 'Yes.' });
    expect(next?.messages.map(textOf)).toContain(last);
    expect(textOf(next?.messages.at(-1))).toBe('still there?');
    return {
      summary: String(summary?.message.content),
      kept: retainedBy(entry, open.entries()).size,
      error: boundary?.error,
    };
  };
  const error = { kind: 'server', message: 'boom', retryable: false } as const;
  const failed = await compacted(() => Promise.resolve({ type: 'failed', error }));
  const broken = await compacted(() => Promise.reject(new Error('the disk is on fire')));
  expect(failed.summary).toContain('Tool calls: 0');
  expect(broken.error).toContain('the disk is on fire');
  expect(broken.summary).toContain('the disk is on fire');
  expect(broken.kept).toBeGreaterThan(failed.kept);
});
