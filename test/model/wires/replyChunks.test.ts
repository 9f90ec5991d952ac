/** The limits of a reply: in total, per chunk, and without new content. */
import { expect, test } from 'vitest';
import { toModelError } from '../../../src/model/errors.ts';
import { readFailure } from '../../../src/model/failure.ts';
import type { HttpAnswer } from '../../../src/model/http/types.ts';
import { type ReplyBounds, replyBounds } from '../../../src/model/replyBounds.ts';
import { replyChunks } from '../../../src/model/wires/replyChunks.ts';

const about = { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', hasKey: true, reached: true, started: true };

/** Reads a response in chunks of 100 bytes; each `+` in it is a character of the reply. */
async function read(body: string, bounds: Partial<ReplyBounds>, type = 'text/event-stream') {
  let [pieces, size] = [0, 0];
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < body.length; at += 100, pieces += 1) yield Buffer.from(body.slice(at, at + 100));
  }
  const headers = { 'content-type': type };
  const answer: HttpAnswer = { status: 200, headers, body: bytes(), release: () => {} };
  const trace = { answered: false, isReply: false, isEventStream: false, dropped: 0 };
  const chunks: object[] = [];
  const news = {
    onActivity: () => {},
    debug: () => {},
    size: () => size,
    bounds: { ...replyBounds, ...bounds },
  };
  try {
    for await (const chunk of replyChunks(answer, trace, news)) {
      chunks.push(chunk);
      size += JSON.stringify(chunk).split('+').length - 1;
    }
  } catch (error) {
    return { chunks, pieces, error };
  }
  return { chunks, pieces, error: undefined };
}

const grows = 'data: {"a":"+"}\n\n';
const idle = 'data: {"a":""}\n\n';

test('a reply within the limits is read to its end', async () => {
  const bounds = { maxBytes: 10_000, maxEvents: 100, maxIdleBytes: 2000, maxIdleEvents: 50, maxMalformed: 3 };
  const body = `${grows.repeat(20)}${idle.repeat(40)}${': wait\n\n'.repeat(50)}${grows}${idle.repeat(30)}`;
  expect(await read(`${body}${'data: oops\n\n'.repeat(3)}`, bounds)).toMatchObject({
    chunks: { length: 91 },
    error: undefined,
  });
});

const tooMuch: readonly (readonly [string, string, Partial<ReplyBounds>, string])[] = [
  ['bytes', grows.repeat(5000), { maxBytes: 1000 }, 'more than 1,000 bytes'],
  ['events', grows.repeat(5000), { maxEvents: 50 }, 'more than 50 events'],
  ['comments', grows + ': keep-alive\n\n'.repeat(5000), { maxIdleBytes: 1000 }, '1,000 bytes in a row'],
  ['blank lines', '\n'.repeat(50_000), { maxIdleBytes: 1000 }, '1,000 bytes in a row'],
  ['empty events', grows + idle.repeat(5000), { maxIdleEvents: 50 }, '50 events in a row'],
  [
    'data that is not events',
    'data: {oops\n\n'.repeat(5000),
    { maxMalformed: 50 },
    'more than 50 events that',
  ],
  ['a line', `data: {"a":"${'x'.repeat(50_000)}`, { maxEventLength: 1000 }, 'an event of more than 1,000'],
  ['lines in an event', 'data: x\n'.repeat(5000), { maxEventLength: 1000 }, 'an event of more than 1,000'],
  ['values', `data: {"a":[${'[],'.repeat(10_001)}1]}\n\n`, {}, 'more values'],
  ['depth', `data: {"a":${'['.repeat(1000)}${']'.repeat(1000)}}\n\n`, {}, 'more values'],
];
test.each(tooMuch)('endless %s are given up soon, and not retried', async (_name, body, bounds, what) => {
  const { error, pieces } = await read(body, bounds);
  expect(toModelError(error, about)).toMatchObject({
    kind: 'bad_request',
    retryable: false,
    message: expect.stringMatching(
      new RegExp(
        `^The reply from http://127.0.0.1:1/v1 was aborted: it contains .*${what}.* Try again, or use`,
      ),
    ),
  });
  if (body.length > 40_000) expect(pieces).toBeLessThan(100);
});

test('also gives up a response that is not streamed', async () => {
  const body = `{"choices":[{"message":{"content":"${'x'.repeat(50_000)}"}}]}`;
  expect(await read(body, {}, 'application/json')).toMatchObject({ chunks: { length: 1 }, error: undefined });
  const { error, pieces } = await read(body, { maxEventLength: 1000 }, 'application/json');
  expect(String(error)).toContain('an event of more than 1,000 characters');
  expect(pieces).toBeLessThan(100);
});

test.each(['data: {"a":1}\n\n', '\n\nevent: x\ndata: {"a":1}\n\n', ': ping\n\ndata:{"a":1}'])(
  'an event stream that is declared as JSON is read as one: %j',
  async (body) => {
    expect(await read(body, {}, 'application/json')).toMatchObject({ chunks: [{ a: 1 }], error: undefined });
    expect(await read('\n {"a":1}', {}, 'application/json')).toMatchObject({ chunks: [{ a: 1 }] });
  },
);

test('brackets and commas within text are text', async () => {
  const body = `data: ${JSON.stringify({ a: '[{"\\",'.repeat(20_000) })}\n\n`;
  const { chunks, error } = await read(body, {});
  expect([chunks.length, error]).toEqual([1, undefined]);
});

test('an error event of any size is summarized in a few words', async () => {
  const body = `event: error\ndata: {"message":"${'no '.repeat(200_000)}"}\n\n`;
  const { error } = await read(body, {});
  const { kind, message } = toModelError(error, about);
  expect({ kind, isShort: message.length < 600 }).toEqual({ kind: 'server', isShort: true });
  expect(readFailure(error).body).toHaveLength(64 * 1024);
});
