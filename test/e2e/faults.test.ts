/**
 * Everything that can go wrong with a server, a network and a model, and what the user sees.
 *
 * @module-tag long
 */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, end, plain, say, sse, startSseServer, stop, usage } from '../model/sseServer.ts';
import { keys } from '../ui/screen.ts';
import { kindsOf } from './support/entryKinds.ts';
import type { WireRequest } from './support/server.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { expectPairedCalls } from './support/wire.ts';

const logged = async ({ work }: TestProgram): Promise<string[]> =>
  kindsOf((await work.sessions()).at(-1)?.entries ?? []);

/** The log of the newest session, as it grows. */
const expectLogged = (setup: TestProgram, kinds: readonly string[]): Promise<void> =>
  expect.poll(() => logged(setup)).toEqual(kinds);

test('429 with retry-after counts down on screen and then continues', async () => {
  const setup = await setUpProgram();
  const { server, ready } = setup;
  server.script(
    { error: { status: 429, message: 'Slow down please', retryAfter: 3 } },
    { text: 'Here I am again.' },
  );
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitFor(/is rate limiting requests[\s\S]*Retrying in [123]s \(attempt 2 of \d+\)/);
  const left = (): number => Number(/Retrying in (\d)s/.exec(terminal.screen())?.[1] ?? 0);
  const first = left();
  await terminal.until(() => left() < first, 'it counts down');
  await terminal.waitFor('Here I am again.');
  await terminal.waitForIdle();
  await expectLogged(setup, ['session_start', 'prompt', 'assistant', 'turn_end']);
  expect(server.requests()[1]?.messages).toEqual(server.requests()[0]?.messages);
});

test('a long wait is cancelled with Esc', async () => {
  const { server, ready } = await setUpProgram();
  server.script({ error: { status: 429, message: 'Slow down', retryAfter: 60 } }, { text: 'Now then.' });
  const terminal = await ready();
  await terminal.submit('hello');
  await terminal.waitFor(/Retrying in \d+s/);
  await terminal.press(keys.escape);
  await terminal.waitFor('Interrupted.');
  await terminal.waitForIdle();
  await terminal.submit('once more');
  await terminal.waitFor('Now then.');
});

test('a request that fails once is retried', async () => {
  const setup = await setUpProgram();
  setup.server.script({ error: { status: 500, message: 'boom' } }, { text: 'Recovered.' });
  const terminal = await setup.ready();
  await terminal.submit('hello');
  await terminal.waitFor('Recovered.');
  await terminal.waitForIdle();
  await expectLogged(setup, ['session_start', 'prompt', 'assistant', 'turn_end']);
});

test('retries a stream that breaks off, and leaves no partial message behind', async () => {
  const setup = await setUpProgram();
  setup.server.script(
    {
      text: 'This is the half of a reply that nobody will ever see the end of',
      chunkSize: 8,
      cutAfterChunks: 4,
    },
    { text: 'This is the whole of it.' },
  );
  const terminal = await setup.ready();
  await terminal.submit('hello');
  await terminal.waitFor('This is the whole of it.');
  await terminal.waitForIdle();
  expect(terminal.screen()).not.toContain('half of');
  await expectLogged(setup, ['session_start', 'prompt', 'assistant', 'turn_end']);
  const [session] = await setup.work.sessions();
  expect(JSON.stringify(session?.entries)).not.toContain('half of');
});

test('malformed events are skipped, and a stream that ends without a reason is retried', async () => {
  const setup = await setUpProgram();
  const terminal = await rawServer(setup, [
    sse([
      'data: {"choices": [{"index":0,"delta":{"content":"broken\n\n',
      ': a comment\n\n',
      'data: not json at all\n\n',
      'event: ping\ndata: {}\n\n',
      say('Good '),
      'data: []\n\ndata: null\n\ndata: {"choices":null}\n\n',
      say('to see you.'),
      stop(),
      usage(100, 5),
      end,
    ]),
    sse([say('Ends in the middle of')]),
    sse([say('A whole sentence.'), stop(), usage(120, 5), end]),
  ]);
  await terminal.submit('hello');
  await terminal.waitFor('Good to see you.');
  await terminal.waitForIdle();
  await terminal.submit('and now?');
  await terminal.waitFor('A whole sentence.');
  await terminal.waitForIdle();
  expect(terminal.screen()).not.toContain('in the middle of');
  await expectLogged(setup, [
    ...['session_start', 'prompt', 'assistant', 'turn_end', 'prompt', 'assistant', 'turn_end'],
  ]);
});

