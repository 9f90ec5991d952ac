import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openDriverInput } from '../../../src/cli/headless/driverInput.ts';

const hello = `${JSON.stringify({ type: 'user', message: { role: 'user', content: 'hello' } })}\n`;

/** Both ends of a connection. */
async function connection() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  const driver = connect(address.port, '127.0.0.1');
  const [input] = (await once(server, 'connection')) as [typeof driver];
  onTestFinished(() => void server.close());
  return { driver, input };
}

test('a failure to read ends the messages with its reason', async () => {
  const { driver, input } = await connection();
  driver.write(hello);
  const { messages } = await openDriverInput(input);
  const seen: unknown[] = [];
  for await (const message of messages) {
    seen.push(message);
    if (seen.length === 1) driver.resetAndDestroy();
  }
  expect(seen).toMatchObject([
    { type: 'prompt' },
    { type: 'malformed', problem: 'standard input cannot be read: read ECONNRESET.' },
  ]);
});

test('if even the first line cannot be read, the error is the first message', async () => {
  const { driver, input } = await connection();
  const opened = openDriverInput(input);
  driver.resetAndDestroy();
  expect((await opened).first).toMatchObject({ type: 'malformed' });
});

test.each([
  ['title', { title: 42, disallowedTools: ['Bash'] }],
  ['jsonSchema', { jsonSchema: '{}' }],
  ['mcpServers', { mcpServers: 'none' }],
])(
  'an invalid %s in the initialize request ends the input, so that no option is lost',
  async (field, options) => {
    const { driver, input } = await connection();
    const request = { subtype: 'initialize', ...options };
    driver.write(`${JSON.stringify({ type: 'control_request', request_id: '1', request })}\n`);
    expect((await openDriverInput(input)).first).toMatchObject({
      type: 'malformed',
      problem: expect.stringContaining(`the "initialize" request on standard input is invalid at "${field}"`),
    });
  },
);
