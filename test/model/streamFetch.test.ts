import { expect, test } from 'vitest';
import { toModelError } from '../../src/model/errors.ts';
import { streamFetch } from '../../src/model/streamFetch.ts';

const about = { baseUrl: 'http://127.0.0.1:1/v1', model: 'm', hasKey: true, reached: true, started: true };

async function read(body: string, maxBytes: number): Promise<string> {
  const trace = { answered: false, isReply: false, isEventStream: false, dropped: 0 };
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  const fetchFn = streamFetch(
    answer,
    trace,
    () => {},
    () => {},
    maxBytes,
  );
  return (await fetchFn('http://127.0.0.1:1/v1')).text();
}

test('a reply without end is given up, and not asked for again', async () => {
  const event = 'data: {"a":1}\n\n';
  expect(await read(event.repeat(10), 200)).toBe(event.repeat(10));
  const error = await read(event.repeat(100), 200).catch((thrown: unknown) => thrown);
  expect(toModelError(error, about)).toMatchObject({
    kind: 'bad_request',
    retryable: false,
    message: expect.stringContaining('reply without end'),
  });
});
