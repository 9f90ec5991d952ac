import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findAgents, mergeAgents, parseAgents } from '../../src/extensions/findAgents.ts';

let base: string;
let places: { home: string; dataRoot: string; root: string; isSensitive: (path: string) => boolean };

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-agents-')));
  places = {
    home: join(base, 'home'),
    dataRoot: join(base, 'home', '.clawdcode'),
    root: join(base, 'project'),
    isSensitive: (path) => path.endsWith('.env'),
  };
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

const file = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: does ${name}\n${more}---\nDo ${name} well.\n`;

test('the fields of a definition, and those without effect', async () => {
  await put(
    'home/.claude/agents/review.md',
    file(
      'reviewer',
      'tools: Read, Grep\ndisallowedTools: [Bash]\nmodel: sonnet\npermissionMode: plan\nmaxTurns: 7\ncolor: red\n',
    ),
  );
  const { agents, problems } = await findAgents('user-foreign', places);
  expect(problems).toEqual([]);
  expect(agents).toMatchObject([
    {
      name: 'reviewer',
      description: 'does reviewer',
      prompt: 'Do reviewer well.',
      scope: 'user',
      tools: ['Read', 'Grep'],
      disallowedTools: ['Bash'],
      permissionMode: 'plan',
      maxTurns: 7,
      ignored: ['color', 'model'],
    },
  ]);
  expect(agents[0]).not.toHaveProperty('model');
});

test.each([
  ['worktree', 'worktree', []],
  ['remote', undefined, ['isolation']],
])('isolation: %s', async (written, isolation, ignored) => {
  await put('home/.claude/agents/apart.md', file('apart', `isolation: ${written}\n`));
  const [apart] = (await findAgents('user-foreign', places)).agents;
  expect({ isolation: apart?.isolation, ignored: apart?.ignored }).toEqual({ isolation, ignored });
});

test.each([
  ['high', 'high', []],
  ['great', undefined, ['effort']],
])('effort: %s', async (written, effort, ignored) => {
  await put('home/.claude/agents/apart.md', file('apart', `effort: ${written}\n`));
  const [apart] = (await findAgents('user-foreign', places)).agents;
  expect({ effort: apart?.effort, ignored: apart?.ignored }).toEqual({ effort, ignored });
});

test.each([
  ['true', true, []],
  ['false', undefined, []],
  ['often', undefined, ['background']],
])('background: %s', async (written, isBackground, ignored) => {
  await put('home/.claude/agents/apart.md', file('apart', `background: ${written}\n`));
  const [apart] = (await findAgents('user-foreign', places)).agents;
  expect({ isBackground: apart?.isBackground, ignored: apart?.ignored }).toEqual({ isBackground, ignored });
});

test.each([
  ['a name with a slash', file('a/b'), /cannot be used/],
  ['no description', '---\nname: quiet\n---\nDo it.', /no description/],
  ['no instructions', '---\nname: empty\ndescription: d\n---\n', /no instructions/],
  ['endless instructions', file('long') + 'x'.repeat(60_000), /longer than/],
  ['an endless file', 'x'.repeat(300_000), /200 kB/],
])('%s affects only its own file', async (_, text, problem) => {
  await put('project/.claude/agents/bad.md', text);
  await put('project/.claude/agents/good.md', file('good'));
  const { agents, problems } = await findAgents('project-foreign', places);
  expect(agents.map(({ name }) => name)).toEqual(['good']);
  expect(problems).toMatchObject([{ message: expect.stringMatching(problem) }]);
});

test('a link out of the repository, or to a secret, is not followed', async () => {
  await put('elsewhere.md', file('elsewhere'));
  await put('project/.env', file('secret'));
  await mkdir(join(base, 'project/.claude/agents'), { recursive: true });
  await symlink(join(base, 'elsewhere.md'), join(base, 'project/.claude/agents/out.md'));
  await symlink(join(base, 'project/.env'), join(base, 'project/.claude/agents/env.md'));
  const { agents, problems } = await findAgents('project-foreign', places);
  expect([agents, problems.length]).toEqual([[], 2]);
});

test('uses a hundred of a thousand files, and a request names no more', async () => {
  await Promise.all(
    Array.from({ length: 150 }, (_, index) => put(`project/.claude/agents/n${index}.md`, file(`n${index}`))),
  );
  const list = await findAgents('project-foreign', places);
  expect(list.agents).toHaveLength(100);
  expect(
    mergeAgents(list, { agents: list.agents.map((one) => ({ ...one, name: `x${one.name}` })), problems: [] })
      .agents,
  ).toHaveLength(100);
});

test('hidden characters in a definition reach neither the model nor the screen', () => {
  const fields = { description: 'x\u202Ey\u0007', prompt: 'go\u200Bod\u0000' };
  const made = parseAgents(JSON.stringify({ a: fields }));
  expect(made).toMatchObject({ agents: [{ description: 'xy', prompt: 'good' }] });
});

test.each([
  ['{', /not JSON/],
  ['[]', /not an object/],
  ['{"a": 1}', /a: it is not an object/],
  ['{"a": {"prompt": "p"}}', /a: It has no description/],
])('--agents %s is rejected with a reason', (json, reason) => {
  expect(parseAgents(json)).toEqual({ error: expect.stringMatching(reason) });
});
