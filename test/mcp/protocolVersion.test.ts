/** Servers with the protocol of 2026-07-28; servers with the older one notice no difference. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createProtocolMemories } from '../../src/cli/mcp/openServers.ts';
import type { McpDeps } from '../../src/mcp/McpServer.ts';
import type { McpServerDefinition } from '../../src/protocol/extensions/mcp.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { type Bench, openBench } from './support/bench.ts';
import { SERVER } from './support/testServer.ts';

const MODERN = join(import.meta.dirname, 'support/modernServer.mjs');

interface Place {
  readonly folder: string;
  readonly deps: Partial<McpDeps>;
  /** The server that records what it receives. */
  readonly definition: (program: string, ...modes: string[]) => McpServerDefinition;
  /** The messages received by its starts: one list for each start. */
  readonly received: () => string[][];
}

function createPlace(): Place {
  const folder = temporaryFolder();
  const record = join(folder, 'record');
  writeFileSync(record, '');
  return {
    folder,
    deps: { protocolMemoryOf: createProtocolMemories(folder) },
    definition: (program, ...modes) => ({
      command: process.execPath,
      args: [program, ...modes],
      env: { RECORD: record },
    }),
    received() {
      const starts = new Map<string, string[]>();
      for (const line of readFileSync(record, 'utf8').trim().split('\n')) {
        const [pid = '', method = ''] = line.split(' ');
        starts.set(pid, [...(starts.get(pid) ?? []), method]);
      }
      return [...starts.values()];
    },
  };
}

const names = ({ servers }: Bench): string[] => servers.tools().map(({ name }) => name);

test('a server with the newer protocol is asked for its protocol once, and greeted in it from then on', {
  tags: 'long',
}, async () => {
  const { definition, deps, received } = createPlace();
  const bench = await openBench({ new: definition(MODERN) }, deps);
  expect(bench.servers.status()).toMatchObject([{ state: { type: 'connected' }, problems: [] }]);
  expect(names(bench)).toContain('mcp__new__echo');
  expect(await bench.call('mcp__new__echo', { text: 'hello' })).toMatchObject({ text: 'You said hello' });
  await openBench({ new: definition(MODERN) }, deps);
  const starts = received();
  expect(starts.map(([first]) => first)).toEqual(['initialize', 'server/discover', 'server/discover']);
});

test('a changed definition is asked again', { tags: 'long' }, async () => {
  const { definition, deps, received } = createPlace();
  await openBench({ new: definition(MODERN) }, deps);
  await openBench({ new: { ...definition(MODERN), timeout: 1000 } }, deps);
  expect(received().map(([first]) => first)).toEqual([
    ...['initialize', 'server/discover'],
    ...['initialize', 'server/discover'],
  ]);
});

test.each([
  ['the older protocol', SERVER],
  ['both protocols', MODERN, 'both'],
])(
  'a server with %s starts once and is never asked for its protocol',
  { tags: 'long' },
  async (_, program, ...modes) => {
    const { definition, deps, received } = createPlace();
    for (let run = 0; run < 2; run++) {
      const { call } = await openBench({ old: definition(program, ...modes) }, deps);
      expect(await call('mcp__old__echo', { text: 'on' })).toMatchObject({ text: 'You said on' });
    }
    const starts = received();
    expect(starts.map((methods) => methods.slice(0, 2))).toEqual([
      ['initialize', 'notifications/initialized'],
      ['initialize', 'notifications/initialized'],
    ]);
    expect(starts.flat()).not.toContain('server/discover');
  },
);

test('a server that was downgraded is used with the older protocol, and forgotten as a newer one', async () => {
  const { folder, definition, deps, received } = createPlace();
  const old = definition(SERVER);
  const memory = createProtocolMemories(folder)({ name: 'old', definition: old });
  await memory.remember(true);
  const { call } = await openBench({ old }, deps);
  expect(await call('mcp__old__echo', { text: 'on' })).toMatchObject({ text: 'You said on' });
  expect(received().map((methods) => methods.slice(0, 2))).toEqual([['server/discover', 'initialize']]);
  expect(await memory.isModern()).toBe(false);
});

test('a server that exits when asked for its protocol is restarted in the older one', {
  tags: 'long',
}, async () => {
  const { folder, definition, deps, received } = createPlace();
  const old = definition(SERVER, 'strict');
  const memory = createProtocolMemories(folder)({ name: 'old', definition: old });
  await memory.remember(true);
  const { call } = await openBench({ old }, deps);
  expect(await call('mcp__old__echo', { text: 'on' })).toMatchObject({ text: 'You said on' });
  expect(received().map(([first]) => first)).toEqual(['server/discover', 'initialize']);
  expect(await memory.isModern()).toBe(false);
});

