import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createAutoAllow, createEnvSecrets, riskyWord } from '../../src/cli/confinement.ts';
import { autoAllowsAtStart } from '../../src/cli/sessionAgent.ts';
import type { LoadedSettings } from '../../src/config/types.ts';
import { isReadOnlyForCommands } from '../../src/permissions/files/protectedNames.ts';
import { isSensitive } from '../../src/permissions/files/sensitive.ts';
import type { PermissionDecision } from '../../src/protocol/permissions.ts';
import type { SandboxState } from '../../src/protocol/sandbox.ts';

const command = { type: 'command', command: 'npm test', cwd: '/p' } as const;
const asks: PermissionDecision = { behavior: 'ask', reason: 'No rule.' };
const on: SandboxState = { type: 'on', mode: 'workspace-write' };

function given(decision: PermissionDecision, state: SandboxState = on, excluded: readonly string[] = []) {
  return {
    permissions: {
      decide: async () => decision,
      hold: vi.fn(),
      matches: async (patterns: readonly string[]) => patterns.length > 0,
    },
    sandbox: { state: vi.fn(async () => state) },
    delicateWord: (text: string) => (text.includes('server.key') ? 'server.key' : undefined),
    excluded,
  };
}

test('a command that would ask runs once the user has enabled it, and the reason is recorded', async () => {
  const auto = createAutoAllow({ ...given(asks), state: { isOn: false } });
  expect(await auto.decide('Bash', command, 'default')).toEqual({ ...asks, canAutoAllow: true });
  auto.enable();
  expect(await auto.decide('Bash', command, 'default')).toMatchObject({
    behavior: 'allow',
    basis: 'sandbox',
  });
});

test.each<[string, PermissionDecision, SandboxState, string[]]>([
  ['a rule that asks', { ...asks, rule: { text: 'Bash(npm:*)', source: 'f' } }, on, []],
  ['a secret', { ...asks, causes: [{ type: 'limit', reason: 'r', isSecret: true }] }, on, []],
  ['a denied call', { behavior: 'deny', reason: 'Rule.' }, on, []],
  ['a machine without a sandbox', asks, { type: 'unavailable', reason: 'r', fix: 'f' }, []],
  ['a sandbox that is turned off', asks, { type: 'off', reason: 'r' }, []],
  ['a command that runs outside', asks, on, ['npm *']],
])('the setting changes nothing about %s', async (_, decision, state, excluded) => {
  const auto = createAutoAllow({ ...given(decision, state, excluded), state: { isOn: true } });
  expect(await auto.decide('Bash', command, 'default')).toEqual(decision);
});

test.each<[PermissionDecision['behavior'], SandboxState, boolean]>([
  ['ask', on, true],
  ['deny', { type: 'on', mode: 'read-only' }, true],
  ['ask', { type: 'unavailable', reason: 'r', fix: 'f' }, false],
  ['deny', { type: 'off', reason: 'r' }, false],
])(
  'a search that would %s if it saw secrets, in a sandbox that is %j, runs: %s',
  async (behavior, state, runs) => {
    const decision: PermissionDecision = { behavior, reason: 'r', hiding: ['/p/.env'] };
    const auto = createAutoAllow({ ...given(decision, state), state: { isOn: false } });
    const final = await auto.decide('Bash', command, 'default');
    if (runs)
      expect(final).toMatchObject({
        behavior: 'allow',
        basis: 'read-only',
        isGuarded: true,
        hiding: ['/p/.env'],
      });
    else expect(final).toMatchObject({ behavior });
  },
);

test('if a rule asks about such a search, its secrets stay hidden, and the question names them', async () => {
  const rule = { text: 'Bash(grep:*)', source: 's' };
  const hiding = ['/p/1.key', '/p/2.key', '/p/3.key', '/p/4.key\nx'];
  const decision: PermissionDecision = { behavior: 'ask', reason: 'A rule.', rule, staysHidden: hiding };
  const auto = createAutoAllow({ ...given(decision, on), state: { isOn: true } });
  const final = await auto.decide('Bash', command, 'default');
  expect(final).toMatchObject({ behavior: 'ask', rule, staysHidden: hiding });
  expect(final.reason).toBe('A rule. Secrets stay hidden from it: /p/1.key, /p/2.key, /p/3.key and 1 more.');
  const off = createAutoAllow({ ...given(decision, { type: 'off', reason: 'r' }), state: { isOn: true } });
  expect((await off.decide('Bash', command, 'default')).staysHidden).toBeUndefined();
});

test('only what is really asked or denied counts as held', async () => {
  const hidden: PermissionDecision = { behavior: 'ask', reason: 'r', hiding: ['/p/.env'] };
  for (const [decision, times] of [
    [hidden, 0],
    [asks, 1],
    [{ behavior: 'deny', reason: 'r' }, 1],
  ] as const) {
    const parts = given(decision);
    await createAutoAllow({ ...parts, state: { isOn: false } }).decide('Bash', command, 'default');
    expect(parts.permissions.hold).toHaveBeenCalledTimes(times);
  }
});

test('if only managed rules allow calls, neither the user nor an approval can enable it', async () => {
  const auto = createAutoAllow({ ...given(asks), state: { isOn: false }, isManaged: true });
  auto.enable();
  expect(await auto.decide('Bash', command, 'default')).toEqual(asks);
});

