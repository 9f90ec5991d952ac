/** MCP servers that are part of the driving program: their messages travel over its pipes. */
import { expect, test } from 'vitest';
import { type Driver, startDriver } from './support/driver.ts';
import type { Line } from './support/jsonLines.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: { readonly a?: number; readonly b?: number };
  };
}

const adder = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
};
const add = { calls: [{ name: 'mcp__sums__add', input: { a: 2, b: 3 } }] };

/** The server's result for a request; undefined leaves it unanswered. */
type Results = (message: Message) => object | undefined;

const sums: Results = ({ method, params }) => {
  if (method === 'initialize')
    return {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'sums', version: '1' },
    };
  if (method === 'tools/list') return { tools: [adder] };
  const { a = 0, b = 0 } = params?.arguments ?? {};
  return { content: [{ type: 'text', text: `The sum is ${a + b}.` }] };
};

/** Serves until the program ends; returns a list that collects the called methods. */
function serve(driver: Driver, results: Results = sums): string[] {
  const methods: string[] = [];
  const isMessage = ({ request }: Line) =>
    (request as { subtype?: string } | undefined)?.subtype === 'mcp_message';
  const answer = async (): Promise<void> => {
    for (;;) {
      const line = await driver.next(isMessage);
      const { message } = line.request as { message: Message };
      methods.push(message.method ?? '');
      const result = message.id === undefined ? {} : results(message);
      if (result !== undefined)
        driver.answer(line, { mcp_response: { jsonrpc: '2.0', id: message.id ?? 0, result } });
    }
  };
  void answer().catch(() => undefined);
  return methods;
}

function open(setup: TestProgram, flags: readonly string[] = [], more: object = {}, results?: Results) {
  const driver = startDriver(setup, flags);
  const methods = serve(driver, results);
  driver.send({
    type: 'control_request',
    request_id: 'first',
    request: { subtype: 'initialize', sdkMcpServers: ['sums'], ...more },
  });
  driver.prompt('go');
  return { driver, methods };
}

test('its tools are offered and called, with the usual permissions', async () => {
  const setup = await setUpProgram();
  setup.server.script(add, { text: 'Five.' });
  const { driver, methods } = open(setup, ['--permission-prompt-tool=stdio']);
  expect(await driver.nextOf('system', 'init')).toMatchObject({
    mcp_servers: [{ name: 'sums', status: 'connected' }],
    tools: expect.arrayContaining(['mcp__sums__add']),
  });
  const question = await driver.next(
    ({ request }) => (request as { subtype?: string } | undefined)?.subtype === 'can_use_tool',
  );
  expect(question.request).toMatchObject({ tool_name: 'mcp__sums__add', input: { a: 2, b: 3 } });
  expect(methods).not.toContain('tools/call');
  driver.answer(question, { behavior: 'allow' });
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Five.' });
  expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
  expect(methods).toEqual(['initialize', 'notifications/initialized', 'tools/list', 'tools/call']);
  expect(textOf(setup.server.requests()[1]?.messages.at(-1))).toContain('The sum is 5.');
});

test('without approval a call is denied; a policy in the program denies even an allowed tool', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.script(add, { text: 'No.' }, add, { text: 'No.' });
  const asked = open(setup);
  expect(await asked.driver.nextOf('result')).toMatchObject({
    permission_denials: [{ tool_name: 'mcp__sums__add' }],
  });
  await asked.driver.end();
  const tools = [{ name: 'add', permission_policy: 'always_deny' }];
  const denied = open(setup, ['--allowedTools=mcp__sums__add'], { sdkMcpServerConfigs: { sums: { tools } } });
  await denied.driver.nextOf('result');
  await denied.driver.end();
  expect([...asked.methods, ...denied.methods]).not.toContain('tools/call');
});

test('an interrupt withdraws an unanswered call; the server’s messages are accepted', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.script(add, { text: 'Again.' });
  const results: Results = (message) => (message.method === 'tools/call' ? undefined : sums(message));
  const { driver, methods } = open(setup, ['--allowedTools=mcp__sums'], {}, results);
  const tell = (server_name: string) =>
    driver.request({
      subtype: 'mcp_message',
      server_name,
      message: { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    });
  await driver.next(({ message }) => JSON.stringify(message)?.includes('mcp__sums__add') === true);
  expect(await tell('sums')).toMatchObject({ subtype: 'success' });
  expect(await tell('other')).toMatchObject({ subtype: 'error' });
  await expect.poll(() => methods, { timeout: 60_000 }).toContain('tools/call');
  expect(await driver.request({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
  await driver.nextOf('control_cancel_request');
  expect(await driver.nextOf('result')).toMatchObject({ subtype: 'error_during_execution' });
  expect(methods).toContain('notifications/cancelled');
  expect(await driver.end()).toMatchObject({ code: 0 });
});

test('a server that sends nonsense fails and is named in the first line, and the session continues', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'Hello.' });
  const driver = startDriver(setup);
  driver.send({
    type: 'control_request',
    request_id: 'first',
    request: { subtype: 'initialize', sdkMcpServers: ['sums', 'no spaces'] },
  });
  driver.prompt('go');
  const line = await driver.next(({ type }) => type === 'control_request');
  driver.answer(line, { mcp_response: { jsonrpc: '2.0', id: 'another', result: {} } });
  expect(await driver.nextOf('system', 'init')).toMatchObject({
    mcp_servers: [{ name: 'sums', status: 'failed' }],
  });
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Hello.' });
  await driver.end();
  const told = driver.lines().flatMap(({ content }) => (typeof content === 'string' ? [content] : []));
  expect(told.join('\n')).toContain('The MCP server "no spaces" is left out');
});
