import { expect, test } from 'vitest';
import { toModelError } from '../../src/model/errors.ts';
import { replyChunks } from '../../src/model/replyChunks.ts';
import { answerWith } from './http/answerWith.ts';

const about = { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', hasKey: true, reached: true, started: true };

async function read(body: string, maxBytes: number): Promise<object[]> {
  const trace = { answered: false, isReply: false, isEventStream: false, dropped: 0 };
  const answer = answerWith(body, 200, { 'content-type': 'text/event-stream' });
  const chunks: object[] = [];
  const news = { onActivity: () => {}, debug: () => {}, maxBytes };
  for await (const chunk of replyChunks(answer, trace, news)) chunks.push(chunk);
  return chunks;
}

test('a reply without end is given up, and not asked for again', async () => {
  const event = 'data: {"a":1}\n\n';
  expect(await read(event.repeat(10), 200)).toEqual(Array(10).fill({ a: 1 }));
  const error = await read(event.repeat(100), 200).catch((thrown: unknown) => thrown);
  expect(toModelError(error, about)).toMatchObject({
    kind: 'bad_request',
    retryable: false,
    message: expect.stringContaining('reply without end'),
  });
});
