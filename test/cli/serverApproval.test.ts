import { expect, test } from 'vitest';
import { questionOf } from '../../src/cli/mcp/approval.ts';

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
