import { expect, test } from 'vitest';
import { encoder, requestTokens } from '../../fuzz/counting.ts';
import { configuration, createTestHome, step } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';

const zalgo = 'e\u0301\u0323\u0300';

test('a text estimated at half its size does not lead to a request over the window', {
  tags: 'long',
}, async () => {
  const home = await createTestHome({ windowTokens: 8000 });
  home.model = { ...home.model, tokenizer: 'o200k_base' };
  const context = home.manager({ encoder });
  const sent: number[] = [];
  for (let times = 1000; times <= 2600; times += 100) {
    await context.createSession(undefined, {}, configuration);
    await context.addMessage('user', zalgo.repeat(times));
    const built = await context.buildRequest(home.options());
    if (built.type === 'ready') sent.push(requestTokens('o200k_base', built.request.messages, []));
  }
  expect(sent.length).toBeGreaterThan(2);
  expect(Math.max(...sent)).toBeLessThanOrEqual(8000);
  await context.close();
});

test('a silent encoder is waited for only once', { tags: 'long' }, async () => {
  const home = await createTestHome({ windowTokens: 8000 });
  home.model = { ...home.model, tokenizer: 'o200k_base' };
  let asked = 0;
  const count = () => {
    asked += 1;
    return new Promise<never>(() => {});
  };
  const mute = { count, close: () => {} };
  const context = home.manager({ encoder: mute });
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'a word and a word '.repeat(700));
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  const before = asked;
  expect(before).toBeGreaterThan(0);
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(asked).toBe(before);
  await context.close();
});

test('a request that fits is measured once', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'hello');
  await step(context, 'call_0', 'a result');
  const { projection } = sessionOf(context);
  const measure = projection.measure.bind(projection);
  let count = 0;
  projection.measure = (tools) => {
    count++;
    return measure(tools);
  };
  expect((await context.buildRequest(home.options())).type).toBe('ready');
  expect(count).toBe(1);
});
