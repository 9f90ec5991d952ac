import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../src/permissions/decide.ts';
import type { Access, PermissionDecision, PermissionMode } from '../../src/protocol/permissions.ts';
import { bash, outside, policyFor, root, rule } from './harness.ts';

const decided = async (
  tool: string,
  access: Access,
  rules: readonly string[] = [],
  mode: PermissionMode = 'dontAsk',
): Promise<PermissionDecision> => decide({ tool, access }, await policyFor(rules, mode));

const write = (path: string): Access => ({ type: 'write', paths: [join(root, path)] });
const page: Access = { type: 'web', url: 'https://example.com/', domain: 'example.com' };

describe('dontAsk', () => {
  test.each<[string, string, Access, readonly string[]]>([
    ['an edit', 'Edit', write('src/app.ts'), []],
    ['a secret', 'Read', { type: 'read', paths: [join(root, '.env')] }, []],
    ['a file outside the project', 'Read', { type: 'read', paths: [join(outside, 'secret.txt')] }, []],
    ['a command', 'Bash', { type: 'command', command: 'npm test', cwd: root }, []],
    ['a command that cannot be parsed', 'Bash', { type: 'command', command: 'x=$(', cwd: root }, []],
    ['a page', 'WebFetch', page, []],
    ['an MCP tool', 'mcp__db__query', { type: 'unknown' }, []],
    [
      'a command that an ask rule matches',
      'Bash',
      { type: 'command', command: 'git status', cwd: root },
      ['ask Bash(git *)'],
    ],
  ])('%s is denied, and the model is told what it can do', async (_what, tool, access, rules) => {
    const before = await decided(tool, access, rules, 'default');
    const { behavior, reason, suggestion } = await decided(tool, access, rules);
    expect([before.behavior, behavior, suggestion]).toEqual(['ask', 'deny', undefined]);
    expect(reason).toContain(before.reason);
    expect(reason).toContain('this session does not ask (mode dontAsk). Only reads inside the project');
  });

  test('a denial names the rule that would allow the call', async () => {
    expect((await decided('WebFetch', page)).reason).toContain('WebFetch(domain:example.com)');
  });

  test.each<[string, string, Access, readonly string[]]>([
    ['reading', 'Read', { type: 'read', paths: [join(root, 'a.txt')] }, []],
    ['a command that only reads', 'Bash', { type: 'command', command: 'git status', cwd: root }, []],
    [
      'a command that a rule allows',
      'Bash',
      { type: 'command', command: 'npm test', cwd: root },
      ['allow Bash(npm test)'],
    ],
    ['an edit that a rule allows', 'Edit', write('src/app.ts'), ['allow Edit(/src/**)']],
    ['the todo list', 'TodoWrite', { type: 'none' }, []],
  ])('%s runs', async (_what, tool, access, rules) => {
    expect((await decided(tool, access, rules)).behavior).toBe('allow');
  });
});

describe('plan', () => {
  test.each<[PermissionMode, PermissionDecision['behavior']]>([
    ['default', 'allow'],
    ['plan', 'ask'],
  ])('in %s mode, an allow rule for an MCP server: %s', async (mode, expected) => {
    const { behavior } = await decided('mcp__db__query', { type: 'unknown' }, ['allow mcp__db'], mode);
    expect(behavior).toBe(expected);
  });
});

describe('a question from the model', () => {
  const question: Access = { type: 'question' };
  test.each<[PermissionMode, PermissionDecision['behavior']]>([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['plan', 'ask'],
    ['auto', 'ask'],
    ['bypassPermissions', 'ask'],
    ['dontAsk', 'deny'],
  ])('can only be answered by the user (%s: %s)', async (mode, behavior) => {
    const rules = ['allow AskUserQuestion'];
    expect((await decided('AskUserQuestion', question, rules, mode)).behavior).toBe(behavior);
    expect((await decided('AskUserQuestion', question, ['deny AskUserQuestion'], mode)).behavior).toBe(
      'deny',
    );
  });

  test('is denied without a user, and the model is told to continue', async () => {
    expect((await decided('AskUserQuestion', question)).reason).toBe(
      'This session does not ask (mode dontAsk). Use your best judgement, and say what you assumed.',
    );
  });
});

describe('an ask rule of managed settings in bypassPermissions', () => {
  const run = async (command: string, rules: readonly string[], own: readonly string[] = []) => {
    const policy = await policyFor(own, 'bypassPermissions');
    const managed = rules.map((text) => ({ ...rule(text), managed: true as const }));
    const access: Access = { type: 'command', command, cwd: root };
    return decide({ tool: 'Bash', access }, { ...policy, rules: [...policy.rules, ...managed] });
  };

  test.each([
    ['git push origin main', 'ask Bash(git push *)'],
    ['npm test && git push', 'ask Bash(git push *)'],
    ['bash -c "git push"', 'ask Bash(git push *)'],
    ['echo `git push`', 'ask Bash(git push *)'],
    ['x=$( git push', 'ask Bash(git push *)'],
    ['git $CMD', 'ask Bash(git push *)'],
    ['$(cat a.txt) push', 'ask Bash(git push *)'],
    ['bash < a.txt', 'ask Bash(git push *)'],
    ['cat "$F"', 'ask Read(./secrets/**)'],
    ['anything', 'ask Bash'],
    ['cat secrets/a', 'ask Read(./secrets/**)'],
    ['echo x > db/a', 'ask Edit(./db/**)'],
  ])('%s needs approval because of %s', async (command, text) => {
    expect(await run(command, [text])).toMatchObject({
      behavior: 'ask',
      rule: { text: text.replace('ask ', '') },
    });
  });

  test('applies to files, pages and tools; everything else runs', async () => {
    const rules = ['Edit(./db/**)', 'WebFetch(domain:example.com)', 'TodoWrite'].map((text) => ({
      ...rule(`ask ${text}`),
      managed: true as const,
    }));
    const policy = { ...(await policyFor([], 'bypassPermissions')), rules };
    const of = (tool: string, access: Access) => decide({ tool, access }, policy).behavior;
    expect([
      of('Edit', write('db/a')),
      of('WebFetch', page),
      of('TodoWrite', { type: 'none' }),
      of('Edit', write('src/a')),
      of('Bash', { type: 'command', command: 'npm test', cwd: root }),
    ]).toEqual(['ask', 'ask', 'ask', 'allow', 'allow']);
  });

  test('applies unlike other ask rules, and a deny rule still denies', async () => {
    expect((await run('git push', [], ['ask Bash(git push *)'])).behavior).toBe('allow');
    expect((await run('git push', ['ask Bash(git push *)'], ['deny Bash(git push *)'])).behavior).toBe(
      'deny',
    );
    expect((await bash('git push', ['ask Bash(git push *)'])).behavior).toBe('ask');
  });
});

test.each<[PermissionMode, readonly string[], boolean]>([
  ['acceptEdits', [], true],
  ['acceptEdits', ['allow Edit'], false],
  ['bypassPermissions', [], false],
])('in mode %s with the rules %s, an edit must be restorable: %s', async (mode, rules, isNamed) => {
  const path = join(root, 'src/app.ts');
  for (const [tool, access] of [
    ['Edit', write('src/app.ts')],
    ['Bash', { type: 'command', command: 'echo 1 > src/app.ts', cwd: root }],
  ] satisfies [string, Access][]) {
    const { behavior, replaces = [] } = await decided(tool, access, rules, mode);
    expect([behavior, replaces]).toEqual(['allow', isNamed ? [path] : []]);
  }
});
