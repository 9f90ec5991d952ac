/**
 * OpenTelemetry export, received by a collector on loopback.
 *
 * @module-tag long
 */
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type ReceivedSpan, startReceiver } from '../telemetry/otlpReceiver.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const envFor = ({ work, access }: TestProgram, url: string, more: Readonly<Record<string, string>> = {}) =>
  work.env({
    ...access,
    CLAWDCODE_ENABLE_TELEMETRY: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    ...more,
  });

const named = (spans: readonly ReceivedSpan[], name: string): ReceivedSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined)
    throw new Error(`no span "${name}" in ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

test('a headless run exports its turn, its requests, its tool calls and their cost', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  setup.server.script(
    {
      calls: [{ name: 'Glob', input: { pattern: 'lib/*.js' } }],
      usage: { prompt_tokens: 1000, completion_tokens: 10 },
    },
    { text: 'Five files.', usage: { prompt_tokens: 1200, completion_tokens: 20 } },
  );
  const env = envFor(setup, receiver.url, {
    OTEL_EXPORTER_OTLP_HEADERS: 'x-api-key=collector-key',
    OTEL_RESOURCE_ATTRIBUTES: 'team=tools',
    TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
  const { stdout, code } = await setup.print(['-p', 'how many files, please?'], { env });
  expect({ stdout, code }).toEqual({ stdout: 'Five files.\n', code: 0 });

  const spans = receiver.spans();
  expect(spans.map(({ name }) => name).sort()).toEqual([
    'chat mock-1',
    'chat mock-1',
    'execute_tool Glob',
    'invoke_agent clawdcode',
  ]);
  const turn = named(spans, 'invoke_agent clawdcode');
  const sessionId = (await setup.work.sessions())[0]?.entries[0]?.sessionId;
  expect(turn).toMatchObject({
    ...{ traceId: '0af7651916cd43dd8448eb211c80319c', parentId: 'b7ad6b7169203331', status: 0 },
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai',
      'gen_ai.agent.name': 'clawdcode',
      'gen_ai.conversation.id': sessionId,
      'gen_ai.request.model': 'mock-1',
      'gen_ai.usage.input_tokens': 2200,
      'gen_ai.usage.output_tokens': 30,
      'clawdcode.turn.outcome': 'done',
      'clawdcode.turn.steps': 2,
      'server.address': '127.0.0.1',
    },
  });
  for (const span of spans.filter((one) => one !== turn)) {
    expect(span).toMatchObject({ parentId: turn.spanId, traceId: turn.traceId });
    expect(span.startNs >= turn.startNs && span.endNs <= turn.endNs && span.startNs <= span.endNs).toBe(true);
  }
  expect(
    spans.filter(({ name }) => name === 'chat mock-1').map(({ attributes }) => attributes),
  ).toMatchObject([
    { 'gen_ai.response.finish_reasons': ['tool_calls'], 'gen_ai.usage.input_tokens': 1000 },
    { 'gen_ai.response.finish_reasons': ['stop'], 'gen_ai.usage.output_tokens': 20 },
  ]);
  expect(named(spans, 'execute_tool Glob').attributes).toMatchObject({ 'gen_ai.tool.name': 'Glob' });

  const tokens = receiver.points().filter(({ name }) => name === 'gen_ai.client.token.usage');
  expect(tokens.map(({ attributes, sum, count }) => [attributes['gen_ai.token.type'], sum, count])).toEqual([
    ['input', 2200, 2],
    ['output', 30, 2],
  ]);
  const durations = receiver.points().filter(({ unit }) => unit === 's');
  expect(durations.map(({ name, count }) => [name, count]).sort()).toEqual([
    ['gen_ai.client.operation.duration', 2],
    ['gen_ai.execute_tool.duration', 1],
    ['gen_ai.invoke_agent.duration', 1],
  ]);
  expect(receiver.resource()).toMatchObject({ 'service.name': 'clawdcode', team: 'tools' });
  expect(receiver.requests()[0]).toMatchObject({
    headers: { 'x-api-key': 'collector-key', 'content-type': 'application/x-protobuf' },
  });
  // None of the conversation.
  expect(JSON.stringify([spans, receiver.points()], bigints)).not.toMatch(/how many|Five files|lib\//);
});

const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

test.each<[sampler: string, more: Readonly<Record<string, string>>, isExported: boolean]>([
  ['always_off', {}, false],
  ['traceidratio', { OTEL_TRACES_SAMPLER_ARG: '0' }, false],
  ['parentbased_always_off', { TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }, true],
  ['parentbased_always_on', { TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` }, false],
  ['constructor', { OTEL_BSP_MAX_QUEUE_SIZE: 'many' }, true],
])('OTEL_TRACES_SAMPLER=%s with %j', { tags: 'long' }, async (sampler, more, isExported) => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  setup.server.script({ text: 'An answer.' });
  const env = envFor(setup, receiver.url, { OTEL_TRACES_SAMPLER: sampler, ...more });
  expect(await setup.print(['-p', 'hello'], { env })).toMatchObject({ stdout: 'An answer.\n', code: 0 });
  expect(receiver.spans().length > 0).toBe(isExported);
  expect(receiver.points().length).toBeGreaterThan(0);
});

test('the environment’s proxy is used', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const proxy = await startReceiver();
  setup.server.script({ text: 'An answer.' });
  const env = envFor(setup, 'http://collector.example.com:4318', {
    HTTP_PROXY: proxy.url,
    NO_PROXY: '127.0.0.1',
  });
  expect(await setup.print(['-p', 'hello'], { env })).toMatchObject({ stdout: 'An answer.\n', code: 0 });
  const paths = proxy.requests().map(({ path }) => path);
  expect(paths.sort()).toEqual([
    'http://collector.example.com:4318/v1/metrics',
    'http://collector.example.com:4318/v1/traces',
  ]);
});