test.each([
  [true, 'managed settings (/etc/clawdcode/managed-settings.json)', true],
  [true, '~/.clawdcode/config.json', false],
  [false, '~/.clawdcode/config.json', true],
])('managed rules only: %s, set in %s: at the start it is %s', (managedOnly, source, expected) => {
  const loaded = {
    settings: { allowManagedPermissionRulesOnly: managedOnly, sandbox: { autoAllow: true } },
    sources: { 'sandbox.autoAllow': source },
  } as unknown as LoadedSettings;
  expect(autoAllowsAtStart(loaded)).toBe(expected);
});

test('a command whose text names a sensitive file still asks', async () => {
  const auto = createAutoAllow({ ...given(asks), state: { isOn: true } });
  const code = { ...command, command: `python3 -c "print(open('server.key').read())"` };
  expect(await auto.decide('Bash', code, 'default')).toEqual(asks);
});

test.each([
  [`python3 -c "print(open('server.key').read())"`, 'server.key'],
  ['mkdir -p .vscode && echo {} > .vscode/tasks.json', '.vscode'],
  ['node -e \'fs.writeFileSync("packages/a/CLAUDE.md","x")\'', 'packages/a/CLAUDE.md'],
  ['cp -r payload/x .envrc', '.envrc'],
  ['cat ~/.ssh/id_rsa', '~/.ssh/id_rsa'],
  ["head serv'er.key'", 'server.key'],
  ['head "serv"er.ke\\y', 'server.key'],
  ['npm test && git add AGENTS.md', undefined],
  ['echo x > .git/hooks/pre-commit', undefined],
  ['node --env-file=.env app.js', undefined],
  ['git commit -m "the tasks of .env.example"', undefined],
  ['python3 -m venv .venv && make -C build install', undefined],
])('sensitive words of %s', (text, word) => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'delicate-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, 'p');
  for (const file of ['p/server.key', 'p/.env', 'p/AGENTS.md', 'p/.git/hooks/x', '.ssh/id_rsa']) {
    mkdirSync(dirname(join(home, file)), { recursive: true });
    writeFileSync(join(home, file), '');
  }
  const rules = {
    home,
    isWithheld: isSensitive,
    isReadOnlyForCommands: (path: string) =>
      isReadOnlyForCommands(path, { homes: [home], workspace: [root] }),
  };
  expect(riskyWord(text, root, rules)).toBe(word);
});

test('words that are not files are ignored', async () => {
  const parts = given(asks);
  const auto = createAutoAllow({ ...parts, state: { isOn: true } });
  expect(await auto.decide('Edit', { type: 'write', paths: ['/p/a'] }, 'default')).toEqual(asks);
  expect(parts.sandbox.state).not.toHaveBeenCalled();
});

test('secrets in .env files are found, common words are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, '.env'),
    [
      '# comment',
      'NODE_ENV=development',
      'PORT=3000',
      'API_URL=http://localhost:3000/api',
      'DB_PASSWORD="correct horse"',
      'export STRIPE_SECRET=abc123def456',
      'DATABASE_URL=postgres://app:s3cretpw@db/app',
      'SESSION_TOKEN=dev',
    ].join('\n'),
  );
  writeFileSync(join(folder, '.env.local'), "OTHER_TOKEN='zz99yy88xx77'\n");
  writeFileSync(join(folder, '.env.example'), 'API_TOKEN=put-yours-here\n');
  writeFileSync(
    join(folder, '.env.pem'),
    [
      'PRIVATE_KEY="-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBgkqhkiG9w0B',
      '-----END PRIVATE KEY-----"',
      'SIGNING_SECRET="first-line-of-it-1\\nsecond-line-of-it"',
      'NEXT_SECRET="with \\"quotes\\" in it" # note',
      'CRLF_SECRET=ends-with-crlf',
    ].join('\r\n'),
  );
  const inLines = createEnvSecrets()([folder])
    .filter(({ mark }) => /PRIVATE|SIGNING|NEXT|CRLF/.test(mark))
    .map(({ value }) => value);
  for (const value of [
    'MIIEvQIBADANBgkqhkiG9w0B',
    'first-line-of-it-1',
    'second-line-of-it',
    'ends-with-crlf',
  ])
    expect(inLines).toContain(value);
  rmSync(join(folder, '.env.pem'));
  expect(
    createEnvSecrets()([folder, folder, '/nonexistent'])
      .map(({ value }) => value)
      .sort(),
  ).toEqual(['abc123def456', 'correct horse', 's3cretpw', 'zz99yy88xx77'].sort());
});

test('.env files of packages are found as soon as they exist, those of dependencies are not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['packages/a', 'packages/b/deploy', 'node_modules/x'])
    mkdirSync(join(folder, name), { recursive: true });
  const secrets = createEnvSecrets();
  const values = (): readonly string[] =>
    secrets([folder, join(folder, 'packages/a')]).map(({ value }) => value);
  writeFileSync(join(folder, 'packages/a/.env'), 'A_TOKEN=abc123def456\n');
  writeFileSync(join(folder, 'node_modules/x/.env'), 'X_TOKEN=xxx123def456\n');
  expect(values()).toEqual(['abc123def456']);
  writeFileSync(join(folder, 'packages/a/.env'), 'A_TOKEN=abc123def457\n');
  writeFileSync(join(folder, 'packages/b/deploy/.env.local'), 'B_TOKEN=bbb123def456\n');
  expect(values()).toEqual(['abc123def457', 'bbb123def456']);
});
