/** `clawdcode mcp …` in the installed program: what it writes, and what it prints. */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stdio } from '../mcp/support/testServer.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';

const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

const places = ({ work }: TestProgram) => ({
  user: join(work.data, 'config.json'),
  project: join(work.repository, '.mcp.json'),
  local: join(work.repository, '.clawdcode.local.json'),
});

test('a server is added to each scope in the format that other agents read, and removed again', async () => {
  const setup = await setUpProgram();
  const { user, project, local } = places(setup);
  await mkdir(setup.work.data, { recursive: true });
  await writeFile(user, '{\n  // mine\n  "theme": "ansi"\n}\n');
  const add = ['mcp', 'add', '-s', 'user', '-e', 'A=1=2', '-e', 'B=x', 'one', '--', 'prog', '-y', '--flag'];
  expect(await setup.print(add)).toMatchObject({
    code: 0,
    stdout: `Added one (stdio: prog -y --flag) to ${user}.\n`,
  });
  expect(await readFile(user, 'utf8')).toContain('// mine');
  expect(await readFile(user, 'utf8')).toContain('"command": "prog"');
  const web = [
    'mcp',
    'add',
    '--scope',
    'project',
    '--transport',
    'sse',
    '-H',
    'X-Key: a:b',
    'two',
    'https://x.example/sse',
  ];
  await setup.print(web);
  expect(await json(project)).toEqual({
    mcpServers: { two: { type: 'sse', url: 'https://x.example/sse', headers: { 'X-Key': 'a:b' } } },
  });
  await setup.print(['mcp', 'add-json', 'three', '{"command":"x","args":["y"]}']);
  expect(await json(local)).toEqual({ mcpServers: { three: { command: 'x', args: ['y'] } } });

  expect((await setup.print(['mcp', 'remove', 'two'])).stdout).toBe(`Removed two from ${project}.\n`);
  expect(await json(project)).toEqual({ mcpServers: {} });
  expect(await setup.print(['mcp', 'remove', 'two'])).toMatchObject({ code: 42 });
});

test.each([
  ['local', '.clawdcode.local.json'],
  ['project', '.mcp.json'],
])('a %s server is neither written nor removed through a link', async (scope, name) => {
  const setup = await setUpProgram();
  const { user } = places(setup);
  const before = '{ "mcpServers": { "mine": { "command": "prog" } } }\n';
  await mkdir(setup.work.data, { recursive: true });
  await writeFile(user, before);
  await symlink(user, join(setup.work.repository, name));
  for (const argv of [
    ['mcp', 'add', '-s', scope, 'x', '--', './evil.sh'],
    ['mcp', 'add-json', '-s', scope, 'x', '{"command":"./evil.sh"}'],
    ['mcp', 'remove', '-s', scope, 'mine'],
  ]) {
    const { code, stderr } = await setup.print(argv);
    expect([code, stderr]).toEqual([1, expect.stringContaining('is a link')]);
  }
  expect(await readFile(user, 'utf8')).toBe(before);
});

test.each<[string[], string]>([
  [['mcp', 'add', 'a b', 'x'], 'is not a valid name'],
  [['mcp', 'add-json', 'a', '{"args":[]}'], 'it needs a "command", or a "url"'],
  [['mcp', 'add-json', 'a', 'nonsense'], 'This is not a server definition'],
  [['mcp', 'add', '-e', 'novalue', 'a', 'x'], 'Write KEY=value'],
  [['mcp', 'get', 'nothing'], 'is not defined'],
])('%j is rejected', { tags: 'long' }, async (argv, message) => {
  const setup = await setUpProgram();
  const ran = await setup.print(argv);
  expect(ran.code).toBe(42);
  expect(ran.stderr).toContain(message);
});

test('a name is defined only once per scope, and if it is in two scopes, one must be named', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await setup.print(['mcp', 'add', 'a', 'x']);
  expect((await setup.print(['mcp', 'add', 'a', 'y'])).stderr).toContain('already defined');
  await setup.print(['mcp', 'add', '-s', 'user', 'a', 'y']);
  expect((await setup.print(['mcp', 'remove', 'a'])).stderr).toContain('-s local or -s user');
  expect((await setup.print(['mcp', 'remove', '-s', 'local', 'a'])).code).toBe(0);
});

test('list and get connect only to approved servers, and start nothing of a repository', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { user, project } = places(setup);
  await mkdir(setup.work.data, { recursive: true });
  const mine = { ...stdio(), env: { SECRET: 'sk-1' } };
  await writeFile(user, JSON.stringify({ mcpServers: { mine, gone: { command: '/nonexistent' } } }));
  const mark = join(setup.work.home, 'started');
  await writeFile(project, JSON.stringify({ mcpServers: { theirs: { command: 'touch', args: [mark] } } }));
  const { stdout } = await setup.print(['mcp', 'list']);
  expect(stdout).toContain('(~/.clawdcode/config.json)  connected, 11 tools');
  expect(stdout).toMatch(/gone .* failed: "\/nonexistent" cannot be started/);
  expect(stdout).toContain('theirs  not used: this folder is not trusted');
  const shown = (await setup.print(['mcp', 'get', 'mine'])).stdout;
  expect(shown).toContain('Variables   SECRET');
  expect(shown).toContain('mcp__mine__echo');
  expect(shown).not.toContain('sk-1');
  await expect(readFile(mark)).rejects.toThrow('ENOENT');
});

test('a server added here needs no other approval once the folder is trusted', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { command = '', args = [] } = stdio();
  await setup.print(['mcp', 'add', 'own', '--', command, ...args]);
  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('/mcp');
  await terminal.waitForPrinted(/own {2}connected, 11 tools/);
});
