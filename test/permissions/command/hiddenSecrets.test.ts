/** Secrets that a command may show without naming them, with a rule that allows every command. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { bash, policyFor, root } from '../harness.ts';

const shows = [
  'cat $(printf .env)',
  'cat "$(printf %s .env)"',
  'f=$(printf .env); cat "$f"',
  'cat $(echo server.key)',
  'for f in $(ls -a); do cat "$f"; done',
  'ls -a | while read -r f; do base64 "$f"; done',
  'grep -r . .',
  'find . -type f -exec cat {} +',
  'find . -exec sh -c \'base64 "$1"\' _ {} \\;',
  'find . -type f -print0 | xargs -0 cat',
  'ls -a | xargs -I{} cat {}',
  'ls -a | xargs -I{} sh -c "base64 {}"',
  'ls -a | sudo -n xargs -n1 base64',
  'ls -a | parallel cat',
  'tar cf - . | base64',
  'cp -r . /tmp/copy',
  'sudo -n cat "$X"',
  'docker build -t x .',
  'kubectl create secret generic x --from-file=. --dry-run=client -o yaml',
];

describe('with the rule Bash', () => {
  test.each(shows)('%s needs approval if there are secrets', async (command) => {
    const decision = await bash(command, ['allow Bash']);
    expect(decision.behavior).toBe('ask');
    expect(decision.causes).toContainEqual(expect.objectContaining({ isSecret: true }));
  });

  test.each([
    'npm test -- "$X"',
    'node "$f"',
    'mkdir -p "$d"',
    'kill "$pid"',
    'for f in $(ls); do echo "$f"; done',
    'git commit -m "$(date)"',
    'grep -rn token src',
    'cp -r src docs',
    'find . -name "*.o" -exec rm {} +',
    'ls | xargs -n1 rm',
    'docker run "$IMAGE"',
  ])('%s runs', async (command) => {
    expect(await bash(command, ['allow Bash'])).toMatchObject({ behavior: 'allow' });
  });

  test.each(shows.slice(0, 16))('%s runs in a folder without secrets', async (command) => {
    const clean = join(root, 'docs/clean');
    mkdirSync(clean, { recursive: true });
    writeFileSync(join(clean, 'a.txt'), 'x\n');
    expect(await bash(command, ['allow Bash'], 'default', clean)).toMatchObject({ behavior: 'allow' });
  });
});

test.each(['cat "$f"', 'ls -a | xargs -0 base64', 'cp -r . /tmp/copy'])(
  'without a rule, %s needs approval even in a sandbox',
  async (command) => {
    const decision = await bash(command);
    expect(decision.behavior).toBe('ask');
    expect(decision.causes).toContainEqual(expect.objectContaining({ isSecret: true }));
  },
);

describe('a search that shows secrets without naming them', () => {
  const inRoot = (...names: string[]): string[] => names.map((name) => join(root, name)).sort();

  test.each([
    ['grep -r foo --include=.env* .', ['.env', '.env.local']],
    ['grep -r foo . 2>/dev/null | sort | head -20', ['.env', '.env.local', 'server.key', 'secret/id_rsa']],
    ['cd secret && grep -r foo .', ['secret/id_rsa']],
    ['rg -uu foo -g "*.key"; wc -l a.txt', ['server.key']],
    ['find . -name "*.key" -exec wc -l {} +', ['server.key']],
  ])('%s needs no approval if %j are hidden', async (command, names) => {
    const { behavior, hiding = [] } = await bash(command);
    expect(behavior).toBe('ask');
    expect([...hiding].sort()).toEqual(inRoot(...names));
    const unasked = await bash(command, [], 'dontAsk');
    expect(unasked).toMatchObject({ behavior: 'deny', hiding });
  });

  test.each([
    ['it names one', 'grep -r foo . .env', []],
    ['a pattern names one', 'grep -r foo .e*', []],
    ['another part names one', 'grep -r foo .; cat .env', []],
    ['it leads to another folder', 'grep -R foo .', []],
    ['another part needs approval', 'grep -r foo .; touch x', []],
    ['it writes a file', 'grep -r foo . > out.txt', []],
    ['it reads a file that is only known at run time', 'grep -r foo . < "$f"', []],
    ['a part runs with a rule', 'grep -r foo .; npm test', ['allow Bash(npm test)']],
    ['a rule asks about the file', 'grep -r foo .', ['ask Read(.env)']],
    ['a rule denies a file that it names', 'grep -r foo . server.key', ['deny Read(server.key)']],
    ['a rule denies the folder', 'grep -r foo secret', ['deny Read(secret)']],
    ['a rule denies a file that a name may stand for', 'grep -r foo . "$f"', ['deny Read(server.key)']],
    ['a rule denies a file that a pattern may match', 'grep -r foo [a-z]*', ['deny Read(server.key)']],
    ['a rule denies a file behind a link', 'grep -R foo docs', ['deny Read(src/app.ts)']],
    ['a rule also denies the command', 'grep -r foo .', ['deny Read(.env)', 'deny Bash(grep:*)']],
    ['a rule also asks', 'grep -r foo .', ['deny Read(.env)', 'ask Bash(grep:*)']],
    ['a rule may deny it, and a part is no search', 'tar c .; grep -r foo .', ['deny Read(.env)']],
    ['a rule asks about the program', 'grep -r foo .', ['ask Bash(grep:*)']],
  ])('hiding secrets is not enough if %s: %s', async (_, command, rules) => {
    const decision = await bash(command, rules);
    expect(decision.behavior).not.toBe('allow');
    expect(decision.hiding).toBeUndefined();
  });

  test.each([
    ['grep -r foo .', ['allow Bash']],
    ['grep -r foo .', ['allow Bash(*)']],
    ['grep -r foo . | wc -l', ['allow Bash', 'allow Bash(wc:*)']],
    ['ls src; grep -r foo .', ['allow Bash(ls:*)']],
    ['cat src/app.ts; grep -r foo .', ['allow Read(src/**)']],
    ['cat src/app.ts; grep -r foo . < b.txt', ['allow Read']],
  ])('secrets stay hidden from %s with the allow rules %j', async (command, rules) => {
    const without = await bash(command);
    expect(without.hiding).toHaveLength(4);
    const { behavior, hiding } = await bash(command, rules);
    expect({ behavior, hiding }).toEqual({ behavior: 'ask', hiding: without.hiding });
  });

  test('a rule for one command does not require approval for the environment of the others', async () => {
    const decideWith = async (rules: readonly string[]) => {
      const policy = await policyFor(rules, 'default', { gitFetches: () => true });
      const access = { type: 'command', command: 'ls src; git status', cwd: root } as const;
      return decide({ tool: 'Bash', access }, policy);
    };
    expect(await decideWith([])).toMatchObject({ behavior: 'allow', basis: 'read-only' });
    expect(await decideWith(['allow Bash(ls:*)'])).toMatchObject({ behavior: 'allow', basis: 'read-only' });
  });

  test('a secret that a rule allows reading is not hidden from a search', async () => {
    const { hiding } = await bash('cat a.txt; grep -r foo .', ['allow Read(.env)']);
    expect([...(hiding ?? [])].sort()).toEqual(inRoot('.env.local', 'server.key', 'secret/id_rsa'));
  });

  test.each([
    ['grep -r foo .', 'deny Read(server.key)', ['.env', '.env.local', 'server.key', 'secret/id_rsa']],
    ['grep -r foo src', 'deny Read(src/app.ts)', ['src/app.ts']],
    [
      'grep -r foo . && wc -l a.txt',
      'deny Read(src/**)',
      ['.env', '.env.local', 'server.key', 'secret/id_rsa', 'src/app.ts'],
    ],
    ['grep -r foo src | sort', 'deny Read(server.key)', []],
    ['rg foo src', 'deny Read(**/*.key)', []],
  ])('%s runs with %s if the sandbox hides %j', async (command, rule, names) => {
    for (const mode of ['default', 'dontAsk'] as const) {
      const { behavior, hiding } = await bash(command, [rule], mode);
      expect(behavior).not.toBe('allow');
      expect(hiding && [...hiding].sort()).toEqual(inRoot(...names));
    }
    expect((await bash(command, [rule], 'bypassPermissions')).hiding).toBeUndefined();
  });

  test('the approval that an ask rule requires for a program does not show secrets as well', async () => {
    const decision = await bash('grep -r foo docs', ['ask Bash(grep:*)']);
    expect(decision).toMatchObject({ behavior: 'ask', rule: { text: 'Bash(grep:*)' } });
    expect(decision.staysHidden).toBeUndefined();
    const showing = await bash('grep -r foo .', ['ask Bash(grep:*)']);
    expect(showing).toMatchObject({ behavior: 'ask', rule: { text: 'Bash(grep:*)' } });
    expect(showing.reason).toMatch(/grep -r foo \. shows \S+: .* may hold secrets/);
    expect(showing.staysHidden).toContain(join(root, '.env'));
  });

  test('a secret whose name is not UTF-8 cannot be hidden', async () => {
    const place = join(root, 'docs/odd');
    mkdirSync(place, { recursive: true });
    writeFileSync(Buffer.concat([Buffer.from(join(place, '.env.')), Buffer.from([0xff])]), 'x\n');
    const { behavior, hiding } = await bash('grep -r foo docs/odd');
    expect({ behavior, hiding }).toEqual({ behavior: 'ask', hiding: undefined });
    expect((await bash('grep -r foo src')).behavior).toBe('allow');
  });

  test('a tracked secret and git settings cannot be hidden, since git reads them', async () => {
    const place = join(root, 'docs/tracked');
    mkdirSync(place, { recursive: true });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: place });
    git('init', '-q');
    writeFileSync(join(place, '.env'), 'x\n');
    const decide = () => bash('grep -r foo docs/tracked');
    expect((await decide()).hiding).toEqual([join(place, '.env')]);
    git('add', '.env');
    expect(await decide()).toMatchObject({ behavior: 'ask' });
    expect((await decide()).hiding).toBeUndefined();
    git('rm', '-q', '--cached', '.env');
    git('config', 'remote.origin.url', 'https://x:abcdefgh12345678@example.com/x.git');
    expect(await decide()).toMatchObject({ behavior: 'ask' });
    expect((await decide()).hiding).toBeUndefined();
  });
});

test('the reason names a long command on one line', async () => {
  const { reason } = await bash(`cat \\\n  "$X" ${'a'.repeat(200)}`, ['allow Bash']);
  expect(reason).toMatch(/^cat .{70,80}… may show \S+\.$/);
});