test('arguments that are not JSON are repaired if the meaning is clear; otherwise the model gets an error', async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    {
      calls: [
        { name: 'Read', input: {}, rawArguments: "{'file_path': 'lib/utils.js', limit: 3,}" },
        { name: 'Read', input: {}, rawArguments: '<<<?>>>' },
      ],
    },
    { text: 'One of two.' },
  );
  const terminal = await ready();
  await terminal.submit('read');
  await terminal.waitFor('One of two.');
  const second = server.requests()[1];
  if (second === undefined) throw new Error('no second request');
  expectPairedCalls(second);
  const [, , reply, good, bad] = second.messages;
  for (const call of reply?.tool_calls ?? []) expect(() => JSON.parse(call.function.arguments)).not.toThrow();
  expect(String(good?.content)).toContain("'use strict'");
  expect(String(bad?.content)).toMatch(/JSON/);
});

for (const row of [
  {
    what: 'a refused key',
    answer: plain(401, JSON.stringify({ error: { message: 'Incorrect API key provided' } })),
    says: [/rejected the API key/, /OPENAI_API_KEY/],
  },
  {
    what: 'a model that is not there',
    answer: plain(
      404,
      JSON.stringify({ error: { message: 'The model `mock-1` does not exist', code: 'model_not_found' } }),
    ),
    says: [/model mock-1 was not found/, /--model/],
  },
  {
    what: 'a web page where the API should be',
    answer: plain(200, '<!doctype html><title>Welcome</title>', { 'content-type': 'text/html' }),
    says: [/does not answer like an OpenAI-compatible API/, /--base-url/],
  },
  {
    what: 'a page that is not there',
    answer: plain(404, '<html>Not Found</html>', { 'content-type': 'text/html' }),
    says: [/does not answer like an OpenAI-compatible API/, /usually ends in \/v1/],
  },
  {
    what: 'an account without credit',
    answer: plain(
      429,
      JSON.stringify({ error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }),
    ),
    says: [/no credit or quota left/],
  },
])
  test(`${row.what} is reported once, clearly, and the prompt can be sent again`, async () => {
    const { answer, says } = row;
    const setup = await setUpProgram();
    const terminal = await rawServer(setup, [answer, sse([say('All well now.'), stop(), usage(9, 3), end])]);
    await terminal.submit('hello');
    for (const text of says) await terminal.until(() => text.test(flat(terminal.everything())), String(text));
    await terminal.waitForIdle();
    await expectLogged(setup, ['session_start', 'prompt', 'turn_end']);
    await terminal.submit('hello again');
    await terminal.waitFor('All well now.');
  });

test('a missing server is reported with the address', async () => {
  const { work, ready } = await setUpProgram();
  const port = await freePort();
  const terminal = await ready([], {
    env: work.env({ OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_MODEL: 'mock-1' }),
  });
  await terminal.submit('hello');
  await terminal.waitFor(`127.0.0.1:${port}`);
  await terminal.waitForIdle();
});

test('a request that is too long for the server is shortened, and the turn continues', async () => {
  const setup = await setUpProgram();
  const { server, ready } = setup;
  const big = 'lib/parse.js';
  server.script(
    { calls: [{ name: 'Read', input: { file_path: big, limit: 600 } }] },
    { calls: [{ name: 'Read', input: { file_path: big, offset: 600, limit: 600 } }] },
    {
      error: {
        status: 400,
        code: 'context_length_exceeded',
        message:
          "This model's maximum context length is 12000 tokens. However, your messages resulted in 15000 tokens.",
      },
    },
  );
  server.otherwise((request) => ({
    text: isSummary(request) ? '1. Primary request and intent\nRead all of it.' : 'Finished after all.',
  }));
  const terminal = await ready();
  await terminal.submit('read all of the parser');
  await terminal.waitForPrinted('Finished after all.', 20_000);
  await terminal.waitForIdle();
  const last = server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
  expect(JSON.stringify(last.messages).length).toBeLessThan(
    JSON.stringify(server.requests()[2]?.messages).length,
  );
  expect(JSON.stringify(last.messages)).toContain('read all of the parser');
  await terminal.submit('/context');
  await terminal.waitForPrinted('of 12,000 tokens');
});

/** Starts the program against a server that sends exactly the given responses. */
async function rawServer({ work, ready }: TestProgram, answers: readonly Answer[]) {
  const server = await startSseServer(answers);
  onTestFinished(() => server.close());
  return ready([], {
    env: work.env({ OPENAI_BASE_URL: server.baseUrl, OPENAI_API_KEY: 'sk-raw', OPENAI_MODEL: 'mock-1' }),
  });
}

function isSummary(request: WireRequest): boolean {
  return request.tool_choice === 'none';
}

/** Without the line breaks of a narrow screen. */
function flat(text: string): string {
  return text.replace(/\s+/g, ' ');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
