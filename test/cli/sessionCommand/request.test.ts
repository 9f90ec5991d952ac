/** Sent requests are printed again, from real logs of an agent with a server on loopback. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Sessions } from '../../../src/cli/sessionCommand/sessions.ts';
import { createOpenAIClient } from '../../../src/model/wires/chat/client.ts';
import { smallTool } from '../../agent/smallTools.ts';
import { startAgent } from '../../agent/testAgent.ts';
import { wireServer } from '../../agent/wireServer.ts';
import { runWith } from './ports.ts';
import { record } from './records.ts';

/** A session of one turn with two requests: its file, and the bodies that the server received. */
async function recorded() {
  const server = await wireServer(
    (_, index) => [{ calls: [{ name: 'Read', input: { name: 'a' } }] }, { text: 'It says so.' }][index] ?? {},
  );
  const client = createOpenAIClient({ apiKey: undefined, baseUrl: server.baseUrl });
  const read = smallTool('Read', { readOnly: true });
  const set = await startAgent({ client, tools: [read] });
  await set.ask('What does it say?');
  const file = set.context.filePath() ?? '';
  await set.agent.close();
  const session = record({ id: 'abc', file });
  return {
    file,
    bodies: server.bodies.map((body) => JSON.parse(body) as unknown),
    run: (...argv: string[]) => runWith(['request', 'abc', ...argv], { sessions: [session] }),
  };
}

test('the last request is printed as it was sent, and an earlier one by its entry', async () => {
  const { bodies, run } = await recorded();
  const last = await run();
  expect([last.code, JSON.parse(last.stdout)]).toEqual([0, bodies[1]]);

  const { stdout } = await run('--list');
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^#\d+ {2}\S+ {2}turn {2}\S+ {2}tool_calls$/),
    expect.stringMatching(/^#\d+ {2}\S+ {2}turn {2}\S+ {2}stop$/),
  ]);
  const first = await run('--seq', /^#(\d+)/.exec(stdout)?.[1] ?? '');
  expect([first.code, JSON.parse(first.stdout)]).toEqual([0, bodies[0]]);
});

test('if the log no longer yields the same bytes, the output says so', async () => {
  const { file, run } = await recorded();
  await writeFile(file, (await readFile(file, 'utf8')).replace('What does it say?', 'What does he say?'));
  const { code, stdout, stderr } = await run();
  expect([code, stderr]).toEqual([1, expect.stringContaining('not byte for byte what was sent')]);
  expect(stdout).not.toBe('');
});

/** Rewrites the lines of a log without their checksums, as an editor would. */
async function edit(file: string, change: (entry: Record<string, unknown>) => void): Promise<void> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const edited = lines.map((line) => {
    const { crc: _, ...entry } = JSON.parse(line) as Record<string, unknown>;
    change(entry);
    return `${JSON.stringify(entry)}\n`;
  });
  await writeFile(file, edited.join(''));
}

test.each<[string, (entry: Record<string, unknown>) => void]>([
  [
    'a tool without a name',
    (entry) =>
      entry.subtype === 'tools' && Object.assign(entry.data ?? {}, { tools: [{ description: 1 }, null] }),
  ],
  ['no tools', (entry) => entry.subtype === 'tools' && Object.assign(entry, { data: {} })],
  [
    'details of the wrong types',
    (entry) =>
      entry.type === 'assistant' &&
      Object.assign((entry.data as { request: object }).request, {
        sent: [{ hash: 'x', wire: 'anthropic', form: null }],
      }),
  ],
])('a log with %s leads to a message', async (_, change) => {
  const { file, run } = await recorded();
  await edit(file, change);
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be rebuilt|not byte for byte/)]);
  expect((await run('--list')).code).toBe(0);
});

test('an unexpected error becomes a message with an exit code', async () => {
  const { code, stderr } = await runWith(['show', 'abc'], {
    real: { named: () => Promise.reject(new TypeError('x is not a function')) } as unknown as Sessions,
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/failed unexpectedly\. TypeError: x is not a function\./),
  ]);
});

test('an entry that did not result from a request is bad input', async () => {
  const { run } = await recorded();
  const { code, stdout, stderr } = await run('--seq', '0');
  expect([code, stdout]).toEqual([42, '']);
  expect(stderr).toContain('no request recorded with entry #0');
});
