import { expect, test } from 'vitest';
import { questionOf } from '../../src/cli/mcp/approval.ts';
import { readTrust, rememberServer } from '../../src/config/trust.ts';
import { serverDialog } from '../../src/ui/dialog/phaseDialogs.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

test('the question about a server names the rules that its calls would fall under', () => {
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

test('the question about a changed server marks what has changed', async () => {
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
