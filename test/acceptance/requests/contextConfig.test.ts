/** The configuration of a context. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ContextBuilder, DEFAULT_CONTEXT_CONFIG } from '../../../src/context/index.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

/** A busy machine may take longer than the default to build the first index. */
const patient = { timeoutMs: 20_000 };
const long = 'word '.repeat(4000);
const call = { id: 'call_1', name: 'Read', arguments: '{}' };
const messages: readonly Message[] = [
  { role: 'user', content: 'an earlier question' },
  { role: 'assistant', content: '', toolCalls: [call] },
  { role: 'tool', toolCallId: 'call_1', name: 'Read', content: long, isError: false },
  { role: 'assistant', content: 'an earlier answer', toolCalls: [] },
];
const thread = { summary: 'What was said before.', memories: ['Cats sleep all day.'], messages };

test('turning off a flag of `DEFAULT_CONTEXT_CONFIG` omits its part', () => {
  expect(DEFAULT_CONTEXT_CONFIG).toEqual({
    totalBudget: 48_000,
    slidingWindowSize: 20,
    enableSummary: true,
    enableMemoryRetrieval: true,
    enableToolResultCompression: true,
    enableInstructionPinning: true,
  });
  const builder = new ContextBuilder();
  const built = (config: Parameters<ContextBuilder['setConfig']>[0] = {}) => {
    builder.setConfig({ ...DEFAULT_CONTEXT_CONFIG, ...config });
    return builder.buildContext(thread, 'a new question', 'Be brief.', { includeCurrentInput: true });
  };
  const all = built();
  const text = (one: ReturnType<typeof built>): string => JSON.stringify(one.messages);
  for (const part of ['What was said before.', 'Cats sleep', 'an earlier answer'])
    expect(text(all)).toContain(part);
  expect(all.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'user',
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
    'user',
  ]);
  const { total, ...parts } = all.tokenStats;
  expect(Object.values(parts).reduce((sum, tokens) => sum + tokens, 0)).toBe(total);
  expect(text(built({ enableSummary: false }))).not.toContain('What was said before.');
  expect(text(built({ enableMemoryRetrieval: false }))).not.toContain('Cats sleep');
  expect(text(all)).not.toContain(long);
  expect(text(built({ enableToolResultCompression: false }))).toContain(long);
  expect(built({ enableInstructionPinning: false }).messages.at(-1)).toEqual({
    role: 'user',
    content: 'a new question',
  });
  expect(built({ totalBudget: 3000 }).tokenStats.total).toBeLessThanOrEqual(3000);
  expect(built({ slidingWindowSize: 1 }).metadata.includedMessageCount).toBe(4);
});

test('`buildSimpleContext` has system prompt, previous messages and user message', () => {
  const simple = new ContextBuilder().buildSimpleContext('Be brief.', 'a new question', messages);
  expect(simple).toEqual([
    { role: 'system', content: 'Be brief.' },
    ...messages,
    { role: 'user', content: 'a new question' },
  ]);
});

test('in a session each switch omits its part of the request', { tags: 'long' }, async () => {
  const request = async (context: object) => {
    const app = await createTestApp({
      window: 100_000,
      settings: { context: { reminderSteps: 1, memory: patient, ...context } },
      files: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`src/f${n}.txt`, 'x'])),
    });
    const folder = join(app.dataRoot, 'memory');
    await mkdir(folder, { recursive: true });
    const others = ['tea at four', 'ports are numbered upwards', 'logs go to syslog', 'main is protected'];
    await writeFile(
      join(folder, 'notes.md'),
      ['zebra crossings are painted on Fridays', ...others].map((one) => `- ${one}\n`).join(''),
    );
    const open = await app.open();
    const step = { calls: [use('Glob', { pattern: 'src/*.txt' })] };
    const asked = await open.ask('When are zebra crossings painted?', step, step, { text: 'On Fridays.' });
    const texts = asked.at(-1)?.messages.map(textOf) ?? [];
    return {
      memory: texts.some((text) => text.includes('painted on Fridays')),
      pin: texts.filter((text) => text.includes('When are zebra crossings painted?')).length > 1,
      short: texts.some((text) => /20 of 50/.test(text)),
    };
  };
  expect(await request({})).toEqual({ memory: true, pin: true, short: true });
  expect(await request({ memory: { enabled: false } })).toEqual({ memory: false, pin: true, short: true });
  expect(await request({ instructionPinning: false })).toEqual({ memory: true, pin: false, short: true });
  expect(await request({ toolResultCompression: false })).toEqual({ memory: true, pin: true, short: false });
  const summarized = async (summary: object): Promise<boolean> => {
    const open = await (
      await createTestApp({ window: 16_000, settings: { context: { ...summary } } })
    ).open();
    for (let n = 0; n < 16; n++)
      await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(140)}` });
    return JSON.stringify(open.context.getMessages()).includes('[Previous conversation summary]');
  };
  expect(await summarized({ summary: 'simple' })).toBe(true);
  expect(await summarized({ summary: 'simple', compact: { auto: false } })).toBe(false);
});
