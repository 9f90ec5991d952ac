import { describe, expect, test } from 'vitest';
import { configuration, createTestHome, step } from './harness.ts';

test('the newest prompt cannot be dropped, an older one can', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const older = await context.addMessage('user', 'first');
  const newest = await context.addMessage('user', 'second');
  await step(context, 'call_0', 'a result');
  await context.append({ type: 'system', subtype: 'mode', message: { role: 'system', content: 'plan' } });
  expect(await context.editItem({ action: 'drop', uuid: newest?.uuid ?? '' }, [])).toMatch(/newest message/);
  expect(await context.editItem({ action: 'drop', uuid: older?.uuid ?? '' }, [])).toBeUndefined();
  expect(context.getMessages().map(({ content }) => content)).toContain('second');
});

test('a server that rejects a few tokens as too long does not shrink the window to a few tokens', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'hello');
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false };
  await context.shrinkAfterOverflow(error, home.options());
  expect(context.measure([]).windowTokens).toBeGreaterThanOrEqual(1000);
  expect((await context.buildRequest(home.options())).type).toBe('ready');
});

describe('an overflow error’s message', () => {
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false };
  async function toldOf(...windows: readonly (number | undefined)[]): Promise<readonly unknown[]> {
    const told: unknown[] = [];
    const home = await createTestHome({ windowTokens: 60_000 });
    Object.assign(home.deps, {
      onWindowLearned: async (model: string, tokens: number) => void told.push({ model, tokens }),
    });
    const context = home.manager();
    await context.createSession(undefined, {}, configuration);
    await context.addMessage('user', 'hello');
    for (const windowTokens of windows)
      await context.shrinkAfterOverflow(
        { ...error, ...(windowTokens === undefined ? {} : { windowTokens }) },
        home.options(),
      );
    return told;
  }
  test('names the server’s window', async () => {
    expect(await toldOf(20_000)).toEqual([{ model: 'test-model', tokens: 20_000 }]);
  });
  test('does not lead to a guess or an impossible number', async () => {
    expect(await toldOf(undefined, 12)).toEqual([]);
  });
});

test('a named window may be larger than the one that was assumed', async () => {
  const home = await createTestHome({ windowTokens: 32_000 });
  home.model = { ...home.model, source: 'assumed' };
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'hello');
  await context.shrinkAfterOverflow(
    { kind: 'overflow', message: 'too long', retryable: false, windowTokens: 40_000 },
    home.options(),
  );
  expect(context.entries().at(-1)?.data).toMatchObject({ kind: 'window', windowTokens: 40_000 });
  // Facts looked up by the program are those that it has remembered since.
  home.model = { ...home.model, windowTokens: 40_000, source: 'learned' };
  expect(context.measure([])).toMatchObject({ windowTokens: 40_000, windowSource: 'learned' });
});

test('a window revealed by an error applies until the server reports another, also after a restart', async () => {
  const home = await createTestHome({ windowTokens: 60_000 });
  const told = (windowTokens: number): void => {
    home.model = { ...home.model, windowTokens, source: 'server' };
  };
  told(60_000);
  const context = home.manager();
  const id = await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'hello');
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false, windowTokens: 20_000 };
  await context.shrinkAfterOverflow(error, home.options());
  expect(context.measure([])).toMatchObject({ windowTokens: 20_000, windowSource: 'learned' });
  await home.closeAll();

  const again = home.manager();
  await again.loadSession(id);
  // A value that the error has refuted is not news, and neither is the catalogue's.
  expect(again.measure([])).toMatchObject({ windowTokens: 20_000, windowSource: 'learned' });
  home.model = { ...home.model, windowTokens: 128_000, source: 'catalogue' };
  expect(again.measure([])).toMatchObject({ windowTokens: 20_000, windowSource: 'learned' });
  told(32_000);
  expect(again.measure([])).toMatchObject({ windowTokens: 32_000, windowSource: 'server' });
  // It may be wrong, too.
  await again.shrinkAfterOverflow({ ...error, windowTokens: 24_000 }, home.options());
  expect(again.measure([])).toMatchObject({ windowTokens: 24_000, windowSource: 'learned' });
  // A value that another session has learned since is newer than the one in this log.
  home.model = { ...home.model, windowTokens: 30_000, source: 'learned' };
  expect(again.measure([])).toMatchObject({ windowTokens: 30_000, windowSource: 'learned' });
});
