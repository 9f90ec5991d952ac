/** A conversation that outgrows its window is compacted automatically, between two requests. */
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { firstIsQuick, long } from '../../e2e/support/long.ts';
import type { ScriptedReply, WireRequest } from '../../e2e/support/server.ts';
import { countRequest } from '../../e2e/support/tokens.ts';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { isSummary, runPrint, SILENT, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const PROMPT = 'Read the whole book and leave nothing out';
/** Each page is about a twelfth of the window. */
const windows = [
  { window: 8000, trigger: 5500, lines: 20 },
  { window: 16_000, trigger: 11_000, lines: 45 },
  { window: 128_000, trigger: 102_400, lines: 420 },
];
const book = {
  'book.txt': Array.from(
    { length: 9000 },
    (_, line) => `Line ${line}: the quick brown fox jumps over the lazy dog, ${line * 7919}.`,
  ).join('\n'),
};
const STEPS = 16;

/** Reads one page per step, and replies at the end. */
function reader(lines: number): (request: WireRequest) => ScriptedReply {
  let step = 0;
  return (request) => {
    if (isSummary(request)) return { text: SUMMARY, ...SILENT };
    step++;
    if (step > STEPS) return { text: 'All of it is read.', ...SILENT };
    const input = { file_path: 'book.txt', offset: (step - 1) * lines + 1, limit: lines };
    return { text: `Page ${step}.`, calls: [use('Read', input)], ...SILENT };
  };
}

/** Nothing is removed before the trigger; the boundary is written there, and not earlier. */
function expectOneSummaryAtTheTrigger(
  entries: readonly JSONLEntry[],
  requests: readonly WireRequest[],
  { window, trigger }: { readonly window: number; readonly trigger: number },
): void {
  const first = entries.findIndex(({ subtype }) => subtype === 'compact_boundary');
  expect(first).toBeGreaterThan(0);
  // What a compaction shortens itself is in one batch with its boundary.
  const reductions = entries.filter(
    ({ subtype, data }) => subtype === 'reduction' && data?.reason !== 'compaction',
  );
  expect(reductions).toEqual([]);
  const boundaries = entries.filter(({ subtype }) => subtype === 'compact_boundary');
  // Each leaves room for several pages; random names in paths make the exact size vary.
  expect(boundaries.length).toBeLessThanOrEqual(STEPS / 3);
  for (const { compactMetadata } of boundaries) {
    expect(compactMetadata).toMatchObject({ trigger: 'auto', success: true, strategy: 'summary' });
    expect(compactMetadata?.preTokens).toBeGreaterThanOrEqual(trigger);
    expect(compactMetadata?.preTokens).toBeLessThan(window);
    expect(compactMetadata?.postTokens).toBeLessThan(0.8 * trigger);
    expect(compactMetadata?.filesIncluded?.length).toBeGreaterThan(0);
  }
  const asked = requests.filter((request) => !isSummary(request));
  const cuts = asked.filter((request, index) => index > 0 && !continues(request, asked[index - 1]));
  expect(cuts).toHaveLength(boundaries.length);
  for (const request of requests) {
    expect(countRequest(request)).toBeLessThan(window);
    expectPairedCalls(request);
    expect(JSON.stringify(request.messages)).toContain(PROMPT);
  }
}

/** True if a request starts with all the bytes of the previous one. */
function continues({ messages }: WireRequest, before: WireRequest | undefined): boolean {
  const start = JSON.stringify(before?.messages ?? []).slice(0, -1);
  return JSON.stringify(messages).startsWith(start);
}

for (const { window, trigger, lines } of windows) {
  test(
    `by default, a task in ${window} tokens completes with summaries at ${trigger} and nothing before`,
    long,
    async () => {
      const { project, ...run } = await runPrint('hello', {
        window,
        files: book,
        replies: [{ text: 'Hi.' }],
      });
      project.server.otherwise(reader(lines));
      const long = await project.run(PROMPT, { resume: run.sessionId });
      expect(long.result).toMatchObject({ is_error: false, result: 'All of it is read.' });
      expect(long.stderr).toBe('');
      expect(long.result?.context_usage).toMatchObject({ compacts_at: trigger, context_window: window });
      expectOneSummaryAtTheTrigger(long.entries, long.requests, { window, trigger });
      expect(long.entries.filter(({ toolResult }) => toolResult !== undefined)).toHaveLength(STEPS);
    },
  );
}

for (const {
  row: { window, trigger, lines },
  options,
} of firstIsQuick(windows))
  test(`background drafts do the same in ${window} tokens`, options, async () => {
    const app = await createTestApp({ window, files: book });
    app.server.otherwise(reader(lines));
    const open = await app.open();
    await open.ask(PROMPT);
    expect(open.entries().findLast(({ type }) => type === 'assistant')?.message.content).toBe(
      'All of it is read.',
    );
    expectOneSummaryAtTheTrigger(open.entries(), app.server.requests(), { window, trigger });
  });

test('entries added while a summary is being written survive it', async () => {
  const app = await createTestApp({
    window: 16_000,
    settings: { context: { threadSummary: 'off' } },
    files: book,
  });
  const open = await app.open();
  const read = reader(45);
  let added = 0;
  app.server.otherwise((request) => {
    if (isSummary(request) && added++ === 0) {
      // The user types, and presses Shift+Tab, while the summary is being written.
      open.agent.submit({ type: 'set_mode', mode: 'acceptEdits' });
      void open.context.addMessage('user', 'Said during the summary: never touch lib');
    }
    return read(request);
  });
  await open.ask(PROMPT);
  const boundary = open.entries().find(({ subtype }) => subtype === 'compact_boundary');
  const during = open
    .entries()
    .filter(({ subtype, message }) => subtype === 'mode' || textOf(message).startsWith('Said'));
  expect(during.map(({ seq }) => seq < (boundary?.seq ?? 0))).toEqual([true, true]);
  const requests = app.server.requests();
  const next = requests[requests.findIndex(isSummary) + 1];
  const texts = next?.messages.map(textOf) ?? [];
  expect(texts).toContain('Said during the summary: never touch lib');
  expect(texts.some((text) => text.includes('Edits inside the project are accepted'))).toBe(true);
});
