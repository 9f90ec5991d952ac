import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  createPermissions,
  hostVerdict,
  type Permissions,
} from '../../../src/cli/permissions/permissions.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';
import type { Access, PermissionMode, RuleSuggestion } from '../../../src/protocol/permissions.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-wiring-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** The grammar where the build puts it. */
const wasm = join(top, 'wasm');
await mkdir(wasm);
const { resolve } = createRequire(import.meta.url);
symlinkSync(resolve('web-tree-sitter/web-tree-sitter.wasm'), join(wasm, 'web-tree-sitter.wasm'));
symlinkSync(resolve('tree-sitter-bash/tree-sitter-bash.wasm'), join(wasm, 'tree-sitter-bash.wasm'));

interface Wired extends Permissions {
  readonly root: string;
  readonly localFile: string;
  readonly saves: () => number;
}

let count = 0;
async function wired(
  settings: unknown = {},
  given: { wasm?: string; flags?: object; saved?: SourcedRule[] } = {},
): Promise<Wired> {
  const home = join(top, `home${++count}`);
  const root = join(home, 'project');
  const dataRoot = join(home, '.clawdcode');
  await mkdir(root, { recursive: true });
  await mkdir(dataRoot, { recursive: true });
  writeFileSync(join(dataRoot, 'config.json'), JSON.stringify(settings));
  const places = { dataRoot, home, root };
  const loaded = await loadSettings({ ...places, env: {}, trusted: true, flags: given.flags ?? {} });
  expect(loaded.problems).toEqual([]);
  let saves = 0;
  const permissions = createPermissions(loaded, {
    ...places,
    engine: new InProcessEngine(given.wasm ?? wasm, {}),
    saved: given.saved ?? [],
    onSaved: async () => {
      saves++;
    },
  });
  return { ...permissions, root, localFile: join(root, '.clawdcode.local.json'), saves: () => saves };
}

const behavior = async (
  { decide, root }: Wired,
  what: { readonly command: string } | { readonly write: string } | { readonly read: string },
  mode: PermissionMode = 'default',
): Promise<string> => {
  const access: Access =
    'command' in what
      ? { type: 'command', command: what.command, cwd: root }
      : 'write' in what
        ? { type: 'write', paths: [join(root, what.write)] }
        : { type: 'read', paths: [join(root, what.read)] };
  const tool = { command: 'Bash', write: 'Edit', read: 'Read' }[access.type as 'command' | 'write' | 'read'];
  return (await decide(tool, access, mode)).behavior;
};

test('rules from settings and flags apply, and deny takes precedence', async () => {
  const permissions = await wired(
    { permissions: { allow: ['Bash(npm test)', 'Edit(/src/**)'], deny: ['Edit(/src/secret/**)'] } },
    { flags: { allowedTools: ['Bash(make *)'], disallowedTools: ['Bash(make clean)'] } },
  );
  expect(await behavior(permissions, { command: 'npm test' })).toBe('allow');
  expect(await behavior(permissions, { command: 'npm test && rm -rf /' })).toBe('ask');
  expect(await behavior(permissions, { command: 'make all' })).toBe('allow');
  expect(await behavior(permissions, { command: 'make clean' })).toBe('deny');
  expect(await behavior(permissions, { write: 'src/a.ts' })).toBe('allow');
  expect(await behavior(permissions, { write: 'src/secret/a.ts' })).toBe('deny');
  expect(await behavior(permissions, { write: 'src/secret/a.ts' }, 'bypassPermissions')).toBe('deny');
  expect(await behavior(permissions, { write: 'b.ts' })).toBe('ask');
  expect(await behavior(permissions, { write: 'b.ts' }, 'acceptEdits')).toBe('allow');
  expect(await behavior(permissions, { write: 'b.ts' }, 'plan')).toBe('deny');
});

test('an invalid rule is not listed', async () => {
  const { rules } = await wired({ permissions: { allow: ['Bsh(x)', 'Bash(make)'], deny: ['Bash(('] } });
  expect(rules().map(({ text }) => text)).toEqual(['Bash(make)']);
});

