/** Row 54: a conversation that outgrows its window is compacted by itself, between two requests. */
import { expect, test } from 'vitest';
import { countRequest } from '../e2e/support/tokens.ts';
import { expectPairedCalls, textOf } from '../e2e/support/wire.ts';
import { buildHouse } from './support/house.ts';
import { isSummary, runPrint, SUMMARY, use } from './support/project.ts';

const WINDOW = 8000;
const STEPS = 14;
const words = (n: number): string =>
  `Part ${n} is read. ${'It is about parsing, as the one before. '.repeat(25)}`;

test('row 54, S5 automatic compaction at 80 %: a task in 8,000 tokens is finished, with boundaries and without an error', async () => {
  let step = 0;
  const { project, ...run } = await runPrint('hello', {
    window: WINDOW,
    // A summary is waited for, so that the task is not over before it is written.
    settings: { context: { strategy: 'summary', threadSummary: 'off' } },
    replies: [{ text: 'Hi.' }],
  });
  project.server.otherwise((request) => {
    if (isSummary(request)) return { text: SUMMARY };
    step++;
    if (step > STEPS) return { text: 'All of it is read.' };
    const offset = (step - 1) * 50 + 1;
    return { text: words(step), calls: [use('Read', { file_path: 'lib/parse.js', offset, limit: 50 })] };
  });
  const long = await project.run('Read the whole parser and leave nothing out', { resume: run.sessionId });
  expect(long.result).toMatchObject({ is_error: false, result: 'All of it is read.' });
  // The window may be full to the mark, by a token or two, before the compaction: that is said, and no error.
  expect(long.stderr.replace(/^The context is 80 % full\.\n/, '')).toBe('');
  for (const request of long.requests) {
    expect(countRequest(request)).toBeLessThan(WINDOW);
    expectPairedCalls(request);
    expect(JSON.stringify(request.messages)).toContain('Read the whole parser and leave nothing out');
  }
  const boundaries = long.entries.filter(({ subtype }) => subtype === 'compact_boundary');
  expect(boundaries.length).toBeGreaterThan(0);
  const { compacts_at, context_window } = long.result?.context_usage ?? { compacts_at: 0, context_window: 0 };
  expect(compacts_at).toBeLessThanOrEqual(0.8 * context_window);
  for (const { compactMetadata } of boundaries) {
    expect(compactMetadata).toMatchObject({ trigger: 'auto' });
    expect(compactMetadata?.postTokens).toBeLessThan(compacts_at);
    expect(compactMetadata?.postTokens).toBeLessThan(compactMetadata?.preTokens ?? 0);
  }
  expect(long.entries.filter(({ toolResult }) => toolResult !== undefined)).toHaveLength(STEPS);
});

test('row 54: what is said while a summary is being written survives it', async () => {
  const house = await buildHouse({
    window: WINDOW,
    settings: { context: { strategy: 'summary', threadSummary: 'on' } },
  });
  const open = await house.open();
  let said = 0;
  house.server.otherwise((request) => {
    if (!isSummary(request)) {
      said++;
      return { text: words(said), usage: { prompt_tokens: 0, completion_tokens: 0 } };
    }
    // The user goes on talking while the summary is on its way.
    open.agent.submit({ type: 'prompt', text: `Said during summary: never touch lib ${said}` });
    return { text: SUMMARY, usage: { prompt_tokens: 0, completion_tokens: 0 } };
  });
  for (let n = 0; n < 24; n++) await open.ask(`question ${n}`);
  const boundaries = open.entries().filter(({ subtype }) => subtype === 'compact_boundary');
  expect(boundaries.length).toBeGreaterThan(0);
  const prompts = open
    .entries()
    .filter(({ subtype }) => subtype === 'prompt')
    .map(({ message }) => message.content);
  const during = prompts.filter((text) => String(text).startsWith('Said during'));
  expect(during.length).toBeGreaterThan(0);
  const requests = house.server.requests().filter((one) => !isSummary(one));
  for (const prompt of prompts)
    expect(
      requests.filter((one) => one.messages.some((message) => textOf(message) === prompt)).length,
    ).toBeGreaterThan(0);
  // Each request ends with a message that had no answer yet, and none is asked twice in it.
  for (const { messages } of requests) {
    const asked = messages.map(textOf).filter((text) => /^(question|Said)/.test(text));
    expect(new Set(asked).size).toBe(asked.length);
  }
});
