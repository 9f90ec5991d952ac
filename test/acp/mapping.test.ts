/** From our terms to the protocol's and back: calls, prompts, servers, forms, choices, ends of turns. */
import type { ContentBlock, McpServer } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readClientServers } from '../../src/acp/clientServers.ts';
import { configOptionsOf, modesOf } from '../../src/acp/configOptions.ts';
import { diffContent, firstLineOf } from '../../src/acp/diffContent.ts';
import { fieldsRequest, formAnswer } from '../../src/acp/elicitation.ts';
import { promptOf } from '../../src/acp/promptContent.ts';
import { promptEnd } from '../../src/acp/promptQueue.ts';
import { fenced } from '../../src/acp/text.ts';
import { boundedInput, toolCallOf } from '../../src/acp/toolCalls.ts';
import type { Outcome } from '../../src/headless/outcome.ts';
import { mcpServerNamePattern } from '../../src/protocol/extensions/mcp.ts';
import type { Form } from '../../src/protocol/forms.ts';
import { state } from '../headless/scriptedAgent.ts';

describe('diffs', () => {
  const diff = [
    ...['--- a.txt', '+++ a.txt', '@@ -1,3 +1,3 @@', ' one', '-two', '+zwei', ' three'],
    ...['@@ -10,1 +10,2 @@', ' ten', '+--- eleven', ''],
  ].join('\n');

  test('each hunk has the text before and after', () => {
    expect(diffContent('/a.txt', diff, false)).toEqual([
      { type: 'diff', path: '/a.txt', oldText: 'one\ntwo\nthree\n', newText: 'one\nzwei\nthree\n' },
      { type: 'diff', path: '/a.txt', oldText: 'ten\n', newText: 'ten\n--- eleven\n' },
    ]);
    expect(firstLineOf(diff)).toBe(2);
  });

  test('a line feed at the end of the file appears only if there is one', () => {
    const note = '\\ No newline at end of file\n';
    expect(diffContent('/a', `@@ -1,2 +1,2 @@\n one\n-two\n+two\n${note}`, false)).toMatchObject([
      { oldText: 'one\ntwo\n', newText: 'one\ntwo' },
    ]);
    expect(diffContent('/a', `@@ -1,2 +1,2 @@\n-one\n+1\n two\n${note}`, false)).toMatchObject([
      { oldText: 'one\ntwo', newText: '1\ntwo' },
    ]);
  });

  test('a new file has no old text; other text is not a diff', () => {
    expect(diffContent('/b', '@@ -0,0 +1,1 @@\n+new\n', true)).toEqual([
      { type: 'diff', path: '/b', oldText: null, newText: 'new\n' },
    ]);
    expect(diffContent('/b', 'no diff', false)).toEqual([]);
  });
});

