import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retainedBy } from '../../../src/context/history/compactions.ts';
import { MessageMemory } from '../../../src/context/request/MessageMemory.ts';
import { projectMessages } from '../../../src/context/request/standardMessages.ts';
import { deepFreeze } from '../../../src/context/storage/newEntries.ts';
import { TokenCounter } from '../../../src/context/TokenCounter.ts';
import { configuration, createTestHome, say, step, summary } from '../harness.ts';
import { LogMaker } from '../history/logMaker.ts';
import { sessionOf } from '../sessionOf.ts';

/** A garbage collector that frees everything that is not kept, at once. */
const greedy = () => ({ deref: () => undefined });

const piece = fc.oneof(
  fc.record({ kind: fc.constant('prompt' as const), text: fc.string({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('reply' as const), text: fc.string({ maxLength: 20 }) }),
  fc.record({ kind: fc.constant('step' as const), results: fc.array(fc.string(), { maxLength: 3 }) }),
  fc.record({ kind: fc.constant('note' as const) }),
);

function add(log: LogMaker, one: typeof piece extends fc.Arbitrary<infer T> ? T : never): void {
  if (one.kind === 'prompt') log.prompt(one.text);
  else if (one.kind === 'reply') log.reply(one.text);
  else if (one.kind === 'step') log.step('look', ...one.results);
  else log.note('mode', 'plan mode');
}

test('dropped messages are rebuilt identically and counted only once', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 12 }), (pieces, max) => {
      const counter = new TokenCounter();
      const memory = new MessageMemory(max, (message, name) => counter.identify(message, name), greedy);
      const log = new LogMaker();
      let known = 0;
      for (const one of pieces) {
        add(log, one);
        for (; known < log.entries.length; known++) {
          const entry = log.entries[known];
          if (entry !== undefined) memory.learn(deepFreeze(entry));
        }
        const built = projectMessages(log.entries, memory);
        expect(built).toEqual(projectMessages(log.entries));
        const tokens = counter.countMessages(built);
        const { cachedMessages } = counter.getCacheStats();
        expect(counter.countMessages(projectMessages(log.entries, memory))).toBe(tokens);
        expect(counter.getCacheStats().cachedMessages).toBe(cachedMessages);
      }
    }),
    { numRuns: 60 },
  );
});

test('kept messages are not rebuilt; evicted ones are, and only those', () => {
  const memory = new MessageMemory(10, () => undefined, greedy);
  const log = new LogMaker();
  for (let index = 0; index < 20; index++) log.prompt(`prompt ${index}`);
  for (const entry of log.entries) memory.learn(deepFreeze(entry));
  const [first, again] = [projectMessages(log.entries, memory), projectMessages(log.entries, memory)];
  const same = first.filter((message, index) => message === again[index]);
  expect(same).toHaveLength(memory.count);
  expect(same.map(({ content }) => content)).toEqual(memory.resident().map(({ message }) => message.content));
  expect(memory.resident().at(-1)).toBe(log.entries.at(-1));
});

test('context.maxMemoryMessages: of 1,200 messages 800 to 1,000 are kept by default; the request is the same with any limit', {
  tags: 'long',
}, async () => {
  const home = await createTestHome({ windowTokens: 1_000_000, settings: { strategy: 'off' } });
  const context = home.manager();
  const id = await context.createSession(undefined, {}, configuration);
  for (let index = 0; index < 600; index++) {
    await context.addMessage('user', `question ${index}`);
    await context.appendReply(say(`answer ${index}`));
  }
  const kept = (): number => sessionOf(context).projection.memory.count;
  expect(kept()).toBeGreaterThanOrEqual(800);
  expect(kept()).toBeLessThanOrEqual(1000);
  const sent = JSON.stringify(context.getMessages());
  expect(context.getMessages()).toHaveLength(1201);
  const measured = context.measure([]);
  await context.close();
  for (const { maxMemoryMessages, isAll } of [
    { maxMemoryMessages: 10, isAll: false },
    { maxMemoryMessages: 5000, isAll: true },
  ]) {
    const settings = { ...home.deps.settings, maxMemoryMessages };
    const again = home.manager({ settings });
    await again.loadSession(id);
    const { count } = sessionOf(again).projection.memory;
    if (isAll) expect(count).toBe(1201);
    else expect(count).toBeLessThanOrEqual(maxMemoryMessages);
    expect(JSON.stringify(again.getMessages())).toBe(sent);
    expect(again.measure([])).toEqual(measured);
    await again.close();
  }
});

test('the summary and retained messages stay in memory, and no pair is separated', async () => {
  const home = await createTestHome({ windowTokens: 200_000, settings: { maxMemoryMessages: 60 } });
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'do it');
  for (let index = 0; index < 12; index++) await step(context, `a${index}`, 'line\n'.repeat(2000));
  home.summaries.expect(summary('## What was done'));
  const report = await context.compressCurrentContext({ ...home.options() });
  expect(report.outcome).toBe('done');
  for (let index = 0; index < 60; index++) await step(context, `b${index}`, 'short');
  const resident = sessionOf(context).projection.memory.resident();
  expect(resident.length).toBeLessThanOrEqual(100);
  const uuids = new Set(resident.map(({ uuid }) => uuid));
  expect(resident.some(({ isCompactSummary }) => isCompactSummary === true)).toBe(true);
  const boundary = context.entries().find(({ subtype }) => subtype === 'compact_boundary');
  for (const uuid of retainedBy(boundary, context.entries())) expect(uuids).toContain(uuid);
  const calls = resident.flatMap(({ tool }) => tool?.id ?? []).sort();
  expect(resident.flatMap(({ toolResult }) => toolResult?.id ?? []).sort()).toEqual(calls);
});
