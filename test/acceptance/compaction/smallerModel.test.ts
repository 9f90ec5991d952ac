/** The window is that of the current model. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import { countRequest } from '../../e2e/support/tokens.ts';
import { expectPairedCalls } from '../../e2e/support/wire.ts';
import { isSummary, SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const models = { big: { contextWindow: 128_000 }, small: { contextWindow: 32_000 } };
const page = (n: number): string =>
  Array.from({ length: 150 }, (_, line) => `${n}.${line}: the quick brown fox jumps over the lazy dog`).join(
    '\n',
  );

test('after a switch from 128k to 32k it compacts before the next request', async () => {
  const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`page${n}.txt`, page(n)]));
  const app = await createTestApp({ model: 'big', settings: { models }, files });
  const open = await app.open();
  app.server.otherwise((request) => (isSummary(request) ? { text: SUMMARY } : { text: 'Fine.' }));
  const calls = Object.keys(files).map((path) => use('Read', { file_path: path }));
  const asked = await open.ask(
    'read all pages',
    { calls: calls.slice(0, 10) },
    { calls: calls.slice(10) },
    { text: 'Read.' },
  );
  const before = asked.at(-1);
  if (before === undefined) throw new Error('no request');
  expect(asked.some(isSummary)).toBe(false);
  expect(countRequest(before)).toBeGreaterThan(40_000);
  expect((await open.agent.measure()).windowTokens).toBe(128_000);

  await open.submit({ type: 'set_model', model: 'small' });
  // The usage of the smaller window is visible at once.
  const measured = (): AgentEvent | undefined =>
    open.events.findLast(({ type }) => type === 'context_measured');
  await expect.poll(measured).toMatchObject({ measure: { model: 'small', windowTokens: 32_000 } });
  const measure = await open.agent.measure();
  expect(measure).toMatchObject({ model: 'small', windowTokens: 32_000 });
  expect(measure.usedTokens).toBeGreaterThan(measure.triggerTokens);
  const after = await open.ask('go on');
  for (const request of after) {
    expect(request.model).toBe('small');
    expect(countRequest(request)).toBeLessThan(32_000);
    expectPairedCalls(request);
  }
  // With a summary by the model, written before the request for the prompt; nothing was removed or shortened.
  expect(after.map(isSummary)).toEqual([true, false]);
  const made = open
    .entries()
    .filter(({ subtype }) => subtype === 'compact_boundary' || subtype === 'reduction');
  expect(made.map(({ subtype }) => subtype)).toEqual(['compact_boundary']);
  expect(made[0]?.compactMetadata).toMatchObject({ success: true, trigger: 'auto', strategy: 'summary' });
  expect((await open.agent.measure()).usedTokens).toBeLessThan(measure.triggerTokens);
});
