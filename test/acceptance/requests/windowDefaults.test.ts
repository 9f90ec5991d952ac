/** The window's defaults, and the effect of each. */
import { expect, test } from 'vitest';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import type { WireRequest } from '../../e2e/support/server.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

const longPrompt = `Mind every word of this: ${'never drop a word of the user '.repeat(200)}`;

async function lastRequest(window: object): Promise<WireRequest> {
  const app = await createTestApp({
    settings: { context: { strategy: 'sliding-window', window } },
    files: { 'a.txt': 'alpha beta gamma delta\n'.repeat(300) },
  });
  const open = await app.open();
  for (let n = 0; n < 8; n++)
    await open.ask(`question ${n}`, { text: `Answer ${n}. ${'Words. '.repeat(300)}` });
  const asked = await open.ask(
    longPrompt,
    { calls: [use('Read', { file_path: 'a.txt' })] },
    { text: 'Read.' },
  );
  const last = asked.at(-1);
  if (last === undefined) throw new Error('no request');
  return last;
}

const prompts = ({ messages }: WireRequest): string[] =>
  messages.map(textOf).filter((text) => text.startsWith('question'));
const result = ({ messages }: WireRequest): string =>
  textOf(messages.findLast(({ role }) => role === 'tool'));

test('overriding any window default (5, 800 and 4,000) changes the request, and user text is never cut', async () => {
  expect(contextSettingsSchema.parse({}).window).toEqual({
    rounds: 5,
    maxMessageTokens: 800,
    messagesBudget: 4000,
  });
  const plain = await lastRequest({});
  const fewer = await lastRequest({ rounds: 2 });
  const wider = await lastRequest({ messagesBudget: 20_000 });
  const shorter = await lastRequest({ maxMessageTokens: 100 });
  const longer = await lastRequest({ maxMessageTokens: 5000, messagesBudget: 20_000 });
  for (const request of [plain, fewer, wider, shorter, longer])
    expect(request.messages.map(textOf)).toContain(longPrompt);
  expect(prompts(wider)).toHaveLength(4);
  expect(prompts(fewer)).toHaveLength(1);
  expect(prompts(plain).length).toBeLessThan(4);
  expect(result(shorter).length).toBeLessThan(result(plain).length);
  expect(result(plain).length).toBeLessThan(result(longer).length);
  expect(result(shorter)).toMatch(/Recall/);
});
