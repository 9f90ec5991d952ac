import { expect, test } from 'vitest';
import { configuration, house, step } from './harness.ts';

test('the newest prompt cannot be dropped, an older one can', async () => {
  const home = await house();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const older = await context.addMessage('user', 'first');
  const newest = await context.addMessage('user', 'second');
  await step(context, 'call_0', 'a result');
  await context.append({ type: 'system', subtype: 'mode', message: { role: 'system', content: 'plan' } });
  const { session } = context;
  expect(await session.steer({ action: 'drop', uuid: newest?.uuid ?? '' }, [])).toMatch(/newest message/);
  expect(await session.steer({ action: 'drop', uuid: older?.uuid ?? '' }, [])).toBeUndefined();
  expect(context.getMessages().map(({ content }) => content)).toContain('second');
});

test('a server that finds a handful of tokens too long does not leave a window of a handful of tokens', async () => {
  const home = await house();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'hello');
  const error = { kind: 'overflow' as const, message: 'too long', retryable: false };
  await context.shrinkAfterOverflow(error, home.options());
  expect(context.measure([]).windowTokens).toBeGreaterThanOrEqual(1000);
  expect((await context.buildRequest(home.options())).type).toBe('ready');
});
