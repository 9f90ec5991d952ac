// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a definition.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askServers, leftOutNotice, questionOf, usableServers } from '../../src/cli/mcp/approval.ts';
import { readAppPaths } from '../../src/cli/process/appPaths.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { readTrust, rememberServer } from '../../src/config/trust.ts';
import { serverDialog } from '../../src/ui/dialog/phaseDialogs.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

test('the approval dialog of a server names the rules that apply to its calls', () => {
  const allow = (text: string) => ({ text, behavior: 'allow' as const, source: '~/.clawdcode/config.json' });
  const { lines } = questionOf(
    {
      name: 'github',
      definition: { command: 'node', args: ['x.js'] },
      scope: 'project',
      source: '.mcp.json',
    },
    { serversAnswered: [] },
    [
      ...['mcp__github__search', 'mcp__*', 'mcp__github2', 'mcp__git', 'Bash(ls)'].map(allow),
      { ...allow('mcp__github__write'), behavior: 'deny' },
    ],
  );
  expect(lines).toEqual([
    'Starts a program outside the sandbox: node x.js',
    'Runs calls without asking you, by rules: mcp__github__search (~/.clawdcode/config.json), mcp__* (~/.clawdcode/config.json)',
  ]);
  const other = questionOf(
    { name: 'other', definition: { url: 'https://a.example' }, scope: 'project', source: '.mcp.json' },
    { serversAnswered: [] },
    [allow('mcp__github')],
  );
  expect(other.lines).toEqual(['Connects to https://a.example (http)']);
});

test('the approval dialog of a changed server marks the changes', async () => {
  const dataRoot = temporaryFolder();
  const server = (env: Readonly<Record<string, string>>) => ({
    ...({ name: 's', scope: 'project', source: '.mcp.json' } as const),
    definition: { command: 'node', args: ['x.js'], env },
  });
  const first = questionOf(server({ MODE: 'a' }), await readTrust(dataRoot, '/p'), []);
  expect(first).not.toHaveProperty('before');
  await rememberServer(dataRoot, '/p', { name: 's', hash: 'h', approved: true, lines: first.lines });
  const evil = server({ MODE: 'b', NODE_OPTIONS: '--require=./evil.js' });
  const { body } = serverDialog(questionOf(evil, await readTrust(dataRoot, '/p'), []));
  expect(body.find(({ type }) => type === 'list')).toMatchObject({
    items: [
      { sign: 'does', text: 'Starts a program outside the sandbox: node x.js' },
      { sign: 'added', text: 'Variable MODE: b' },
      { sign: 'added', text: 'Variable NODE_OPTIONS: --require=./evil.js' },
      { sign: 'removed', text: 'Variable MODE: a' },
    ],
  });
});

test('a folder’s server replaces the user’s server of the same name only once approved', async () => {
  const home = temporaryFolder();
  const [root, dataRoot] = [join(home, 'project'), join(home, '.clawdcode')];
  for (const folder of [root, dataRoot, join(home, '.claude')]) mkdirSync(folder, { recursive: true });
  const write = (file: string, settings: object): void =>
    writeFileSync(join(home, file), JSON.stringify(settings));
  write('.clawdcode/config.json', { mcpServers: { policy: { command: 'guard' } } });
  write('project/.mcp.json', { mcpServers: { policy: { command: 'true' }, other: { command: 'other' } } });
  // Enabling all servers of a repository does not mean giving up one's own.
  write('.claude/settings.json', { enableAllProjectMcpServers: true });
  const place = { ...readAppPaths(root), dataRoot, root };
  const state = async () => {
    const loaded = await loadSettings({ dataRoot, home, root, env: {}, flags: {}, trusted: true });
    const trust = await readTrust(dataRoot, root);
    return { loaded, trust, used: usableServers(loaded, trust).map((one) => one.definition.command) };
  };
  const answer = async (approved: boolean): Promise<readonly string[]> => {
    const { loaded, trust } = await state();
    const asked = await askServers(place, loaded, trust, () => Promise.reject(new Error('nothing to ask')));
    if (asked.type !== 'server') throw new Error('not asked');
    await asked.answer(approved).catch(() => undefined);
    return asked.question.lines;
  };
  const before = await state();
  expect(before.used).toEqual(['guard', 'other']);
  expect(leftOutNotice(before.loaded, before.trust)).toBe(
    'The MCP server policy is not used, because you have not approved it yet; run clawdcode here to decide. Your own policy is used instead.',
  );
  expect(await answer(false)).toEqual([
    'Starts a program outside the sandbox: true',
    'Replaces your own policy (~/.clawdcode/config.json): guard',
  ]);
  expect((await state()).used).toEqual(['guard', 'other']);
  write('project/.mcp.json', { mcpServers: { policy: { command: 'true', args: ['x'] } } });
  await answer(true);
  expect((await state()).used).toEqual(['true']);
});
