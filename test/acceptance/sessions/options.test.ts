/** The options of a session: each has an effect if set, and by default nothing is cut. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/cli/process/clock.ts';
import { CacheStore } from '../../../src/context/storage/CacheStore.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { createTestApp, type SessionFactoryOptions } from '../support/testApp.ts';

/** The questions in the last of thirty requests. */
async function shown(context: object, more: SessionFactoryOptions = {}): Promise<string[]> {
  const open = await (await createTestApp({ window: 200_000, settings: { context }, ...more })).open();
  let texts: string[] = [];
  for (let n = 0; n < 30; n++) {
    const [request] = await open.ask(`question ${n}`, {
      text: `Answer ${n}. ${'And more of it. '.repeat(20)}`,
    });
    texts = request?.messages.map(textOf) ?? [];
  }
  return texts.filter((text) => text.startsWith('question'));
}

test('the options have their default values', () => {
  const settings = contextSettingsSchema.parse({});
  expect(settings.maxMemoryMessages).toBe(1000);
  expect(settings.cache).toEqual({ maxEntries: 100, ttlMs: 300_000 });
  expect(settings.filter).toEqual({ enabled: false, maxTokens: 32_000, maxMessages: 50, maxAgeHours: 24 });
  expect(settings.compressionThreshold).toBeNull();
  expect(settings.compact.auto).toBe(true);
  const cache = new CacheStore<number>();
  for (let n = 0; n < 200; n++) cache.set(String(n), n);
  expect(cache.size).toBe(100);
});

test('the filter limits messages and tokens', { tags: 'long' }, async () => {
  expect(await shown({})).toHaveLength(30);
  expect(await shown({ filter: { enabled: true } })).toHaveLength(25);
  const few = await shown({ filter: { enabled: true, maxMessages: 7 } });
  expect(few.length).toBeLessThan(6);
  expect(few.at(-1)).toBe('question 29');
  const small = await shown({ filter: { enabled: true, maxMessages: 1000, maxTokens: 1500 } });
  expect(small.length).toBeLessThan(25);
  expect(small.at(-1)).toBe('question 29');
  expect(await shown({ slidingWindowSize: 3 })).toEqual(['question 27', 'question 28', 'question 29']);
});

test('by default a session of 60 messages resumes in full after 30 hours; with the filter it does not', async () => {
  const resumed = async (context: object): Promise<string[]> => {
    let later = 0;
    const clock = { ...systemClock, now: () => Date.now() + later };
    const app = await createTestApp({ clock, window: 200_000, settings: { context } });
    const first = await app.open();
    for (let n = 0; n < 30; n++) await first.ask(`question ${n}`, { text: `Answer ${n}.` });
    await first.close();
    later = 30 * 3_600_000;
    const second = await app.open(first.sessionId);
    const [request] = await second.ask('question 30', { text: 'Yes.' });
    return request?.messages.map(textOf).filter((text) => /^(question|Answer)/.test(text)) ?? [];
  };
  expect(await resumed({})).toHaveLength(61);
  expect(await resumed({ filter: { enabled: true } })).toEqual(['question 30']);
  expect(await resumed({ filter: { enabled: true, maxAgeHours: 48, maxMessages: 100 } })).toHaveLength(61);
});

test('the threshold can be given in tokens, and compaction turned off', async () => {
  const compactions = async (context: object): Promise<number> => {
    const app = await createTestApp({
      window: 200_000,
      strategy: 'summary',
      settings: { context: { summary: 'simple', ...context } },
    });
    const open = await app.open();
    for (let n = 0; n < 16; n++)
      await open.ask(`question ${n}`, { text: `Answer ${n}. ${'And more of it. '.repeat(300)}` });
    return open.entries().filter(({ subtype }) => subtype === 'compact_boundary').length;
  };
  expect(await compactions({})).toBe(0);
  expect(await compactions({ compressionThreshold: 10_000 })).toBeGreaterThan(0);
  expect(await compactions({ compressionThreshold: 10_000, compact: { auto: false } })).toBe(0);
});