test('a server that does not respond when asked for its protocol is not asked the next time', async () => {
  const { folder, definition, deps } = createPlace();
  const old = definition(SERVER, 'silent');
  const memory = createProtocolMemories(folder)({ name: 'old', definition: old });
  await memory.remember(true);
  const { servers } = await openBench({ old }, { ...deps, connectTimeoutMs: 500 });
  expect(servers.status()).toMatchObject([{ state: { type: 'failed' } }]);
  expect(await memory.isModern()).toBe(false);
});

test('new tools are offered when the newer server announces them', { tags: 'long' }, async () => {
  const { definition, deps } = createPlace();
  const bench = await openBench({ new: definition(MODERN) }, deps);
  await bench.call('mcp__new__grow');
  await vi.waitFor(() => expect(names(bench)).toContain('mcp__new__grown'), { timeout: 20_000 });
  expect(await bench.call('mcp__new__grown')).toMatchObject({ text: 'I am new' });
});

test('progress of the newer server reaches the screen, and an interrupted call is cancelled there', {
  tags: 'long',
}, async () => {
  const { definition, deps } = createPlace();
  const { servers, call, output } = await openBench({ new: definition(MODERN) }, deps);
  await call('mcp__new__slow');
  expect(output).toEqual(['1 of 2: part 1\n', '2 of 2: part 2\n']);
  const stop = new AbortController();
  const hanging = call('mcp__new__hang', {}, { signal: stop.signal });
  await vi.waitFor(() => expect(servers.status()[0]?.log).toContain('Hanging.'), { timeout: 20_000 });
  stop.abort();
  expect(await hanging).toMatchObject({ status: 'partial', display: { summary: 'interrupted' } });
  await vi.waitFor(() => expect(servers.status()[0]?.log).toContain('A call was cancelled.'), {
    timeout: 20_000,
  });
  expect((await call('mcp__new__echo', { text: 'on' })).text).toBe('You said on');
});

test('the newer server gets the user’s answer', { tags: 'long' }, async () => {
  const { definition, deps } = createPlace();
  const { call } = await openBench({ new: definition(MODERN) }, { ...deps, canAskUser: true });
  const askForm = async () => ({ type: 'form' as const, answers: [{ chosen: [], text: 'Ada' }] });
  const { text } = await call('mcp__new__ask', {}, { askForm } as never);
  expect(JSON.parse(text)).toEqual({ action: 'accept', content: { name: 'Ada' } });
});

test('a remote server with the newer protocol gets the headers that its schemas require', {
  tags: 'long',
}, async () => {
  const { deps } = createPlace();
  const child = spawn(process.execPath, [MODERN, 'web'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const definition: McpServerDefinition = { type: 'http', url: printed.toString().trim() };
  const posted: (string | null)[] = [];
  const fetchSeen: ReturnType<McpDeps['fetchFor']> = (url, init) => {
    posted.push(new Headers(init?.headers).get('mcp-method'));
    return fetch(url, init);
  };
  for (let run = 0; run < 2; run++) {
    const { servers, call } = await openBench({ web: definition }, { ...deps, fetchFor: () => fetchSeen });
    expect(servers.status()).toMatchObject([{ state: { type: 'connected' } }]);
    expect(await call('mcp__web__echo', { text: 'hello' })).toMatchObject({ text: 'You said hello' });
    expect(await call('mcp__web__marked', { region: 'north' })).toMatchObject({ text: 'Region north' });
  }
  expect(posted.filter((method) => method === 'server/discover')).toHaveLength(2);
  // Only the first handshake was in the older protocol, which has no such header.
  expect(posted.filter((method) => method === null)).toHaveLength(1);
});

test('the memory is readable only by its owner, keeps the newest 200, and is empty if damaged', {
  tags: 'long',
}, async () => {
  const { folder } = createPlace();
  const file = join(folder, 'mcp-protocols.json');
  const memories = createProtocolMemories(folder);
  const memoryOf = (name: string) => memories({ name, definition: { command: 'a' } });
  const numbers = Array.from({ length: 202 }, (_, number) => number);
  await Promise.all(numbers.map((number) => memoryOf(`server${number}`).remember(true)));
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await memoryOf('server1').isModern()).toBe(false);
  expect(await memoryOf('server2').isModern()).toBe(true);
  for (const damaged of ['{"modern":', '{"modern":[1]}', 'null', 'x'.repeat(2_000_000)]) {
    writeFileSync(file, damaged);
    expect(await memoryOf('server2').isModern()).toBe(false);
  }
  await memoryOf('server2').remember(true);
  expect(await memoryOf('server2').isModern()).toBe(true);
});
