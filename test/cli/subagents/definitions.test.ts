/** Which definitions of subagents apply: trust, precedence and names that are taken. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentGrants, usableAgents } from '../../../src/cli/subagents/definitions.ts';
import { toolsFor } from '../../../src/cli/subagents/subagentPort.ts';
import { smallTool } from '../../agent/smallTools.ts';

type DefinitionSource = Parameters<typeof usableAgents>[0];

let base: string;
let places: { home: string; dataRoot: string; root: string };

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-agents-')));
  places = {
    home: join(base, 'home'),
    dataRoot: join(base, 'home', '.clawdcode'),
    root: join(base, 'project'),
  };
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(base, path)), { recursive: true });
  await writeFile(join(base, path), text);
}

const file = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: does ${name}\n${more}---\nDo ${name} well.\n`;

const source = (more: Partial<DefinitionSource> = {}): DefinitionSource => ({
  place: places,
  trust: { isTrusted: false, granted: undefined },
  flag: undefined,
  ...more,
});

test('the repository’s definitions need trust in exactly their content', async () => {
  await put('project/.clawdcode/agents/mine.md', file('mine'));
  const names = async (given: DefinitionSource) => (await usableAgents(given)).agents.map(({ name }) => name);
  expect(await names(source())).toEqual(['explore', 'general-purpose']);
  expect((await usableAgents(source())).held).toEqual(['mine']);
  const granted = await agentGrants(places);
  expect(await names(source({ trust: { isTrusted: true, granted } }))).toContain('mine');
  expect(await names(source({ trust: { isTrusted: false, granted } }))).not.toContain('mine');
  await put('project/.clawdcode/agents/mine.md', file('mine', 'permissionMode: bypassPermissions\n'));
  expect(await names(source({ trust: { isTrusted: true, granted } }))).not.toContain('mine');
});

test('the approval dialog shows what a definition may use, and leaves out what is never used', async () => {
  await put('project/.clawdcode/agents/all.md', file('all'));
  const uses = 'tools: Read, Bash\ndisallowedTools: Grep\nmodel: evil/logger\npermissionMode: plan\n';
  await put('project/.clawdcode/agents/some.md', file('some', uses));
  await put('project/.claude/agents/none.md', file('none', 'tools: []\n'));
  // Never used: names of built-in agents, and the second of two.
  await put('project/.claude/agents/explore.md', file('Explore'));
  await put('project/.clawdcode/agents/general.md', file('general-purpose'));
  await put('project/.claude/agents/all.md', file('all', 'tools: Read\n'));
  const texts = (await agentGrants(places)).map(({ text, source: from }) =>
    `${from}: ${text}`.replace(/content [0-9a-f]{32}/, 'content HASH'),
  );
  expect(texts.toSorted()).toEqual([
    '.claude/agents/none.md: none (no tools; content HASH): does none',
    '.clawdcode/agents/all.md: all (all tools; content HASH): does all',
    '.clawdcode/agents/some.md: some (tools Read, Bash except Grep; model evil/logger; mode plan; content HASH): does some',
  ]);
  expect((await usableAgents(source())).held).toEqual(['all', 'none', 'some']);
});

test('flags precede our own folders, which precede others, and a repository cannot replace a built-in agent', async () => {
  const body = (from: string) => `---\nname: one\ndescription: from ${from}\n---\nx`;
  await put('project/.clawdcode/agents/one.md', body('project-own'));
  await put('home/.clawdcode/agents/one.md', body('user-own'));
  await put('project/.claude/agents/one.md', body('project-foreign'));
  await put('home/.claude/agents/one.md', body('user-foreign'));
  await put('project/.claude/agents/explore.md', file('Explore'));
  const trust = { isTrusted: true, granted: await agentGrants(places) };
  const first = async (flag?: string) =>
    (await usableAgents(source({ trust, flag }))).agents.find(({ name }) => name === 'one')?.description;
  expect(await first()).toBe('from project-own');
  expect(await first('{"one": {"description": "from the flag", "prompt": "p"}}')).toBe('from the flag');
  const { agents, problems } = await usableAgents(source({ trust }));
  expect(agents.find(({ name }) => name.toLowerCase() === 'explore')?.scope).toBe('builtin');
  expect(problems.map(({ message }) => message)).toEqual([
    expect.stringContaining('cannot replace'),
    ...Array.from({ length: 3 }, () => 'Another definition of one takes precedence.'),
  ]);
  await rm(join(base, 'project/.clawdcode'), { recursive: true });
  expect(await first()).toBe('from user-own');
});

test.each([
  [{}, ['Read', 'Edit', 'Bash', 'mcp__db__query', 'mcp__web__get']],
  [{ tools: ['read', 'Bash(git *)'] }, ['Read']],
  [{ tools: [] }, []],
  [{ tools: ['mcp__db'] }, ['mcp__db__query']],
  [{ tools: ['*'], disallowedTools: ['mcp__web__*', 'Bash'] }, ['Read', 'Edit', 'mcp__db__query']],
  [{ tools: ['Agent', 'ExitPlanMode', 'AskUserQuestion'] }, []],
])('the tools of %j', (definition, expected) => {
  const names = [
    'Agent',
    'Read',
    'Edit',
    'Bash',
    'ExitPlanMode',
    'AskUserQuestion',
    'mcp__db__query',
    'mcp__web__get',
  ];
  const tools = names.map((name) => smallTool(name));
  expect(toolsFor({ disallowedTools: [], ...definition }, tools).map(({ name }) => name)).toEqual(expected);
});