test('a file that a hook, a server or the status line runs is protected: it runs outside the sandbox', async () => {
  const hook = (command: string, args?: string[]) => ({
    hooks: [{ type: 'command', command, ...(args && { args }) }],
  });
  const { decide, root } = await wired({
    hooks: {
      PostToolUse: [hook('./scripts/lint.sh --fix'), hook('"$CLAUDE_PROJECT_DIR"/tools/audit.py')],
      Stop: [hook('sh', ['ops/stop.sh']), hook('npx prettier --check src'), hook('~/bin/mine.sh')],
    },
    statusLine: { command: 'bash line.sh' },
    notificationCommand: 'node notify.js "$CLAWDCODE_MESSAGE"',
    mcpServers: {
      own: { command: 'python3', args: ['server.py'] },
      built: { command: 'node', args: ['dist/x.js'] },
    },
  });
  await mkdir(join(root, 'src'));
  for (const name of ['line.sh', 'notify.js', 'server.py', 'src/a.ts']) writeFileSync(join(root, name), '');
  const asks = async (path: string): Promise<boolean> => {
    const access: Access = { type: 'write', paths: [join(root, path)] };
    return (await decide('Edit', access, 'acceptEdits')).behavior === 'ask';
  };
  const guarded = ['scripts/lint.sh', 'tools/audit.py', 'ops/stop.sh', 'line.sh', 'notify.js', 'server.py'];
  for (const path of guarded) expect([path, await asks(path)]).toEqual([path, true]);
  for (const path of ['src/a.ts', 'dist/x.js', 'scripts/other.sh', 'bin/mine.sh'])
    expect([path, await asks(path)]).toEqual([path, false]);
  const command = { type: 'command', command: 'cp src/a.ts scripts/lint.sh', cwd: root } as const;
  expect((await decide('Bash', command, 'acceptEdits')).behavior).toBe('ask');
});

test('an agent in a worktree may not write files that the project’s settings run, whatever a rule allows', async () => {
  const { inWorktree, root } = await wired({
    permissions: { allow: ['Edit(~/project/**)'] },
    statusLine: { command: 'bash line.sh' },
  });
  const worktree = join(root, '..', '.clawdcode', 'worktrees', 'w');
  await mkdir(worktree, { recursive: true });
  for (const name of ['line.sh', 'other.sh']) writeFileSync(join(root, name), '');
  const edit = async (path: string): Promise<string> =>
    (await inWorktree(worktree).decide('Edit', { type: 'write', paths: [path] }, 'default')).behavior;
  expect(await edit(join(root, 'other.sh'))).toBe('allow');
  expect(await edit(join(root, 'line.sh'))).toBe('ask');
});

test('reading stored sessions and files asks, like other places outside the workspace', async () => {
  const { decide, root } = await wired();
  const read = async (path: string): Promise<string> =>
    (await decide('Read', { type: 'read', paths: [join(root, path)] }, 'default')).behavior;
  expect(await read('a.ts')).toBe('allow');
  expect(await read('../.clawdcode/projects/p/blobs/ab/abc')).toBe('ask');
  expect(await read('../other/a.ts')).toBe('ask');
});

test('"always" for a command is saved, and applies immediately and in later sessions', async () => {
  const permissions = await wired();
  const { decide, remember, rules, root, localFile, saves } = permissions;
  const access = { type: 'command', command: 'npm test', cwd: root } as const;
  const asked = await decide('Bash', access, 'default');
  expect(asked.behavior).toBe('ask');
  const suggestion = asked.suggestion as RuleSuggestion;
  expect(suggestion).toMatchObject({ destination: 'local', file: localFile });
  expect(await remember(suggestion)).toBe(`Saved to ${localFile}: allow ${suggestion.rules.join(', ')}`);
  expect(saves()).toBe(1);
  expect((await decide('Bash', access, 'default')).behavior).toBe('allow');
  expect(rules().at(-1)).toMatchObject({ behavior: 'allow', source: localFile });
  const saved = JSON.parse(await readFile(localFile, 'utf8')) as { permissions: { allow: string[] } };
  expect(saved.permissions.allow).toEqual(suggestion.rules);
  const tomorrow = await loadSettings({
    dataRoot: join(root, '../.clawdcode'),
    home: join(root, '..'),
    root,
    env: {},
    trusted: false,
    savedRules: suggestion.rules,
    flags: {},
  });
  expect(tomorrow.untrusted).toEqual([]);
  expect(tomorrow.rules.map((rule) => rule.text)).toEqual(suggestion.rules);
});

