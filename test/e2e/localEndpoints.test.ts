/**
 * A whole turn with typical local servers: no tools, a small window, calls as text, a proxy set.
 *
 * @module-tag long
 */
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../model/http/proxyStage.ts';
import { type Asked, ollama, type Route, saying, startLocalServer, vllm } from './support/localServers.ts';
import { setUpProgram } from './support/testProgram.ts';

/** Calls `Read` as text in reply to its first prompt, and quotes the result in reply to the next. */
const readsInWords: Route = (response, asked) => {
  const last = JSON.stringify((asked.body.messages as { content: unknown }[]).at(-1)?.content);
  const secret = /the word is (\w+)/.exec(last)?.[1];
  const call = '<tool_call>\n{"name": "Read", "arguments": {"file_path": "note.txt"}}\n</tool_call>';
  const answer = saying(secret === undefined ? `I look.\n${call}` : `It says ${secret}.`);
  if (typeof answer === 'function') answer(response, asked);
};

const chats = (asked: readonly Asked[]): Asked[] =>
  asked.filter(({ path }) => path === '/v1/chat/completions');

test('an Ollama model without tools and with a small window is loaded first, reported once, and works', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const models = [{ name: 'small:2b', maxContext: 131_072, capabilities: ['completion'] }];
  const server = await startLocalServer(ollama(models, { defaultContext: 16_384, chat: readsInWords }));
  onTestFinished(server.close);
  await setup.work.write('note.txt', 'the word is plankton\n');
  const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_MODEL: 'small:2b', OPENAI_API_KEY: '' };
  const ask = async (): Promise<{ result: string; context_usage: { context_window: number } }> => {
    const printed = await setup.print(['-p', 'what does note.txt say?', '--output-format', 'json'], { env });
    expect(printed).toMatchObject({ code: 0 });
    return JSON.parse(printed.stdout);
  };
  // A prompt waits 2 s for the server's facts: on a machine that is too busy, it is sent again.
  let from = 0;
  let result = await ask();
  for (let many = 1; many < 10 && result.context_usage.context_window !== 16_384; many++) {
    from = server.asked.length;
    result = await ask();
  }
  expect(result).toMatchObject({ result: 'It says plankton.', context_usage: { context_window: 16_384 } });

  const asked = server.asked.slice(from);
  const paths = asked.map(({ path }) => path);
  // Once it is loaded, it stays.
  if (from === 0) expect(paths.indexOf('/api/generate')).toBeLessThan(paths.indexOf('/v1/chat/completions'));
  expect(server.asked.map(({ path }) => path)).toContain('/api/generate');
  const [first, second] = chats(asked);
  expect(first?.body).not.toHaveProperty('tools');
  expect(JSON.stringify(first?.body)).toContain('\\"name\\":\\"Read\\"');
  expect(JSON.stringify(second?.body)).toContain('<tool_response name=\\"Read\\">');
  expect(JSON.stringify(second?.body)).toContain('plankton');
});

test('a call is never shown as text, and the missing support is reported once', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const models = [{ name: 'small:2b', maxContext: 131_072, capabilities: ['completion'], running: 16_384 }];
  const server = await startLocalServer(ollama(models, { chat: readsInWords }));
  onTestFinished(server.close);
  await setup.work.write('note.txt', 'the word is plankton\n');
  const env = { OPENAI_BASE_URL: server.baseUrl, OPENAI_MODEL: 'small:2b', OPENAI_API_KEY: '' };
  const terminal = await setup.ready([], { env });
  // The server's facts are known.
  await terminal.waitFor(/context ~?\d+% of 16/);
  await terminal.submit('what does note.txt say?');
  await terminal.waitForPrinted('It says plankton.');
  await terminal.waitForIdle();
  await terminal.waitForPrinted('OLLAMA_CONTEXT_LENGTH=32768');
  await terminal.waitForPrinted(/does\s+not\s+support\s+tools/);
  const text = terminal.everything().replace(/\s+/g, ' ');
  expect(text.match(/does not support tools/g)).toHaveLength(1);
  expect(text).not.toContain('<tool_call>');
});

test('a server on this machine is reached without the proxy that is set', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const server = await startLocalServer(vllm({ id: 'm', maxModelLen: 40_000 }, { chat: saying('reached') }));
  onTestFinished(server.close);
  const env = {
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_MODEL: 'm',
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  expect(await setup.print(['-p', 'hello'], { env })).toMatchObject({ code: 0, stdout: 'reached\n' });
});

test('another server is reached through the proxy', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const server = await startLocalServer(vllm({ id: 'm', maxModelLen: 40_000 }, { chat: saying('reached') }));
  const proxy = await startProxy(server.port);
  onTestFinished(proxy.close);
  onTestFinished(server.close);
  const env = {
    OPENAI_BASE_URL: 'http://model.test/v1',
    OPENAI_MODEL: 'm',
    HTTP_PROXY: `http://127.0.0.1:${proxy.port}`,
  };
  expect(await setup.print(['-p', 'hello'], { env })).toMatchObject({ code: 0, stdout: 'reached\n' });
  expect(proxy.seen).toContain('POST http://model.test/v1/chat/completions');
});
