/** Event streams of servers over HTTP that send more than anyone reads. */
import { expect, test } from 'vitest';
import { bounded } from '../../src/mcp/http.ts';

const CHUNK_BYTES = 64 * 1024;

/** An event stream of `chunks` chunks that are all there at once. */
const streamOf = (text: string, chunks: number) => async (): Promise<Response> => {
  const bytes = Buffer.from(text.repeat(Math.ceil(CHUNK_BYTES / text.length)));
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent === chunks) return controller.close();
      sent += 1;
      controller.enqueue(new Uint8Array(bytes));
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

test.each(['data: {"method": "notifications/message"}\n\n', ': keep-alive\n\n', '\n\n'])(
  'everything else goes on while a server floods us with %j',
  async (text) => {
    const response = await bounded(streamOf(text, 50))('http://localhost/');
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    let bytes = 0;
    for await (const piece of response.body ?? []) bytes += piece.length;
    clearImmediate(timer);
    expect(bytes).toBeGreaterThanOrEqual(50 * CHUNK_BYTES);
    expect(turns).toBeGreaterThanOrEqual(50);
  },
);

test('an event without end is an error', async () => {
  const response = await bounded(streamOf(': keep-alive\n', 20), 2 ** 20)('http://localhost/');
  await expect(response.text()).rejects.toThrow('more than 1 MB');
});