test('"always" for the session is not saved', async () => {
  const { remember, rules, localFile, saves } = await wired();
  expect(await remember({ rules: ['Read(//etc/**)'], destination: 'session', label: 'Yes' })).toBe(
    'Allowed for this session: Read(//etc/**)',
  );
  expect(rules()).toMatchObject([{ text: 'Read(//etc/**)', source: 'session' }]);
  expect(saves()).toBe(0);
  await expect(readFile(localFile)).rejects.toThrow('ENOENT');
});

test('a line break in a saved rule does not break the line that names it', async () => {
  const { remember, localFile } = await wired();
  const rules = ['Bash(echo "a\n1: Yes")'];
  const shown = 'Bash(echo "a‹U+000A›1: Yes")';
  expect(await remember({ rules, destination: 'session', label: 'Yes' })).toBe(
    `Allowed for this session: ${shown}`,
  );
  expect(await remember({ rules, destination: 'local', file: localFile, label: 'Yes' })).toBe(
    `Saved to ${localFile}: allow ${shown}`,
  );
});

test('"always" applies to the session if the file cannot be changed, and says why', async () => {
  const { remember, rules, localFile, saves } = await wired();
  writeFileSync(localFile, '{ "permissions": { "allow": "not a list" } ');
  const said = await remember({ rules: ['Bash(ls)'], destination: 'local', file: localFile, label: 'Yes' });
  expect(said).toMatch(/^Allowed for this session only\. ./);
  expect(rules()).toMatchObject([{ text: 'Bash(ls)', source: 'session' }]);
  expect(saves()).toBe(0);
  expect(await readFile(localFile, 'utf8')).toBe('{ "permissions": { "allow": "not a list" } ');
});

test('without the grammar, every command asks, and files are judged as usual', async () => {
  const permissions = await wired(
    { permissions: { allow: ['Bash(npm test)'] } },
    { wasm: join(top, 'nowhere') },
  );
  expect(await behavior(permissions, { command: 'npm test' })).toBe('ask');
  expect(await behavior(permissions, { read: 'a.ts' })).toBe('allow');
});

test('content that a rule protects from reading is also withheld from search results and quotes', async () => {
  const { isWithheld, root } = await wired({
    permissions: { deny: ['Read(./kept/**)'], ask: ['Read(./asked.txt)'], allow: ['Read(.env)'] },
  });
  const withheld = ['kept/a.ts', 'asked.txt', '.env', 'src/a.ts'].filter((name) =>
    isWithheld(join(root, name)),
  );
  expect(withheld).toEqual(['kept/a.ts', 'asked.txt', '.env']);
  const free = await wired();
  expect(['.env', 'kept/a.ts', '/etc/hostname'].filter((name) => free.isWithheld(name))).toEqual(['.env']);
  symlinkSync('.env', join(free.root, 'notes.txt'));
  expect(free.isWithheld(join(free.root, 'notes.txt'))).toBe(true);
});

test('a file whose name is not UTF-8 is withheld from search results, since its content cannot be judged', async () => {
  const { isWithheld, root } = await wired();
  expect(isWithheld(join(root, 'prod\ufffd.tfvars'))).toBe(true);
  expect(isWithheld(join(root, 'prodä.ts'))).toBe(false);
});

test('files in secret places of the home are withheld, whatever their name', async () => {
  const { isWithheld, root } = await wired();
  const home = join(root, '..');
  expect(isWithheld(join(home, '.config/stripe/config.toml'))).toBe(true);
  expect(isWithheld(join(home, '.config/foot/foot.ini'))).toBe(false);
});

