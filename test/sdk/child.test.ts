/** The SDK when its process misbehaves: real processes in place of the program. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { childProcessIn } from '../../src/cli/sdk/childProcess.ts';
import type { SessionOptions } from '../../src/sdk/api/sdk.ts';
import { startQuery } from '../../src/sdk/query.ts';
import type { Host } from '../../src/sdk/run.ts';
import { startSession } from '../../src/sdk/session.ts';

/** A host whose program is this script. */
async function hostOf(script: string): Promise<Host> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-sdk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'bin/clawdcode.js'), script);
  return { connect: childProcessIn(folder), env: process.env, version: '1.0.0' };
}

const result = (text: string): string =>
  JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, session_id: 's' });
/** Calls `answer` with each line of standard input. */
const onLine = (answer: string): string =>
  `import { createInterface } from 'node:readline';
  const say = (message) => console.log(JSON.stringify(message));
  createInterface({ input: process.stdin }).on('line', (text) => { const line = JSON.parse(text); ${answer} });`;

const textsOf = async (host: Host, options?: SessionOptions): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const prompt = { prompt: 'hello', ...(options && { options }) };
  for await (const event of startQuery(prompt, host)) seen.push(event.type === 'result' && event.subtype);
  return seen;
};

test('a process that dies before its reply rejects with its error output', async () => {
  const host = await hostOf(`process.stderr.write('clawdcode: no disk\\n'); process.exitCode = 1;`);
  await expect(textsOf(host)).rejects.toMatchObject({
    name: 'ClawdCodeError',
    code: 'ended',
    exitCode: 1,
    message: 'The session ended before its answer, with code 1: clawdcode: no disk',
  });
});

test('a process that is killed, or cannot be started, rejects as well', async () => {
  const killed = await hostOf(onLine(`process.kill(process.pid, 'SIGKILL');`));
  await expect(textsOf(killed)).rejects.toThrow('killed by SIGKILL');
  const { ended, stop } = killed.connect({ argv: [], cwd: '/there/is/no/such/folder', env: {} }, () => {});
  stop();
  expect((await ended).problem).toContain('could not be started');
});

test('all waiting calls are told that the process has died, and no rejection is unhandled', async () => {
  const host = await hostOf(onLine(`if (line.type === 'control_request') process.exit(7);`));
  const session = startSession(undefined, host);
  const events = session.events[Symbol.asyncIterator]();
  const read = events.next();
  const sent = session.send('never answered');
  // No caller waits for this one.
  void session.send('another');
  await expect(session.interrupt()).rejects.toMatchObject({ code: 'ended', exitCode: 7 });
  await expect(sent).rejects.toMatchObject({ exitCode: 7 });
  await expect(read).rejects.toMatchObject({ exitCode: 7 });
  await expect(session.setModel('x')).rejects.toMatchObject({ exitCode: 7 });
  await session.close();
});

test('a failure after the last result is not an error of the query', { tags: 'long' }, async () => {
  const host = await hostOf(
    onLine(`console.log('${result('Yes.')}'); process.exitCode = 53; process.stdin.pause();`),
  );
  expect(await textsOf(host)).toEqual(['success']);
});

test('a line that is not a message ends the session', { tags: 'long' }, async () => {
  const host = await hostOf(onLine(`console.log('hello');`));
  await expect(textsOf(host)).rejects.toThrow('not in its format');
});

test('a callback that throws, or returns nonsense, denies', { tags: 'long' }, async () => {
  const question = { subtype: 'can_use_tool', tool_name: 'Bash', input: {} };
  const host = await hostOf(
    onLine(`
    if (line.type === 'user') say({ type: 'control_request', request_id: 'q', request: ${JSON.stringify(question)} });
    if (line.type === 'control_response') say({ type: 'result', subtype: JSON.stringify(line.response), session_id: 's' });
    `),
  );
  const answerTo = async (canUseTool: unknown): Promise<unknown> =>
    JSON.parse(String((await textsOf(host, { canUseTool } as SessionOptions))[0]));
  const thrown = () => {
    throw new Error('broken');
  };
  const head = { request_id: 'q', subtype: 'error' };
  expect(await answerTo(thrown)).toEqual({ ...head, error: 'broken' });
  expect(await answerTo(async () => thrown())).toEqual({ ...head, error: 'broken' });
  expect(await answerTo(() => ({ behavior: 1n }))).toMatchObject(head);
  expect(await answerTo(() => undefined)).toMatchObject({ subtype: 'success', response: {} });
});

test('a request that is withdrawn aborts its callback', { tags: 'long' }, async () => {
  const question = { subtype: 'can_use_tool', tool_name: 'Bash', input: {} };
  const host = await hostOf(
    onLine(`
    if (line.type === 'user') {
      say({ type: 'control_request', request_id: 'q', request: ${JSON.stringify(question)} });
      say({ type: 'control_cancel_request', request_id: 'q' });
    }
    if (line.type === 'control_response') console.log('${result('Withdrawn.')}');
    `),
  );
  // The result comes only after the response, and the response only after the withdrawal.
  const canUseTool: NonNullable<SessionOptions['canUseTool']> = (_, { signal }) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve({ behavior: 'deny' })));
  expect(await textsOf(host, { canUseTool })).toEqual(['success']);
});

test('a source of prompts that fails ends the query with its error', { tags: 'long' }, async () => {
  const host = await hostOf(onLine(`console.log('${result('Yes.')}');`));
  async function* prompts() {
    yield 'one';
    throw new Error('no more');
  }
  const asked = startQuery({ prompt: prompts() }, host);
  await expect(
    (async () => {
      for await (const _ of asked);
    })(),
  ).rejects.toThrow('no more');
});

test('an abort before the start, and one while waiting, reject with the reason', async () => {
  const host = await hostOf(onLine(''));
  await expect(textsOf(host, { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrow('early');
  const stop = new AbortController();
  const waiting = textsOf(host, { signal: stop.signal });
  stop.abort(new Error('late'));
  await expect(waiting).rejects.toThrow('late');
});
