/** The package's SDK, in a separate process and inside the host's: both must behave the same. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { PermissionRequest, SessionEvent } from '../../src/sdk/api/sdk.ts';
import { long } from './support/long.ts';
import { collect, resultOf, runIns, setUpSdk } from './support/sdk.ts';
import { MODEL } from './support/testProgram.ts';

const touch = { calls: [{ name: 'Bash', input: { command: 'touch made' } }] };
const add = { calls: [{ name: 'mcp__sdk__add', input: { a: 2, b: 3 } }] };

describe.each(runIns)('in a %s', (runIn) => {
  // A separate process takes longer; one test of it is enough.
  const inProcess = runIn === 'process' ? {} : long;
  test('a prompt returns typed events and a result with usage and cost', async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script({ text: 'Four.' });
    const settings = { models: { [MODEL]: { price: { input: 1, output: 1 } } } };
    const asked = sdk.query({
      prompt: 'What is 2 + 2?',
      options: { ...options, runIn, settings, systemPrompt: { append: 'Be brief.' }, partialMessages: true },
    });
    const { sessionId } = asked;
    const events = await collect(asked);
    expect(events[0]).toMatchObject({ type: 'system', subtype: 'init', model: MODEL, session_id: sessionId });
    const text = events.flatMap((event) => (event.type === 'assistant' ? event.message.content : []));
    expect(text).toEqual([{ type: 'text', text: 'Four.' }]);
    expect(events.some(({ type }) => type === 'stream_event')).toBe(true);
    const result = events.at(-1);
    expect(result).toMatchObject({ type: 'result', subtype: 'success', is_error: false, result: 'Four.' });
    if (result?.type !== 'result') return;
    expect(result.usage?.output_tokens).toBeGreaterThan(0);
    expect(result.total_cost_usd).toBeGreaterThan(0);
    expect(JSON.stringify(server.requests()[0]?.messages[0])).toContain('Be brief.');
  });

  test(
    'without a callback a call that needs approval is denied; with one, its answer applies',
    long,
    async () => {
      const { sdk, server, options, work } = await setUpSdk();
      server.script(touch, { text: 'No.' }, touch, { text: 'No.' }, touch, { text: 'Yes.' });
      const run = (canUseTool?: (request: PermissionRequest) => { behavior: 'allow' }) =>
        resultOf(
          sdk.query({ prompt: 'go', options: { ...options, runIn, ...(canUseTool && { canUseTool }) } }),
        );
      expect(await run()).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
      const failing = await run(() => {
        throw new Error('The host is broken.');
      });
      expect(failing).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
      expect(JSON.stringify(server.requests()[3]?.messages.at(-1))).toContain('The host is broken.');
      expect(existsSync(join(work.repository, 'made'))).toBe(false);
      const asked: PermissionRequest[] = [];
      const allowed = await run((request) => {
        asked.push(request);
        return { behavior: 'allow' };
      });
      expect(allowed).toMatchObject({ result: 'Yes.', permission_denials: [] });
      expect(asked).toMatchObject([{ tool: 'Bash', input: { command: 'touch made' } }]);
      expect(existsSync(join(work.repository, 'made'))).toBe(true);
    },
  );

  test('the host reads how full the context window is, and restores files to before a prompt', {
    tags: 'long',
  }, async () => {
    const { sdk, server, options, work } = await setUpSdk();
    const input = { file_path: 'made', content: 'one\ntwo\n' };
    server.script({ calls: [{ name: 'Write', input }] }, { text: 'Written.' });
    const session = sdk.createSession({ ...options, runIn, permissionMode: 'acceptEdits' });
    const uuid = '11111111-2222-4333-8444-555555555555';
    await session.send({ content: 'write it', uuid });
    const usage = await session.contextUsage();
    expect(usage.windowTokens).toBe(48_000);
    expect(usage.usedTokens).toBe(usage.parts.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(usage.compactsAtTokens).toBeLessThan(usage.windowTokens);
    const made = join(work.repository, 'made');
    const change = { canRewind: true, filesChanged: [made], deletions: 2 };
    expect(await session.rewindFiles(uuid, { dryRun: true })).toMatchObject(change);
    expect(existsSync(made)).toBe(true);
    expect(await session.rewindFiles(uuid)).toMatchObject(change);
    expect(existsSync(made)).toBe(false);
    expect(await session.rewindFiles('nosuch')).toMatchObject({ canRewind: false, filesChanged: [] });
    await session.close();
  });

  test('the host’s functions are tools with checked input', inProcess, async () => {
    const { sdk, server, options } = await setUpSdk();
    const calls: unknown[] = [];
    const adds = sdk.tool({
      name: 'add',
      description: 'Adds two numbers.',
      input: z.object({ a: z.number(), b: z.number().default(10) }),
      allow: true,
      run: ({ a, b }) => {
        calls.push([a, b]);
        return `The sum is ${a + b}.`;
      },
    });
    const fails = sdk.tool({
      name: 'fail',
      description: 'Fails.',
      input: { type: 'object', properties: { why: { type: 'string' } }, required: ['why'] },
      allow: true,
      run: async ({ why }) => {
        throw new Error(`It failed: ${String(why)}`);
      },
    });
    server.script(
      add,
      { calls: [{ name: 'mcp__sdk__add', input: { a: 1 } }] },
      { calls: [{ name: 'mcp__sdk__add', input: { a: 'one' } }] },
      { calls: [{ name: 'mcp__sdk__fail', input: { why: ['so'] } }] },
      { calls: [{ name: 'mcp__sdk__fail', input: { why: 'so' } }] },
      { text: 'Done.' },
    );
    const result = await resultOf(
      sdk.query({ prompt: 'add', options: { ...options, runIn, tools: [adds, fails] } }),
    );
    expect(result).toMatchObject({ result: 'Done.', permission_denials: [] });
    expect(calls).toEqual([
      [2, 3],
      [1, 10],
    ]);
    const told = server.requests().map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
    expect(told.slice(1)).toEqual([
      expect.stringContaining('The sum is 5.'),
      expect.stringContaining('The sum is 11.'),
      expect.stringContaining('does not fit the schema: a: '),
      expect.stringContaining('/why must be string'),
      expect.stringContaining('It failed: so'),
    ]);
  });

  test('a host’s tool needs approval unless it declares otherwise', { tags: 'long' }, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script(add, { text: 'No.' });
    const tools = [
      sdk.tool({ name: 'add', description: 'Adds.', input: { type: 'object' }, run: () => 'never' }),
    ];
    const result = await resultOf(sdk.query({ prompt: 'add', options: { ...options, runIn, tools } }));
    expect(result).toMatchObject({ permission_denials: [{ tool_name: 'mcp__sdk__add' }] });
  });

  test('hooks are functions, and a session runs several prompts, forks and resumes', long, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script({ text: 'One.' }, touch, { text: 'Two.' }, { text: 'Three.' });
    const session = sdk.createSession({
      ...options,
      runIn,
      hooks: {
        PreToolUse: [
          {
            matcher: 'Bash',
            hooks: [
              ({ tool_name }) => ({
                hookSpecificOutput: {
                  hookEventName: 'PreToolUse',
                  permissionDecision: 'deny',
                  permissionDecisionReason: `${tool_name} is closed.`,
                },
              }),
            ],
          },
        ],
      },
    });
    const events = collect(session.events);
    expect(await session.send('first')).toMatchObject({ result: 'One.' });
    expect(await session.send({ content: 'second' })).toMatchObject({ result: 'Two.' });
    const { sessionId = '' } = session;
    await session.close();
    expect((await events).filter(({ type }) => type === 'result')).toHaveLength(2);
    expect(JSON.stringify(server.requests()[2]?.messages)).toContain('Bash is closed.');

    const fork = sdk.createSession({ ...options, runIn, resume: sessionId, fork: true });
    expect(await fork.send('third')).toMatchObject({ result: 'Three.' });
    expect(fork.sessionId).not.toBe(sessionId);
    expect(JSON.stringify(server.requests()[3]?.messages)).toContain('second');
    await fork.close();
  });

  test('a result matches a schema, for prompts that arrive one by one', inProcess, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script(
      { calls: [{ name: 'StructuredOutput', input: { n: 1 } }] },
      { calls: [{ name: 'StructuredOutput', input: { n: 2 } }] },
    );
    async function* prompts() {
      yield 'first';
      yield { content: 'second' };
    }
    const schema = z.object({ n: z.number() });
    const events = await collect(
      sdk.query({ prompt: prompts(), options: { ...options, runIn, jsonSchema: schema } }),
    );
    const answers = events.flatMap((event) =>
      event.type === 'result' && !event.is_error ? [event.structured_output] : [],
    );
    expect(answers).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test('an abort ends the loop with its reason, and the session can be resumed', long, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script({ text: 'One.' }, { text: 'never', latency: 3_600_000 });
    const first = sdk.query({ prompt: 'first', options: { ...options, runIn } });
    await collect(first);
    const stop = new AbortController();
    const resume = first.sessionId ?? '';
    const second = sdk.query({
      prompt: 'second',
      options: { ...options, runIn, resume, signal: stop.signal },
    });
    const reading = collect(second);
    await server.waitForRequests(2);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await second.close();
    server.script({ text: 'Three.' });
    const third = await resultOf(sdk.query({ prompt: 'third', options: { ...options, runIn, resume } }));
    expect(third).toMatchObject({ result: 'Three.' });
  });

  test('an interrupt ends the turn, not the session; model and mode can be changed', {
    tags: 'long',
  }, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script({ text: 'never', latency: 3_600_000 }, { text: 'Two.' });
    const session = sdk.createSession({ ...options, runIn });
    const first = session.send('first');
    await server.waitForRequests(1);
    await session.interrupt();
    expect(await first).toMatchObject({ subtype: 'error_during_execution', is_error: true });
    await session.setModel('other');
    await session.setPermissionMode('plan');
    await expect(session.setPermissionMode('bypassPermissions')).rejects.toMatchObject({
      name: 'ClawdCodeError',
      code: 'request',
    });
    const modes: SessionEvent[] = [];
    const reading = (async () => {
      for await (const event of session.events) if (event.type === 'system') modes.push(event);
    })();
    expect(await session.send('second')).toMatchObject({ result: 'Two.' });
    expect(server.requests()[1]?.model).toBe('other');
    await session.close();
    await reading;
    expect(modes[0]).toMatchObject({ subtype: 'init', permissionMode: 'plan' });
  });

  test('a session that cannot start rejects every waiting call with the reason', inProcess, async () => {
    const { sdk, options } = await setUpSdk();
    const session = sdk.createSession({ ...options, runIn, resume: 'ffffffff' });
    const events = collect(session.events);
    const sent = session.send('hello');
    const problem = { name: 'ClawdCodeError', code: 'ended', exitCode: 42 };
    await expect(events).rejects.toMatchObject(problem);
    await expect(sent).rejects.toMatchObject(problem);
    await expect(session.send('again')).rejects.toThrow('ffffffff');
    await session.close();
  });

  test('settings of a folder that the user has not trusted do not apply', long, async () => {
    const { sdk, server, options, work } = await setUpSdk();
    await work.write(
      '.clawdcode.json',
      '{"permissions":{"allow":["Bash(touch made)"],"defaultMode":"acceptEdits"}}',
    );
    server.script(touch, { text: 'No.' });
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    const events = await collect(sdk.query({ prompt: 'go', options: { ...options, runIn, onWarning } }));
    expect(events[0]).toMatchObject({ subtype: 'init', permissionMode: 'default' });
    expect(events.at(-1)).toMatchObject({ permission_denials: [{ tool_name: 'Bash' }] });
    expect(warnings.join('')).toContain('this folder is not trusted');
  });

  test('leaving the loop ends the session', inProcess, async () => {
    const { sdk, server, options } = await setUpSdk();
    server.script({ text: 'never', latency: 3_600_000 });
    const asked = sdk.query({ prompt: 'go', options: { ...options, runIn } });
    for await (const event of asked) if (event.type === 'system') break;
    expect(await collect(asked)).toEqual([]);
  });
});