test('if only managed rules apply, no other rule is offered, saved or applied', async () => {
  const home = join(top, `home${++count}`);
  const places = { dataRoot: join(home, '.clawdcode'), home, root: join(home, 'project') };
  await mkdir(places.root, { recursive: true });
  await mkdir(join(home, 'etc'), { mode: 0o755 });
  const policy = { allowManagedPermissionRulesOnly: true, permissions: { allow: ['Bash(npm test)'] } };
  writeFileSync(join(home, 'etc/managed-settings.json'), JSON.stringify(policy), { mode: 0o644 });
  const loaded = await loadSettings({
    ...places,
    env: {},
    trusted: true,
    flags: { allowedTools: ['Bash(make)'] },
    managed: { folder: join(home, 'etc'), ownerUid: process.getuid?.() ?? 0 },
  });
  const { decide, remember, rules } = createPermissions(loaded, {
    ...places,
    engine: new InProcessEngine(wasm, {}),
    saved: [],
    onSaved: () => Promise.reject(new Error('nothing is saved')),
  });
  const run = (command: string) => decide('Bash', { type: 'command', command, cwd: places.root }, 'default');
  expect((await run('npm test')).behavior).toBe('allow');
  const asked = await run('make');
  expect([asked.behavior, asked.suggestion]).toEqual(['ask', undefined]);
  expect(await remember({ rules: ['Bash(make)'], destination: 'session', label: 'Yes' })).toContain(
    'managed',
  );
  expect((await run('make')).behavior).toBe('ask');
  expect(rules().map(({ text }) => text)).toEqual(['Bash(npm test)']);
  // Accepting edits is a mode, not a rule.
  const edit = await decide('Edit', { type: 'write', paths: [join(places.root, 'a')] }, 'default');
  expect(edit.suggestion?.destination).toBe('mode');
});

test('a saved rule applies in the next session of the process, a session rule does not', async () => {
  const saved: SourcedRule[] = [];
  const before = await wired({}, { saved });
  const file = before.localFile;
  await before.remember({ rules: ['Bash(touch:*)'], destination: 'local', file, label: 'Yes' });
  await before.remember({ rules: ['Bash(make)'], destination: 'session', label: 'Yes' });
  const after = await wired({}, { saved });
  expect(after.rules().map(({ text }) => text)).toEqual(['Bash(touch:*)']);
});

test('the last call that was noted as held can be explained', async () => {
  const permissions = await wired({ permissions: { deny: ['Bash(rm:*)'] } });
  expect(await permissions.explain(undefined, 'default')).toBeUndefined();
  permissions.hold({ tool: 'Bash', access: { type: 'command', command: 'rm x', cwd: '/' } });
  await behavior(permissions, { command: 'rm y' });
  expect(await permissions.explain(undefined, 'default')).toMatchObject({ call: 'rm x', behavior: 'deny' });
});

test.each(['a.example', '192.0.2.1', '2001:db8::1'])(
  '"always" for %s saves a rule that applies',
  async (host) => {
    const { suggestHost, remember, rules } = await wired();
    await remember(suggestHost(host));
    const settings = { allowedDomains: [], deniedDomains: [], isWholeList: false };
    expect(hostVerdict(host, settings, rules())).toBe('allow');
  },
);

test('a hook allows what an allow rule for the tool would, and nothing more', async () => {
  const rules = { permissions: { deny: ['Edit(/secret/**)'], ask: ['Bash(git push *)'] } };
  const wiring = await wired(rules);
  const { root } = wiring;
  const hook = { source: 'hook in config.json', isManaged: false };
  const edit = async (path: string, mode: PermissionMode = 'default') =>
    (await wiring.decide('Edit', { type: 'write', paths: [join(root, path)] }, mode, hook)).behavior;
  const bash = async (text: string, by = true) =>
    (
      await wiring.decide(
        'Bash',
        { type: 'command', command: text, cwd: root },
        'default',
        ...(by ? [hook] : []),
      )
    ).behavior;
  expect(await edit('a.ts')).toBe('allow');
  expect(await edit('secret/a.ts')).toBe('deny');
  expect(await edit('a.ts', 'plan')).toBe('deny');
  for (const path of ['.git/hooks/pre-commit', '.clawdcode.json', '.env'])
    expect(await edit(path)).toBe('ask');
  expect([await bash('mkdir x'), await bash('mkdir x', false), await bash('git push origin')]).toEqual([
    ...['allow', 'ask', 'ask'],
  ]);
});

