/** Tests of a model at an endpoint: the requests to a real server on loopback, and the conclusions. */
import { inflateSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import {
  examineModel,
  examTokens,
  fillerText,
  NEEDLE_ANSWER,
  redImage,
} from '../../../src/model/servers/examineModel.ts';
import { type Asked, type Route, sendJson, startLocalServer } from '../../e2e/support/localServers.ts';

interface Abilities {
  /** The tokens that it reads; the beginning of a longer prompt is lost. */
  readonly window: number;
  readonly json: boolean;
  readonly images: boolean;
  /** Undefined: the server reports no cached tokens. */
  readonly cached: number | undefined;
}

const WINDOW = 20_000;
const able: Abilities = { window: WINDOW, json: true, images: true, cached: 4000 };

async function examine(
  abilities: Abilities,
  more: { readonly isQuick?: boolean; readonly failsWith?: number } = {},
) {
  const asked: Asked[] = [];
  const chat: Route = (response, one) => {
    asked.push(one);
    const text = JSON.stringify(one.body.messages);
    if (more.failsWith !== undefined) return sendJson(response, { error: { message: 'no' } }, more.failsWith);
    if (text.includes('image_url') && !abilities.images)
      return sendJson(response, { error: { message: 'image input is not supported' } }, 400);
    if (one.body.response_format !== undefined && !abilities.json)
      return sendJson(response, { error: { message: 'response_format: not implemented' } }, 400);
    const tokens = Math.ceil(text.length / 4);
    const kept = text.slice(Math.max(0, text.length - abilities.window * 4));
    const content = answerTo(text, kept);
    sendJson(response, {
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: tokens,
        completion_tokens: 5,
        ...(abilities.cached === undefined
          ? {}
          : { prompt_tokens_details: { cached_tokens: abilities.cached } }),
      },
    });
  };
  const server = await startLocalServer({ '/v1/chat/completions': chat });
  onTestFinished(server.close);
  const steps: string[] = [];
  const exam = await examineModel({
    connect: (extraBody) =>
      createModelClient('chat', {
        baseUrl: server.baseUrl,
        apiKey: undefined,
        factsOf: () => (extraBody === undefined ? {} : { extraBody }),
      }),
    model: 'm',
    wire: 'chat',
    windowTokens: WINDOW,
    isQuick: more.isQuick ?? false,
    signal: new AbortController().signal,
    onStep: (step) => steps.push(step),
  });
  return { exam, asked, steps };
}

function answerTo(text: string, kept: string): string {
  if (text.includes('spider')) return '{"legs": 8}';
  if (text.includes('image_url')) return 'Red.';
  if (text.includes('harbour gate'))
    return kept.includes(NEEDLE_ANSWER) ? `It is ${NEEDLE_ANSWER}.` : 'I do not know.';
  return 'ready';
}

describe('a model', () => {
  test('with all abilities finds the sentence in all prompts, which are as long as stated', async () => {
    const { exam, asked, steps } = await examine(able);
    expect(exam).toMatchObject({ jsonSchema: true, images: true, promptCache: 'yes' });
    expect(exam.needles?.map(({ percent, isFound }) => [percent, isFound])).toEqual([
      [25, true],
      [50, true],
      [75, true],
      [90, true],
    ]);
    const lengths = asked.slice(-4).map(({ body }) => JSON.stringify(body.messages).length / 4 / WINDOW);
    for (const [index, share] of [0.25, 0.5, 0.75, 0.85].entries())
      expect(lengths[index]).toBeCloseTo(share, 1);
    expect(asked[0]?.body.response_format).toMatchObject({ type: 'json_schema' });
    expect(steps).toHaveLength(7);
    const sent = asked.reduce((sum, { body }) => sum + JSON.stringify(body.messages).length / 4, 0);
    expect(sent).toBeLessThan(examTokens(WINDOW, false).input);
  });

  test('that loses the beginning of long prompts is not tested with longer ones', async () => {
    const { exam } = await examine({ ...able, window: 12_000 });
    expect(exam.needles?.map(({ percent, isFound }) => [percent, isFound])).toEqual([
      [25, true],
      [50, true],
      [75, false],
    ]);
  });

  test('without these abilities is reported as such', async () => {
    const { exam } = await examine({ ...able, json: false, images: false, cached: 0 }, { isQuick: true });
    expect(exam).toEqual({ jsonSchema: false, images: false, promptCache: 'no' });
    const other = await examine({ ...able, cached: undefined }, { isQuick: true });
    expect(other.exam.promptCache).toBe('unreported');
  });
});

test.each([401, 402, 429, 500])('an HTTP %i leaves the model’s abilities unknown', async (failsWith) => {
  const { exam } = await examine(able, { isQuick: true, failsWith });
  expect(exam).toEqual({});
});

test('a longer text starts with a shorter one of the same seed, and contains the sentence once', () => {
  const [short, long] = [fillerText(3000, 0.5, true), fillerText(9000, 0.5, true)];
  expect(long.startsWith(short)).toBe(true);
  expect(long.split(NEEDLE_ANSWER)).toHaveLength(2);
  expect(long.indexOf(NEEDLE_ANSWER)).toBeLessThan(2000);
  expect(fillerText(3000, 0.25)).not.toContain(NEEDLE_ANSWER);
});

test('the image is a valid PNG of one color', () => {
  const png = Buffer.from(redImage(4), 'base64');
  const at = png.indexOf('IDAT');
  const pixels = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  expect([...pixels.subarray(0, 7)]).toEqual([0, 230, 20, 20, 230, 20, 20]);
  expect(png.readUInt32BE(16)).toBe(4);
});