test('/status shows where telemetry goes', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const env = envFor(setup, 'https://user:password@collector.example.com/otlp');
  const { stdout } = await setup.print(['-p', '/status'], { env });
  expect(stdout).toMatch(/Telemetry +to https:\/\/collector\.example\.com\/otlp, without conversation text/);
  const off = await setup.print(['-p', '/status'], { env: { ...env, OTEL_SDK_DISABLED: 'true' } });
  expect(off.stdout).not.toContain('Telemetry');
});

test('with telemetry.content, texts are exported without secrets', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  const key = `ghp_${'a1B2'.repeat(9)}`;
  setup.server.script(
    { calls: [{ name: 'Read', input: { file_path: 'token.txt' } }] },
    { text: `The token is ${key}.` },
  );
  writeFileSync(join(setup.work.repository, 'token.txt'), `token: ${key}\n`);
  const settings = '{"telemetry":{"enabled":true,"content":true}}';
  await setup.print(['-p', 'read it', '--settings', settings, '--allowed-tools', 'Read(/token.txt)'], {
    env: setup.work.env({ ...setup.access, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }),
  });
  const spans = receiver.spans();
  expect(named(spans, 'invoke_agent clawdcode').attributes['gen_ai.input.messages']).toContain('read it');
  const { attributes } = named(spans, 'execute_tool Read');
  expect(attributes['gen_ai.tool.call.arguments']).toContain('token.txt');
  expect(attributes['gen_ai.tool.call.result']).toContain('[redacted:');
  expect(JSON.stringify(spans, bigints)).not.toContain(key);
});

test('a subagent is a span inside the call that started it', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  const input = { subagent_type: 'explore', description: 'find it', prompt: 'Where is it?' };
  setup.server.script(
    { calls: [{ name: 'Agent', input }] },
    { calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
    { text: 'In index.js.' },
    { text: 'So index.js it is.' },
  );
  await setup.print(['-p', 'look around'], { env: envFor(setup, receiver.url) });
  const spans = receiver.spans();
  const child = named(spans, 'invoke_agent explore');
  expect(child.parentId).toBe(named(spans, 'execute_tool Agent').spanId);
  expect(child.attributes).toMatchObject({ 'clawdcode.turn.outcome': 'done', 'gen_ai.agent.id': 'a1' });
  expect(named(spans, 'execute_tool Read').parentId).toBe(child.spanId);
  const requests = spans.filter(({ name }) => name === 'chat mock-1').map(({ parentId }) => parentId);
  expect(requests.filter((id) => id === child.spanId)).toHaveLength(2);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  // The subagent's usage is counted once.
  const tokens = receiver.points().filter(({ name }) => name === 'gen_ai.client.token.usage');
  expect(tokens.map(({ count }) => count)).toEqual([4, 4]);
});

test('on screen, each turn is a trace, and exiting sends the last one', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  setup.server.script({ text: 'One.' });
  setup.server.otherwise(() => ({ text: 'Two.' }));
  const terminal = await setup.ready([], { env: envFor(setup, receiver.url) });
  await terminal.submit('first');
  await terminal.waitFor('One.');
  await terminal.waitForIdle();
  await terminal.submit('second');
  await terminal.waitFor('Two.');
  await terminal.waitForIdle();
  await terminal.submit('/exit');
  await terminal.exited;
  const turns = receiver.spans().filter(({ name }) => name === 'invoke_agent clawdcode');
  expect(turns.map(({ parentId }) => parentId)).toEqual(['', '']);
  expect(new Set(turns.map(({ traceId }) => traceId)).size).toBe(2);
});

/** Never ends. */
function flood(response: ServerResponse): void {
  response.writeHead(200);
  const piece = Buffer.alloc(1 << 20);
  new Readable({
    read() {
      this.push(piece);
    },
  }).pipe(response);
}

const hostile: Readonly<Record<string, (response: ServerResponse) => void>> = {
  hangs: () => undefined,
  fails: (response) => {
    response.writeHead(500).end('no');
  },
  floods: flood,
};

test.each(Object.entries(hostile))(
  'a collector that %s changes neither the reply nor the exit code',
  { tags: 'long' },
  async (_, answer) => {
    const setup = await setUpProgram();
    const receiver = await startReceiver(answer);
    setup.server.script({ text: 'An answer.' });
    const { stdout, stderr, code } = await setup.print(['-p', 'hello'], { env: envFor(setup, receiver.url) });
    expect({ stdout, stderr, code }).toEqual({ stdout: 'An answer.\n', stderr: '', code: 0 });
    expect(receiver.requests().length).toBeGreaterThan(0);
  },
);

test('nothing is sent unless the user turns it on: neither an endpoint alone nor a repository does', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const receiver = await startReceiver();
  setup.server.otherwise(() => ({ text: 'Yes.' }));
  writeFileSync(
    join(setup.work.repository, '.clawdcode.json'),
    '{"telemetry":{"enabled":true,"content":true}}',
  );
  const endpoint = { ...setup.access, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const { stderr } = await setup.print(['-p', 'one'], { env: setup.work.env(endpoint) });
  expect(stderr).toContain('"telemetry" is ignored here');
  await setup.print(['-p', 'two'], { env: envFor(setup, receiver.url, { OTEL_SDK_DISABLED: 'true' }) });
  // It states that nothing is sent.
  await setup.print(['--demo', '-p', 'three'], { env: envFor(setup, receiver.url) });
  expect(receiver.requests()).toEqual([]);
});