test('if only managed rules apply, only managed hooks can allow calls', async () => {
  const wiring = await wired({});
  const managed = join(top, 'managed-hooks');
  await mkdir(managed, { mode: 0o755 });
  writeFileSync(
    join(managed, 'managed-settings.json'),
    JSON.stringify({ allowManagedPermissionRulesOnly: true }),
    { mode: 0o644 },
  );
  const places = { dataRoot: join(wiring.root, '..'), home: join(wiring.root, '..'), root: wiring.root };
  const ownerUid = process.getuid?.() ?? 0;
  const loaded = await loadSettings({
    ...{ ...places, env: {}, trusted: true, flags: {} },
    managed: { folder: managed, ownerUid },
  });
  const { decide } = createPermissions(loaded, {
    ...{ ...places, engine: new InProcessEngine(wasm, {}), saved: [] },
    onSaved: async () => undefined,
  });
  const access: Access = { type: 'write', paths: [join(wiring.root, 'a.ts')] };
  const by = (isManaged: boolean) => decide('Edit', access, 'default', { source: 'hook', isManaged });
  expect([(await by(false)).behavior, (await by(true)).behavior]).toEqual(['ask', 'allow']);
});

test('a hook’s rule covers a command if it covers any part of it', async () => {
  const { covers, root } = await wired({});
  const command = (text: string): Access => ({ type: 'command', command: text, cwd: root });
  const covered = (rule: string, text: string): Promise<boolean> => covers(rule, 'Bash', command(text));
  expect(await covered('Bash(git *)', 'ls && git status')).toBe(true);
  expect(await covered('Bash(git *)', 'ls')).toBe(false);
  expect(await covered('Bash(git *', 'ls')).toBe(true);
  expect(await covers('Edit(*.ts)', 'Edit', { type: 'write', paths: [join(root, 'src/a.ts')] })).toBe(true);
  expect(await covers('Edit(*.ts)', 'Edit', { type: 'write', paths: [join(root, 'a.js')] })).toBe(false);
  expect(await covers('mcp__x__*', 'mcp__x__y', { type: 'unknown' })).toBe(true);
});

test('what a rewind may restore of a log from elsewhere is what Write could write where edits are accepted', async () => {
  const permissions = await wired({ permissions: { deny: ['Edit(/gen/**)'], allow: ['Edit(~/notes/**)'] } });
  const approval = permissions.writeApprovals();
  const { root } = permissions;
  expect(approval(join(root, 'src/a.ts'))).toBeUndefined();
  expect(approval(join(root, '../notes/a.md'))).toBeUndefined();
  for (const path of [
    '.husky/pre-commit',
    '.clawdcode.json',
    '.clawdcode.local.json',
    '.claude/settings.json',
  ])
    expect(approval(join(root, path)), path).toContain('always needs approval');
  for (const path of ['../.bashrc', '../.clawdcode/config.json', '../other/a.ts', '.env', 'gen/a.ts'])
    expect(approval(join(root, path)), path).toBeDefined();
});

test('rules of a skill end with the turn or when they no longer apply; the scripts that they run are protected until then', async () => {
  const permissions = await wired();
  const script = join(permissions.root, 'scripts/x.sh');
  let isSame = true;
  permissions.allowForTurn({
    source: 'skill x',
    rules: () => (isSame ? ['Bash(bash scripts/x.sh)'] : []),
    scripts: [script],
  });
  const run = { command: 'bash scripts/x.sh' };
  const edit = { write: 'scripts/x.sh' };
  expect(await behavior(permissions, run)).toBe('allow');
  expect(await behavior(permissions, edit, 'acceptEdits')).toBe('ask');
  isSame = false;
  expect(await behavior(permissions, run)).toBe('ask');
  isSame = true;
  permissions.endTurn();
  expect(await behavior(permissions, run)).toBe('ask');
  expect(await behavior(permissions, edit, 'acceptEdits')).toBe('allow');
});
