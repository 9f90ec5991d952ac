import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkOptions, checkPrompt } from '../../src/sdk/checkOptions.ts';
import { launchOf } from '../../src/sdk/launch.ts';
import { startQuery } from '../../src/sdk/query.ts';
import type { Host } from '../../src/sdk/run.ts';

const add = { name: 'add', description: 'Adds.', input: { type: 'object' }, run: () => '5' };

test.each([
  [{ modle: 'x' }, 'options: there is no option "modle".'],
  ['fast', 'options: expected object, received string.'],
  [{ runIn: 'thread' }, 'options.runIn: Invalid option: expected one of "child"|"process".'],
  [{ maxTurns: 0 }, 'options.maxTurns: Too small: expected number to be >=1.'],
  [{ cwd: '/there/is/none' }, 'options.cwd: there is no such folder.'],
  [{ home: 'here' }, 'options.home: expected an absolute path.'],
  [{ baseUrl: 'example.org' }, 'options.baseUrl: expected an http or https URL.'],
  [{ canUseTool: 'allow' }, 'options.canUseTool: expected a function.'],
  [{ hooks: { PreToolUse: [{ hooks: ['x'] }] } }, 'options.hooks.PreToolUse.0.hooks.0: expected a function.'],
  [{ fork: true }, 'options.fork needs options.resume: the session to copy.'],
  [
    { sessionId: crypto.randomUUID(), resume: 'x' },
    'options.sessionId is for new sessions: leave out options.resume.',
  ],
  [{ persist: false, resume: 'x' }, 'options.persist: false is for new sessions: leave out options.resume.'],
  [
    { tools: [{ ...add, name: 'a b' }] },
    'options.tools.0.name: a name has up to 40 letters, digits, _ and -.',
  ],
  [{ tools: [add, add] }, 'options.tools: there are two tools named "add".'],
  [
    { tools: [{ ...add, input: { type: 'string' } }] },
    'options.tools: the input of "add" is not a JSON schema with "type": "object".',
  ],
  [
    { tools: [{ ...add, input: { type: 'object', required: 7 } }] },
    'options.tools: the input of "add" is not a valid JSON schema: schema is invalid: data/required must be array.',
  ],
  [{ jsonSchema: z.string() }, 'options.jsonSchema is not a schema of an object.'],
  [
    { jsonSchema: { '~standard': { version: 1, vendor: 'old', validate: () => ({ value: 1 }) } } },
    'options.jsonSchema cannot be described as a JSON schema: pass one, or use a library that can do so, such as zod from 4.2 on.',
  ],
])('a mistake in the options is one clear error: %j', (options, message) => {
  expect(() => checkOptions(options)).toThrow(
    expect.objectContaining({ name: 'ClawdCodeError', code: 'options', message }),
  );
});

test('a prompt is text or a message', () => {
  expect(checkPrompt('hello')).toEqual({ content: 'hello' });
  expect(checkPrompt({ content: [{ type: 'text', text: 'x' }] })).toMatchObject({ content: [{ text: 'x' }] });
  expect(() => checkPrompt(7)).toThrow('prompt: expected text or { content }.');
  expect(() => checkPrompt({ content: 7 })).toThrow('prompt.content: expected text, or a list');
  expect(() => checkPrompt({ text: 'x', content: '' })).toThrow('prompt: there is no option "text".');
});

test('nothing starts if the query is not valid', () => {
  const host: Host = {
    connect: () => {
      throw new Error('started');
    },
    env: {},
    version: '1.0.0',
  };
  const ask = (request: unknown) => () => startQuery(request as Parameters<typeof startQuery>[0], host);
  expect(ask(undefined)).toThrow('prompt: expected text, or an async iterable of prompts.');
  expect(ask({ prompt: ['a'] })).toThrow('prompt: expected text, or an async iterable of prompts.');
  expect(ask({ prompt: 'a', model: 'x' })).toThrow('There is no "model" in a query: put it into "options".');
  expect(ask({ prompt: 'a', options: { model: '' } })).toThrow('options.model: Too small');
});

test('options become flags that cannot be mistaken for others, except keys and definitions', () => {
  const options = checkOptions({
    model: '--yolo',
    resume: '-x',
    fork: true,
    apiKey: 'sk-secret',
    home: '/data',
    env: { GONE: undefined, NEW: '1' },
    builtinTools: [],
    allowedTools: ['Bash(npm test)'],
    tools: [{ ...add, allow: true }],
    canUseTool: () => ({ behavior: 'deny' }),
    mcpServers: { db: { command: 'db', env: { KEY: 'sk-secret' } } },
    settings: { theme: 'dark' },
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [() => ({}), () => ({})], timeoutSeconds: 5 }],
      Stop: [{ hooks: [() => ({})], onFailure: 'block' }],
    },
  });
  const { argv, env, opening, sessionId } = launchOf(options, { GONE: '1', KEPT: '1' });
  expect(argv).toEqual([
    '--input-format=stream-json',
    '--output-format=stream-json',
    '--model=--yolo',
    '--resume=-x',
    '--fork-session',
    '--tools=',
    '--allowed-tools=Bash(npm test)',
    '--allowed-tools=mcp__sdk__add',
    '--permission-prompt-tool=stdio',
  ]);
  expect(env).toEqual({ KEPT: '1', NEW: '1', CLAWDCODE_HOME: '/data', OPENAI_API_KEY: 'sk-secret' });
  expect(JSON.parse(JSON.stringify(opening))).toEqual({
    hooks: {
      PreToolUse: [{ matcher: 'Bash', timeout: 5, hookCallbackIds: ['hook_0', 'hook_1'] }],
      Stop: [{ onFailure: 'block', hookCallbackIds: ['hook_2'] }],
    },
    sdkMcpServers: ['sdk'],
    mcpServers: { db: { command: 'db', env: { KEY: 'sk-secret' } } },
    settings: { theme: 'dark' },
  });
  expect(sessionId).toBeUndefined();
});

test('a new session has its id at once, without any setup', () => {
  const { argv, opening, sessionId } = launchOf(checkOptions(undefined), {});
  expect(argv).toEqual([
    '--input-format=stream-json',
    '--output-format=stream-json',
    `--session-id=${sessionId}`,
  ]);
  expect(opening).toBeUndefined();
});
