import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTitleTracker } from '../../src/agent/sessionFacts.ts';
import { cleanTitle, titleInstruction } from '../../src/agent/title.ts';
import { anyText } from '../anyText.ts';
import { madeUpEntry } from '../madeUpEntry.ts';
import { type Answer, fails, gate, says } from './scriptedModel.ts';
import { startAgent } from './testAgent.ts';

test.each([
  ['Round prices in the basket', 'Round prices in the basket'],
  ['  "Round prices in the basket."  ', 'Round prices in the basket'],
  ['Title: **Round prices**', 'Round prices'],
  ['# Round prices\nbecause that is what was asked', 'Round prices'],
  ['<think>What could it be?\nA title.</think>\n\nRound prices', 'Round prices'],
  ['「四捨五入の修正」。', '四捨五入の修正'],
  ['\u001b[31mRed\u001b[0m \u0007bell \u202eturned', 'Red bell turned'],
  ['Fix\u200b it\u{e0041}\u{e0042}\ufeff 👩\u200d💻', 'Fix it 👩\u200d💻'],
  [`${'word '.repeat(30)}`, 'word word word word word word word word word word word…'],
  ['購物車'.repeat(40), `${'購物車'.repeat(20).slice(0, 59)}…`],
  ['', undefined],
  ['<think>never ends', undefined],
  ['...\n***', undefined],
])('the title %j becomes %j', (text, title) => {
  expect(cleanTitle(text)).toBe(title);
});

test('a title is one well-formed line of limited length, whatever the model returns', {
  tags: 'long',
}, () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => {
      const title = cleanTitle(text);
      if (title === undefined) return;
      expect(title).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(title.isWellFormed()).toBe(true);
      expect([...title].length).toBeLessThanOrEqual(60);
    }),
  );
});

const named = (answers: readonly Answer[], given: object = {}) =>
  startAgent({ answers, interactive: true, titles: true, ...given });
/** Waits until this many requests were made, and lets the effects of the last one settle. */
async function asked(model: { readonly requests: readonly unknown[] }, many: number): Promise<void> {
  await expect.poll(() => model.requests.length).toBe(many);
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const usage = { inputTokens: 50, outputTokens: 5 };
const isTitle = (event: { type: string; entry?: { subtype?: string | undefined } }): boolean =>
  event.type === 'entry' && event.entry?.subtype === 'title';

test('a title request contains only the beginning of long texts', async () => {
  const { ask, until, model } = await named([says('x'.repeat(50_000)), says('Smileys')]);
  await ask('😀'.repeat(50_000));
  await until(isTitle);
  const message = model.requests[1]?.messages[1];
  expect(JSON.stringify(message).length).toBeLessThan(6000);
  expect(String(message?.content).isWellFormed()).toBe(true);
});

test('after the first turn the model titles the session in the background, and its cost is included', async () => {
  const { agent, ask, until, model, context } = await named([
    says('Done.'),
    says('Basket sums', { usage }),
    says('Again.'),
  ]);
  await ask('Add up the basket');
  await until(isTitle);
  expect(agent.state().title).toBe('Basket sums');
  const [, request] = model.requests;
  expect(request).toMatchObject({ tools: [], maxOutputTokens: 500 });
  expect(request?.messages[0]?.content).toContain(titleInstruction);
  expect(request?.messages[1]?.content).toBe('The request:\nAdd up the basket\n\nThe reply:\nDone.');
  expect(context.entries().slice(-2)).toMatchObject([
    {
      subtype: 'usage',
      message: { usage: { input_tokens: 50, output_tokens: 5 } },
      data: { purpose: 'title' },
    },
    { subtype: 'title', message: { content: 'Basket sums' }, data: { source: 'model' } },
  ]);
  expect(agent.state().usage).toMatchObject({ inputTokens: 50, requests: 1 });
  await ask('And again');
  expect(model.requests).toHaveLength(3);
  expect(JSON.stringify(model.requests[2])).not.toContain('Basket sums');
});

test.each([
  ['without a user', { interactive: false }],
  ['for the demo model', { demo: true }],
  ['when titles are turned off', { titles: false }],
])('no title is requested %s', async (_, given) => {
  const { ask, model, agent } = await named([says('Done.')], given);
  await ask('Add up the basket');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(model.requests).toHaveLength(1);
  expect(agent.state().title).toBe('Add up the basket');
});

test('a missing title is not an error, and is requested only once more', async () => {
  const { ask, model, agent, events } = await named([
    says('One.'),
    fails({}),
    says('Two.'),
    says('...'),
    says('Three.'),
  ]);
  for (const [text, many] of [
    ['first', 2],
    ['second', 4],
    ['third', 5],
  ] as const) {
    await ask(text);
    await asked(model, many);
  }
  expect(agent.state().title).toBe('first');
  expect(events.filter(({ type }) => type === 'notice' || type === 'retrying')).toEqual([]);
});

test("the user's own title stays, even if it is set while the model writes one", async () => {
  const door = gate();
  const slow: Answer = async function* () {
    await door.opened;
    yield* says('By the model');
  };
  const { run, ask, agent, context, model } = await named([says('Done.'), slow]);
  await ask('Add up the basket');
  await asked(model, 2);
  await run({ type: 'set_title', title: 'Mine' });
  door.open();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(agent.state().title).toBe('Mine');
  expect(context.entries().filter(({ subtype }) => subtype === 'title')).toHaveLength(1);
});

test('on a server with one slot, the title waits until the agent is idle', async () => {
  let stopped = false;
  const waiting: Answer = async function* (_, signal) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    stopped = true;
  };
  const { ask, until, agent, model } = await named([says('One.'), waiting, says('Two.'), says('At last')], {
    info: { hasOneSlot: true },
  });
  await ask('first');
  await asked(model, 2);
  await ask('second');
  expect(stopped).toBe(true);
  await until(isTitle);
  expect(agent.state().title).toBe('At last');
});

test("the user's latest title applies, then the model's latest", () => {
  const entry = (subtype: string, content: string, source?: string) =>
    madeUpEntry({
      type: 'system',
      subtype,
      message: { role: 'system', content },
      ...(source === undefined ? {} : { data: { source } }),
    });
  const log = [
    entry('prompt', 'words'),
    entry('title', 'M1', 'model'),
    entry('title', 'U1', 'user'),
    entry('title', 'U2', 'user'),
    entry('title', 'M2', 'model'),
  ];
  expect([1, 2, 3, 4, 5].map((count) => createTitleTracker()(log.slice(0, count)))).toEqual([
    'words',
    'M1',
    'U1',
    'U2',
    'U2',
  ]);
});