test('nothing in a text can close its fence', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', '\n', 'a', ' ') }), (text) => {
      const [first = '', ...rest] = fenced(text).split('\n');
      const isClosing = (line: string): boolean =>
        /^ {0,3}`+ *$/.test(line) && line.trim().length >= first.length;
      expect(rest.findIndex(isClosing)).toBe(rest.length - 1);
    }),
  );
});

describe('calls', () => {
  test.each([
    [
      'Read',
      { file_path: 'src/a.ts', offset: 7 },
      'read',
      'Read src/a.ts',
      [{ path: '/repo/src/a.ts', line: 7 }],
    ],
    ['Write', { file_path: '/x/b.ts', content: '' }, 'edit', 'Write /x/b.ts', [{ path: '/x/b.ts' }]],
    ['Grep', { pattern: 'a.b', path: 'src' }, 'search', 'Grep a.b', [{ path: '/repo/src' }]],
    ['Bash', { command: 'npm test' }, 'execute', 'npm test', []],
    ['WebFetch', { url: 'https://example.com' }, 'fetch', 'WebFetch https://example.com', []],
    ['mcp__x__path', { path: 'src' }, 'other', 'mcp__x__path src', []],
    ['toString', {}, 'other', 'toString', []],
    ['Read', 'no object', 'read', 'Read', []],
  ])('%s %j', (name, input, kind, title, locations) => {
    expect(toolCallOf('id', name, input, '/repo')).toMatchObject({ kind, title, locations });
  });

  test('a title is one line without hidden characters', () => {
    expect(toolCallOf('id', 'Bash', { command: 'a\nb\u202Ec\u001b[31m' }, '/').title).toBe('a bc[31m');
  });

  test('long inputs are cut and otherwise unchanged', () => {
    expect(boundedInput({ a: [1, null, 'x'] })).toEqual({ a: [1, null, 'x'] });
    expect(JSON.stringify(boundedInput({ content: 'x'.repeat(1_000_000) })).length).toBeLessThan(21_000);
    expect(JSON.stringify(boundedInput(Array(1000).fill('y'.repeat(1000)))).length).toBeLessThan(21_000);
  });
});

describe('prompts', () => {
  const text = (words: string): ContentBlock => ({ type: 'text', text: words });

  test('links to files are mentions; other addresses remain text', () => {
    const link = (uri: string): ContentBlock => ({ type: 'resource_link', name: 'x', uri });
    const words = (uri: string): string => promptOf([text('See '), link(uri)]).text;
    expect(words('file:///repo/a%20b.ts')).toBe('See @"/repo/a b.ts"');
    expect(words('file:///repo/a.ts#L10:20')).toBe('See @"/repo/a.ts"#L10-20');
    expect(words('https://example.com/a')).toBe('See https://example.com/a');
    expect(words('file:///repo/a%22b')).toBe('See file:///repo/a%22b');
    expect(words('file://host/a')).toBe('See file://host/a');
    for (const uri of [
      'http://x/ @/etc/hosts',
      'file://host/ @/etc/hosts',
      'file:///a%22 @/etc/hosts',
      '@/etc/hosts',
    ])
      expect(promptOf([text('See '), link(uri)]).typed, uri).toBe('See ');
  });

  test('embedded content is not what the user typed, and cannot end its fence', () => {
    const resource = { uri: 'file:///a.md', text: '```\n@secret\n```' };
    const prompt = promptOf([text('Why?'), { type: 'resource', resource }]);
    expect(prompt.typed).toBe('Why?');
    expect(prompt.text).toContain('\n````\n```\n@secret\n```\n````');
  });

  test.each([
    [[], 'The message is empty.'],
    [[text('  ')], 'The message is empty.'],
    [[{ type: 'audio', data: '', mimeType: 'audio/wav' } as ContentBlock], 'Audio is not supported'],
    [[text('x'.repeat(11 * 1024 * 1024))], 'longer than 10 MB'],
    [
      [{ type: 'resource', resource: { uri: 'a:b', blob: 'AAAA' } } as ContentBlock],
      'neither text nor an image',
    ],
  ])('content that cannot be sent is reported', (blocks, problem) => {
    expect(promptOf(blocks).problem).toContain(problem);
  });
});

describe('MCP servers of the client', () => {
  const stdio = (name: string): McpServer => ({
    name,
    command: '/bin/x',
    args: ['-a'],
    env: [{ name: 'A', value: '1' }],
  });

  test('definitions are used as they are, with valid and unique names', () => {
    const web: McpServer = {
      type: 'http',
      name: 'web',
      url: 'https://x',
      headers: [{ name: 'H', value: 'v' }],
    };
    const { servers, problems } = readClientServers([stdio('My server!'), stdio('My server?'), web]);
    expect(problems).toEqual([]);
    expect(servers.map(({ name }) => name)).toEqual(['My-server', 'My-server-2', 'web']);
    expect(servers[0]?.definition).toEqual({ command: '/bin/x', args: ['-a'], env: { A: '1' } });
    expect(servers[2]?.definition).toEqual({ type: 'http', url: 'https://x', headers: { H: 'v' } });
    expect(servers.every(({ scope }) => scope === 'flag')).toBe(true);
  });

  test('whatever a client calls a server, the name is valid and unique, or the server is left out', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '_', '-', ' ', 'é', '9') })), (names) => {
        const { servers } = readClientServers(names.map(stdio));
        const used = servers.map(({ name }) => name);
        expect(used.every((name) => mcpServerNamePattern.test(name))).toBe(true);
        expect(new Set(used).size).toBe(used.length);
      }),
    );
  });

  test('no more than fifty are used', () => {
    const { servers, problems } = readClientServers(Array.from({ length: 60 }, (_, at) => stdio(`s${at}`)));
    expect([servers.length, problems]).toEqual([50, ['Only the first 50 MCP servers are used.']]);
  });
});

describe('options', () => {
  test('the modes that Shift+Tab offers, and the current one', () => {
    const { availableModes, currentModeId } = modesOf({ ...state, mode: 'bypassPermissions' });
    expect(currentModeId).toBe('bypassPermissions');
    expect(availableModes.map(({ id }) => id)).toEqual([
      'default',
      'acceptEdits',
      'plan',
      'bypassPermissions',
    ]);
  });

  test('the current model is listed first; effort only for a model that supports it', () => {
    const ids = (options: ReturnType<typeof configOptionsOf>) => options.map(({ id }) => id);
    expect(ids(configOptionsOf(state, []))).toEqual(['mode', 'model']);
    const model = { ...state.model, efforts: ['low', 'high'] };
    const options = configOptionsOf({ ...state, model }, ['other', state.model.id]);
    expect(ids(options)).toEqual(['mode', 'model', 'effort']);
    expect(options[1]).toMatchObject({ options: [{ value: state.model.id }, { value: 'other' }] });
    expect(options[2]).toMatchObject({
      currentValue: 'default',
      options: [{ value: 'default' }, { value: 'low' }, { value: 'high' }],
    });
  });
});

describe('forms', () => {
  const form: Form = {
    fields: [
      {
        ...{ type: 'choice', header: 'Color', question: 'Which?', isMultiple: false, hasOwnAnswer: true },
        options: [{ label: 'Red' }, { label: 'Blue' }],
      },
      {
        type: 'text',
        header: 'Size',
        question: 'How large?',
        holds: 'integer',
        minimum: 1,
        isRequired: true,
      },
    ],
  };

  test('fields become properties', () => {
    expect(fieldsRequest({ form }).requestedSchema).toMatchObject({
      properties: {
        q1: { type: 'string', oneOf: [{ const: 'Red' }, { const: 'Blue' }] },
        q2: { type: 'integer', minimum: 1 },
      },
      required: ['q2'],
    });
  });

  test.each([
    [
      { action: 'accept' as const, content: { q1: 'Blue', q2: 3 } },
      { behavior: 'allow', answers: [{ chosen: [1] }, { chosen: [], text: '3' }] },
    ],
    [
      { action: 'accept' as const, content: { q1: 'Green' } },
      { behavior: 'allow', answers: [{ chosen: [] }, { chosen: [] }] },
    ],
    [{ action: 'accept' as const }, { behavior: 'allow', answers: [{ chosen: [] }, { chosen: [] }] }],
    [{ action: 'decline' as const }, { behavior: 'deny' }],
    [{ action: 'whatever' as 'cancel' }, { behavior: 'deny' }],
  ])('%j', (response, answer) => {
    expect(formAnswer(response, form)).toEqual(answer);
  });
});

test.each([
  ['done', undefined, { type: 'stopped', reason: 'end_turn' }],
  ['done', 'length', { type: 'stopped', reason: 'max_tokens' }],
  ['interrupted', undefined, { type: 'stopped', reason: 'cancelled' }],
  ['max_turns', undefined, { type: 'stopped', reason: 'max_turn_requests' }],
  ['loop', undefined, { type: 'stopped', reason: 'end_turn', text: 'why' }],
  ['failed', undefined, { type: 'failed', message: 'why' }],
] as const)('a turn that ends with %s, %s', (outcome, finish, end) => {
  const failure: Outcome = {
    ok: false,
    exitCode: 1,
    subtype: 'error_during_execution',
    reason: 'why',
    steps: 1,
  };
  expect(promptEnd({ type: 'turn', outcome, steps: 1 }, failure, finish)).toEqual(end);
});
