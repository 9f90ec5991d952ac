import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { translateRule } from '../../../src/config/claude/claudeRules.ts';
import { parseRule } from '../../../src/permissions/rules/rules.ts';
import { anyText } from '../../anyText.ts';

const place = { root: '/repository', cwd: '/repository' };
const texts = (text: string, behavior: 'allow' | 'ask' | 'deny' = 'deny', where = place): string[] =>
  translateRule(text, behavior, where).rules.map((rule) => rule.text);

describe('rules with the same meaning', () => {
  test.each([
    ['Bash(npm run test:*)', ['Bash(npm run test:*)']],
    ['Bash(:*)', ['Bash']],
    ['Bash()', ['Bash']],
    ['Bash(*)', ['Bash']],
    ['WebFetch(domain:example.com)', ['WebFetch(domain:example.com)']],
    ['mcp__github', ['mcp__github']],
    ['mcp__github__*', ['mcp__github__*']],
    ['mcp__*', ['mcp__*']],
    ['Task(reviewer)', ['Agent(reviewer)']],
    ['KillShell', ['KillBash']],
    ['MultiEdit(src/**)', ['Edit(src/**)']],
    ['NotebookEdit', ['Edit(*.ipynb)']],
    ['NotebookRead(data/**)', ['Read(data/**)']],
    ['SlashCommand(/fix:*)', ['Skill(fix)', 'Skill(fix *)']],
    ['Read(./.env)', ['Read(.env)']],
    ['Read(//etc/passwd)', ['Read(//etc/passwd)']],
    ['Read(~/.ssh/**)', ['Read(~/.ssh/**)']],
    ['Edit(/src/**)', ['Edit(/src/**)']],
  ])('%s', (written, meant) => {
    const { complaint } = translateRule(written, 'deny', place);
    expect([texts(written), complaint]).toEqual([meant, undefined]);
  });

  test('tools that do not exist here have nothing to deny or allow', () => {
    expect(translateRule('LSP', 'deny', place)).toEqual({ rules: [] });
    expect(translateRule('MultiEdit', 'deny', place)).toEqual({ rules: [] });
    expect(translateRule('LSP', 'allow', place)).toEqual({ rules: [], isUnused: true });
  });
});

describe('paths', () => {
  const inFolder = { root: '/repository', cwd: '/repository/pkg' };
  const bases = (text: string, behavior: 'allow' | 'deny', where: typeof place & { userBase?: string }) =>
    translateRule(text, behavior, where).rules.map(({ base }) => base);

  test('relative to the working directory: a deny rule covers the root too, an allow rule only that directory', () => {
    expect(bases('Read(secrets/**)', 'deny', inFolder)).toEqual(['/repository', '/repository/pkg']);
    expect(bases('Read(secrets/**)', 'allow', inFolder)).toEqual(['/repository/pkg']);
    expect(bases('Read(.env)', 'deny', inFolder)).toEqual(['/repository']);
  });

  test('"./name" matches at any depth in a deny rule, and only that file in an allow rule', () => {
    expect(texts('Read(./.env)', 'deny')).toEqual(['Read(.env)']);
    expect(texts('Read(./.env)', 'allow')).toEqual(['Read(./.env)']);
  });

  test('"/x" in the user’s file is relative to it; a deny rule covers the project too', () => {
    const user = { ...place, userBase: '/home/me/.claude' };
    expect(bases('Edit(/notes/**)', 'allow', user)).toEqual(['/home/me/.claude']);
    expect(bases('Edit(/notes/**)', 'deny', user)).toEqual(['/home/me/.claude', '/repository']);
  });
});

describe('rules that cannot be translated', () => {
  test.each([
    ['WebFetch(https://evil.example.com/x)', ['WebFetch(domain:evil.example.com)'], 'name a domain'],
    ['WebFetch(anything else)', ['WebFetch'], 'name a domain'],
    ['mcp__github__get_*', ['mcp__github'], 'a part of a name'],
    ['mcp__git*__x', ['mcp__*'], 'a part of a name'],
    ['mcp__db__query(drop *)', ['mcp__db__query'], 'no specifier'],
    ['Bash(rm -rf', ['Bash'], 'parentheses'],
    ['bash(rm *)', ['Bash(rm *)'], 'there is no tool bash'],
    ['Raed(.env)', ['Read(.env)'], 'there is no tool Raed'],
    ['WebSearch(cats)', ['WebSearch'], 'no specifier'],
  ])('%s denies more, with a notice', (written, meant, why) => {
    const { complaint } = translateRule(written, 'deny', place);
    expect(texts(written)).toEqual(meant);
    expect(complaint).toContain(why);
    expect(translateRule(written, 'allow', place).rules).toEqual([]);
  });

  test('call parameters cannot be distinguished: every call asks', () => {
    const translated = translateRule('Bash(run_in_background:true)', 'deny', place);
    expect(translated.rules).toEqual([{ text: 'Bash', base: '/repository', behavior: 'ask' }]);
    expect(translated.complaint).toContain('every call of Bash asks');
    expect(translateRule('Bash(timeout:*)', 'deny', place)).toMatchObject({
      rules: [{ text: 'Bash(timeout:*)' }],
    });
  });

  test.each(['Nonsense(x)', '(x)', '', 'Read(!keep.txt)'])('%j is reported, and protects nothing', (text) => {
    const { rules, complaint } = translateRule(text, 'deny', place);
    expect(rules).toEqual([]);
    expect(complaint).toBeTypeOf('string');
  });

  test('"*" denies every tool', () => {
    expect(texts('*')).toEqual(
      expect.arrayContaining(['Read', 'Bash', 'Edit', 'WebFetch', 'Agent', 'mcp__*']),
    );
    expect(texts('Web*')).toEqual(['WebFetch', 'WebSearch']);
    expect(texts('*', 'allow')).toEqual([]);
  });
});

const tools = fc.constantFrom(
  'Read',
  'Edit',
  'Bash',
  'WebFetch',
  'Task',
  'Skill',
  'MultiEdit',
  'LS',
  'mcp__a',
);
const anyRule = fc.oneof(
  anyText(),
  fc.tuple(tools, fc.string()).map(([tool, spec]) => `${tool}(${spec})`),
  fc.string().map((name) => `mcp__${name}`),
);

test('every translated rule is valid here, and allow rules are never reported', () => {
  fc.assert(
    fc.property(anyRule, fc.constantFrom('allow', 'ask', 'deny'), (text, behavior) => {
      const { rules, complaint, isUnused } = translateRule(text, behavior, place);
      for (const rule of rules) expect(parseRule(rule.text)).not.toHaveProperty('error');
      if (behavior === 'allow') expect(complaint).toBeUndefined();
      else expect(isUnused).toBeUndefined();
    }),
  );
});
