import { describe, expect, test } from 'vitest';
import { calls, fails, says } from '../../agent/scriptedModel.ts';
import { smallTool } from '../../agent/smallTools.ts';
import { startAgent } from '../../agent/testAgent.ts';

/** One white pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const image = { type: 'image', mediaType: 'image/png', data: PIXEL } as const;
const look = { type: 'prompt', text: '[Image #1] what is it?', images: [image] } as const;
const parts = [{ type: 'text', text: look.text }, image];
const words = `${look.text}\n[An image (PNG, 1×1) that is not shown: this model or its server did not take it.]`;

const contentsOf = (request: { readonly messages: readonly { readonly content: unknown }[] } | undefined) =>
  request?.messages.slice(1).map(({ content }) => content);

test('a model with image input, or with unknown support, gets the image', async () => {
  for (const info of [{ seesImages: true }, {}]) {
    const { run, model } = await startAgent({ info, answers: [says('A pixel.')] });
    await run(look);
    expect(contentsOf(model.requests[0])).toEqual([parts]);
  }
});

test('a model without image input gets text, and the image is not counted', {
  tags: 'long',
}, async () => {
  const { run, model, agent } = await startAgent({ info: { seesImages: false }, answers: [says('Hm.')] });
  const before = (await agent.measure()).usedTokens;
  await run(look);
  expect(contentsOf(model.requests[0])).toEqual([words]);
  expect((await agent.measure()).usedTokens - before).toBeLessThan(60);
});

test('a server that rejects images gets this request and all later ones without them', async () => {
  const refusal = fails({
    kind: 'bad_request',
    message: 'mock refused: image input is not supported',
    retryable: false,
  });
  const { run, ask, model, lines } = await startAgent({
    answers: [refusal, says('I see words.'), says('Yes.')],
  });
  await run(look);
  await ask('Go on');
  expect(model.requests.map((request) => contentsOf(request)?.[0])).toEqual([parts, words, words]);
  expect(lines().filter((line) => line.startsWith('notice'))).toEqual([
    'notice warning: test-model rejected the images of this session. They are replaced with descriptions; /model switches to a model with vision.',
  ]);
});

test('a vision model that rejects one image still gets the next', async () => {
  const refusal = fails({ kind: 'bad_request', message: 'Could not process image', retryable: false });
  const { run, model } = await startAgent({
    info: { seesImages: true },
    answers: [refusal, says('Bad.'), says('Good.')],
  });
  await run(look);
  await run({ ...look, text: '[Image #2] and this?' });
  const last = contentsOf(model.requests[2]) ?? [];
  expect(last[0]).toBe(words);
  expect(last.at(-1)).toEqual([{ type: 'text', text: '[Image #2] and this?' }, image]);
});

test('any other rejection fails the turn as usual', async () => {
  const refusal = fails({ kind: 'bad_request', message: 'temperature is not supported', retryable: false });
  const { run, lines } = await startAgent({ answers: [refusal] });
  await run(look);
  expect(lines().at(-1)).toContain('turn_ended failed');
});

test('a server that rejects a request without naming its images gets it once more without them', async () => {
  const refusal = fails({
    kind: 'bad_request',
    message: 'Could not process input',
    status: 400,
    retryable: false,
  });
  const { run, ask, model, lines } = await startAgent({ answers: [refusal, says('Hm.'), says('Yes.')] });
  await run(look);
  await ask('Go on');
  expect(model.requests.map((request) => contentsOf(request)?.[0])).toEqual([parts, words, words]);
  expect(lines().filter((line) => line.startsWith('notice'))).toEqual([
    'notice warning: test-model rejected the request, perhaps because of its images. It is sent again with descriptions instead of them.',
  ]);
});

test('a request that fails even without its images keeps them', async () => {
  const refusal = fails({ kind: 'bad_request', message: 'Bad tools', status: 400, retryable: false });
  const { run, ask, model, lines } = await startAgent({ answers: [refusal, refusal, says('Yes.')] });
  await run(look);
  expect(lines().at(-1)).toContain('turn_ended failed');
  await ask('Go on');
  expect(model.requests.map((request) => contentsOf(request)?.[0])).toEqual([parts, words, parts]);
});

describe('a request with too many bytes', () => {
  const refusal = fails({ kind: 'overflow', message: 'too large', isByteLimit: true, retryable: false });

  test('loses its oldest images, and no window is learned', async () => {
    const { run, model, agent, lines } = await startAgent({
      info: { seesImages: true },
      answers: [...Array(3).fill(says('Seen.')), refusal, refusal, says('Seen.')],
    });
    const window = (await agent.measure()).windowTokens;
    for (let count = 1; count <= 4; count++) await run(look);
    const shownIn = (index: number): boolean[] =>
      (contentsOf(model.requests[index]) ?? []).filter((one) => one !== 'Seen.').map((one) => one !== words);
    expect(shownIn(3)).toEqual([true, true, true, true]);
    expect(shownIn(4)).toEqual([false, false, true, true]);
    expect(shownIn(5)).toEqual([false, false, false, true]);
    expect(lines().filter((line) => line.startsWith('notice'))).toEqual(
      Array(2).fill(
        'notice warning: The request was larger than test-model accepts. The oldest images of this session are replaced with descriptions.',
      ),
    );
    expect(await agent.measure()).toMatchObject({ windowTokens: window, windowSource: 'setting' });
  });

  test('loses text if it has no images, and no window is learned', async () => {
    const { ask, model, agent } = await startAgent({
      answers: [says('One. '.repeat(2000)), says('Two.'), refusal, says('Three.')],
    });
    const window = (await agent.measure()).windowTokens;
    for (const text of ['first', 'second', 'third']) await ask(text);
    const sizeOf = (index: number): number => JSON.stringify(model.requests[index]?.messages).length;
    expect(sizeOf(3)).toBeLessThan(0.9 * sizeOf(2));
    expect((await agent.measure()).windowTokens).toBe(window);
  });
});

test('an image that a call has read follows its result as a message, in call order', async () => {
  const see = smallTool('See', {
    readOnly: true,
    run: ({ name }) => ({
      status: 'ok',
      text: `${String(name)} follows`,
      kind: 'file',
      display: { title: 'See' },
      images: [{ image, path: `/p/${String(name)}` }],
    }),
  });
  const { ask, model, agent } = await startAgent({
    info: { seesImages: true },
    tools: [see],
    answers: [calls(['a', 'See', { name: 'one' }], ['b', 'See', { name: 'two' }]), says('Seen.')],
  });
  await ask('Look');
  expect(model.requests[1]?.messages.slice(3)).toMatchObject([
    { role: 'tool', toolCallId: 'a', content: 'one follows' },
    { role: 'tool', toolCallId: 'b', content: 'two follows' },
    { role: 'user', content: [{ type: 'text', text: 'The image /p/one:' }, image] },
    { role: 'user', content: [{ type: 'text', text: 'The image /p/two:' }, image] },
  ]);
  expect(agent.items().map(({ kind, title }) => `${kind} ${title}`)).toEqual([
    'prompt Look',
    'reply See See · See See',
    'note The image /p/one:',
    'note The image /p/two:',
    'reply Seen.',
  ]);
  expect(await agent.turns(9), 'an image that was read is no prompt').toHaveLength(1);
});
