/** Files mentioned in a prompt, with a real agent and the real Read tool. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mentionsIn, spellings } from '../../src/agent/attachments/attachFiles.ts';
import type { Skill } from '../../src/protocol/extensions/skills.ts';
import type { Access, PermissionDecision } from '../../src/protocol/permissions.ts';
import { editTool } from '../../src/tools/edit.ts';
import { readTool } from '../../src/tools/read.ts';
import { skillTool } from '../../src/tools/skill.ts';
import { anyText } from '../anyText.ts';
import { calls, says } from './scriptedModel.ts';
import { type Given, startAgent } from './testAgent.ts';

describe('mentions', () => {
  test.each<[string, readonly object[]]>([
    ['look at @src/a.ts', [{ path: 'src/a.ts' }]],
    [
      '@src/a.ts#L10 and @b.ts#L10-20',
      [
        { path: 'src/a.ts', lines: { first: 10, last: 10 } },
        { path: 'b.ts', lines: { first: 10, last: 20 } },
      ],
    ],
    ['@b.ts#L10-L20', [{ path: 'b.ts', lines: { first: 10, last: 20 } }]],
    [
      '@"my file.md" and @"my file.md"#L3',
      [{ path: 'my file.md' }, { path: 'my file.md', lines: { first: 3, last: 3 } }],
    ],
    ['@"my file.md#L3"', [{ path: 'my file.md', lines: { first: 3, last: 3 } }]],
    ['me@example.org, user+tag@b.c', []],
    ['a lone @ and @. and @/', []],
    ['(@src/)', [{ path: 'src/)' }]],
    ['看@src/a.ts', [{ path: 'src/a.ts' }]],
    ['@a.ts#L0 @a.ts#L5-2', [{ path: 'a.ts#L0' }, { path: 'a.ts#L5-2' }]],
    ['@a @a', [{ path: 'a' }]],
  ])('in %j are %j', (text, expected) => {
    expect(mentionsIn(text)).toEqual(expected);
  });

  test('may end a sentence', () => {
    const [one] = mentionsIn('Is it (@src/a.ts#L3)?');
    expect(one && spellings(one)).toEqual([
      { path: 'src/a.ts#L3)?' },
      { path: 'src/a.ts', lines: { first: 3, last: 3 } },
    ]);
  });

  test('are found in arbitrary text', { tags: 'long' }, () => {
    fc.assert(fc.property(anyText(), (text) => mentionsIn(`@${text}`).length >= 0));
  });
});

const readAll = async (): Promise<PermissionDecision> => ({ behavior: 'allow', reason: '' });

async function project(given: Given = {}) {
  const set = await startAgent({
    attaches: { home: '/home/nobody' },
    tools: [readTool('/home/nobody'), editTool('/home/nobody')],
    decide: readAll,
    ...given,
  });
  await mkdir(join(set.root, 'src/deep'), { recursive: true });
  await writeFile(join(set.root, 'src/a.ts'), 'one\ntwo\nthree\n');
  await writeFile(join(set.root, 'src/my file.md'), 'words\n');
  const attached = () =>
    set.context.entries().flatMap((entry) => (entry.subtype === 'attachment' ? [entry] : []));
  return { ...set, attached };
}

const texts = (messages: readonly { role: string; content: unknown }[]): unknown[] =>
  messages.filter(({ role }) => role === 'user').map(({ content }) => content);

test('a mentioned file is attached as Read shows it, and Edit accepts it as read', async () => {
  const edit = { file_path: 'src/a.ts', old_string: 'two', new_string: 'TWO' };
  const { ask, model, attached, root, context } = await project({
    answers: [calls(['e', 'Edit', edit]), says('Done.')],
  });
  await ask('Change @src/a.ts please');
  expect(texts(model.requests[0]?.messages ?? [])).toEqual([
    'Change @src/a.ts please',
    '<system-note>\nThe content of @src/a.ts, as Read shows it:\n     1\tone\n     2\ttwo\n     3\tthree\n</system-note>',
  ]);
  expect(attached()[0]?.data).toMatchObject({
    path: join(root, 'src/a.ts'),
    title: 'src/a.ts',
    outcome: 'read',
    summary: '3 lines',
  });
  const result = context.entries().find(({ type }) => type === 'tool_result')?.toolResult;
  expect(result).toMatchObject({ name: 'Edit', status: 'ok' });
});

test('line ranges, quoted names and folders can be mentioned', async () => {
  const { ask, attached } = await project({ answers: [says('Yes.')] });
  await ask('See @src/a.ts#L2-3, @"src/my file.md" and @src/.');
  expect(attached().map(({ message: { content }, data }) => [data?.title, data?.summary, content])).toEqual([
    [
      'src/a.ts:2-3',
      '2 lines',
      'The content of @src/a.ts:2-3, as Read shows it:\n     2\ttwo\n     3\tthree',
    ],
    ['src/my file.md', '1 line', 'The content of @src/my file.md, as Read shows it:\n     1\twords'],
    ['src/', '3 names', 'The names in @src/:\ndeep/\na.ts\nmy file.md'],
  ]);
});

test('a mention of something that is not a file stays plain text', async () => {
  const { ask, attached } = await project({ answers: [says('Yes.')] });
  await ask('@Component me@src/a.ts @types/node @src/nothing.ts @server:uri @src/a.ts#L99999999999999999999');
  expect(attached().filter(({ data }) => data?.outcome === 'read')).toEqual([]);
});

test('a file that the model already has is attached again only if it changed', async () => {
  const { ask, attached, root } = await project({ answers: [says('1'), says('2'), says('3')] });
  await ask('@src/a.ts');
  await ask('@src/a.ts again');
  await writeFile(join(root, 'src/a.ts'), 'changed\n');
  await ask('@src/a.ts once more');
  expect(attached().map(({ data }) => data?.outcome)).toEqual(['read', 'unchanged', 'read']);
});

const outside = (isSecret: boolean): PermissionDecision => ({
  behavior: 'ask',
  reason: 'It is not allowed.',
  causes: [{ type: 'limit', reason: 'x', ...(isSecret && { isSecret: true }) }],
});
const ruled: PermissionDecision = { ...outside(false), rule: { text: 'Read(x)', source: 's' } };

test.each<[string, PermissionDecision, boolean, string]>([
  ['a deny rule', { behavior: 'deny', reason: 'Rule Read(src/**) (config.json).' }, true, 'refused'],
  ['a file that may contain secrets', outside(true), true, 'refused'],
  ['an ask rule', ruled, true, 'refused'],
  ['a file outside the project, mentioned by the user', outside(false), true, 'read'],
  ['a file outside the project, without a user', outside(false), false, 'refused'],
])(
  'permissions decide whether a mentioned file is attached: %s',
  async (_what, decision, interactive, outcome) => {
    const modes: string[] = [];
    const { ask, attached, model } = await project({
      interactive,
      mode: 'bypassPermissions',
      decide: async (_tool: string, _access: Access, mode) => {
        modes.push(mode);
        return decision;
      },
      answers: [says('Yes.')],
    });
    await ask('@src/a.ts');
    expect(modes).toEqual(['default']);
    expect(attached()[0]?.data?.outcome).toBe(outcome);
    const [, note] = texts(model.requests[0]?.messages ?? []);
    expect(String(note).includes('one')).toBe(outcome === 'read');
  },
);

test('mentions in pasted or piped text are ignored', async () => {
  const { run, attached } = await project({ answers: [says('1'), says('2')] });
  await run({ type: 'prompt', text: 'Why?\n@src/a.ts', display: 'Why? [Pasted text]' });
  await run({ type: 'prompt', text: '@src/a.ts\n\nWhy?', typed: 'Why?' });
  expect(attached()).toEqual([]);
});

test("the total size of a prompt's attachments is limited", async () => {
  const { ask, attached, root } = await project({ windowTokens: 8000, answers: [says('Yes.')] });
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
  for (const name of ['b', 'c']) await writeFile(join(root, `${name}.txt`), lines);
  await ask(`@b.txt @c.txt`);
  const sizes = attached().map(({ message }) => String(message.content).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(8000 * 0.25 * 3 + 500);
  expect(attached()[0]?.data?.summary).toMatch(/^first \d+ lines$/);
  expect(attached()[1]?.data?.outcome).toBe('refused');
});

test('at most twenty files are attached', async () => {
  const { ask, attached, root } = await project({ answers: [says('Yes.')] });
  const names = Array.from({ length: 30 }, (_, index) => `f${index}.txt`);
  for (const name of names) await writeFile(join(root, name), name);
  await ask(names.map((name) => `@${name}`).join(' '));
  expect(attached().filter(({ data }) => data?.outcome === 'read').length).toBe(20);
  expect(attached().length).toBe(21);
});

test.each([
  ['project', 'refused'],
  ['user', 'read'],
] as const)('a file outside the project that a %s skill mentions is %s', async (scope, outcome) => {
  const { run, attached, folder } = await project({
    decide: async () => outside(false),
    answers: [says('Yes.')],
  });
  const secret = join(folder, 'elsewhere.txt');
  await writeFile(secret, 'else\n');
  const skill: Skill = {
    name: 'x',
    kind: 'command',
    description: '',
    file: '/x.md',
    scope,
    modelCanUse: true,
    userCanUse: true,
    allowedTools: [],
    ignored: [],
  };
  await run({ type: 'use_skill', display: '/x', skill, parts: [{ type: 'text', text: `See @${secret}` }] });
  expect(attached().map(({ data }) => data?.outcome)).toEqual([outcome]);
});

test('a resumed session sends the same attachments', async () => {
  const first = await project({ answers: [says('1')] });
  await first.ask('@src/a.ts');
  const before = first.context.getMessages();
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const again = await startAgent({
    resume: { folder: first.folder, sessionId },
    tools: [readTool('/home/nobody')],
    answers: [],
  });
  expect(again.context.getMessages().slice(0, before.length)).toEqual(before);
  expect(again.context.fileReads(join(first.root, 'src/a.ts'))).toMatch(/^[0-9a-f]{64}$/);
});

test('a skill that the model loads attaches only files in the project', async () => {
  const skill: Skill = {
    name: 'look',
    kind: 'skill',
    description: 'Looks.',
    file: '/skills/look/SKILL.md',
    scope: 'user',
    modelCanUse: true,
    userCanUse: true,
    allowedTools: [],
    ignored: [],
  };
  const text = 'Look at @src/a.ts and @/etc/hostname.';
  const loads = skillTool({
    skills: [skill],
    prepare: async () => ({
      skill,
      parts: [
        { type: 'text', text },
        { type: 'command', command: 'echo @src/x' },
      ],
    }),
    onUse: () => undefined,
  });
  const { ask, attached } = await project({
    tools: [readTool('/home/nobody'), loads],
    decide: readAll,
    answers: [calls(['s', 'Skill', { skill: 'look' }]), says('Done.')],
  });
  await ask('Look');
  expect(attached().map(({ data }) => [data?.title, data?.outcome])).toEqual([
    ['src/a.ts', 'read'],
    ['/etc/hostname', 'refused'],
  ]);
});
