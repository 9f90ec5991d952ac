import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { home, outside, policyFor, root, top } from '../harness.ts';

type Behavior = 'allow' | 'ask' | 'deny';
type Row = readonly [behavior: Behavior, tool: string, path: string, ...rules: string[]];

const verb = (tool: string): 'read' | 'write' => (/^(?:Edit|Write)$/.test(tool) ? 'write' : 'read');

function table(mode: PermissionMode, rows: readonly Row[]): void {
  test.each(rows)('%s: %s %s', async (behavior, tool, path, ...rules) => {
    const access = { type: verb(tool), paths: [join(path.startsWith('/') ? '/' : root, path)] };
    expect(decide({ tool, access }, await policyFor(rules, mode)).behavior).toBe(behavior);
  });
}

describe('in default mode', () => {
  table('default', [
    ['allow', 'Read', 'a.txt'],
    ['allow', 'Read', 'src/new/file.ts'],
    ['allow', 'Grep', '.'],
    ['allow', 'Glob', 'src'],
    ['ask', 'Read', '.env'],
    ['ask', 'Read', 'innocent.txt'],
    ['ask', 'Read', '../x'],
    ['ask', 'Read', join(outside, 'secret.txt')],
    ['ask', 'Read', 'link/secret.txt'],
    ['ask', 'Grep', '/'],
    ['ask', 'Edit', 'a.txt'],
    ['ask', 'Write', 'new.txt'],
    ['ask', 'Write', 'dangling.md', 'allow Edit'],
    ['ask', 'Write', 'chain.md', 'allow Edit'],
    ['ask', 'Write', 'nowhere/deep/x.md', 'allow Edit'],
    ['ask', 'Write', 'hook.md', 'allow Edit'],
    ['allow', 'Edit', 'a.txt', 'allow Edit'],
    ['allow', 'Write', 'a.txt', 'allow Edit'],
    ['allow', 'Write', 'a.txt', 'allow Write'],
    ['ask', 'Edit', 'a.txt', 'allow Write'],
    ['ask', 'Edit', '../x', 'allow Edit'],
    ['ask', 'Read', '../x', 'allow Read'],
    ['allow', 'Edit', 'src/deep/x.ts', 'allow Edit(/src/**)'],
    ['allow', 'Edit', 'src/deep/x.ts', 'allow Edit(src/**)'],
    ['allow', 'Edit', 'src/deep/x.ts', 'allow Edit(./src/)'],
    ['allow', 'Edit', 'src/deep/x.ts', 'allow Edit(*.ts)'],
    ['allow', 'Edit', 'src/deep/x.ts', 'allow Edit(x.ts)'],
    ['ask', 'Edit', 'src/deep/x.ts', 'allow Edit(/x.ts)'],
    ['ask', 'Edit', 'docs/x.ts', 'allow Edit(/src/**)'],
    ['ask', 'Edit', 'srcs/x.ts', 'allow Edit(/src)'],
    ['ask', 'Edit', 'src/../link/x', 'allow Edit(/**)'],
    ['ask', 'Edit', 'link/x', 'allow Edit(/link/**)'],
    ['allow', 'Edit', join(outside, 'x'), `allow Edit(/${outside}/**)`],
    ['allow', 'Read', join(outside, 'inner/x'), `allow Read(/${outside}/**)`],
    ['allow', 'Read', 'link/secret.txt', `allow Read(/${outside}/**)`],
    ['allow', 'Read', join(home, 'notes/x'), 'allow Read(~/notes/**)'],
    ['ask', 'Read', join(home, 'other/x'), 'allow Read(~/notes/**)'],
    ['allow', 'Edit', join(home, 'notes/x'), 'allow Edit(~/**)'],
    ['ask', 'Edit', join(home, '.unheardof/x'), 'allow Edit(~/**)'],
    ['allow', 'Edit', join(home, '.unheardof/x'), 'allow Edit(~/.unheardof/**)'],
    ['ask', 'Edit', join(home, '.config/systemd/user/x.service'), 'allow Edit(~/.config/**)'],
    ['allow', 'Edit', join(home, '.config/other/x'), 'allow Edit(~/.config/**)'],
    ['deny', 'Read', 'b.txt', 'deny Read(b.txt)', 'allow Read'],
    ['deny', 'Read', 'src/b.txt', 'deny Read(b.txt)'],
    ['allow', 'Read', 'src/b.txt', 'deny Read(/b.txt)'],
    ['deny', 'Read', 'B.TXT', 'deny Read(b.txt)'],
    ['deny', 'Grep', 'src/deep', 'deny Read(src/**)'],
    ['deny', 'Glob', 'src', 'deny Read(./src)'],
    ['deny', 'Edit', 'b.txt', 'deny Read(b.txt)', 'allow Edit'],
    ['deny', 'Write', 'b.txt', 'deny Edit(b.txt)', 'allow Write'],
    ['deny', 'Edit', 'b.txt', 'deny Write(b.txt)'],
    ['allow', 'Read', 'b.txt', 'deny Edit(b.txt)'],
    ['deny', 'Read', 'link/secret.txt', `deny Read(/${outside}/**)`],
    ['deny', 'Read', join(outside, 'secret.txt'), 'deny Read(/link/**)'],
    ['deny', 'Read', '.env', 'deny Read(innocent.txt)'],
    ['deny', 'Read', 'innocent.txt', 'deny Read(.env)'],
    ['deny', 'Read', 'a.txt', 'deny Read'],
    ['deny', 'Grep', 'a.txt', 'deny Grep'],
    ['allow', 'Read', 'a.txt', 'deny Grep'],
    ['ask', 'Read', 'a.txt', 'ask Read(a.txt)', 'allow Read(a.txt)'],
    ['deny', 'Read', 'a.txt', 'ask Read(a.txt)', 'deny Read(a.*)', 'allow Read'],
    ['ask', 'Read', '.env', 'allow Read'],
    ['ask', 'Read', '.env', 'allow Read(**)'],
    ['ask', 'Read', '.env', 'allow Read(/*)'],
    ['allow', 'Read', '.env', 'allow Read(.env)'],
    ['allow', 'Read', '.env', 'allow Read(./.env*)'],
    ['allow', 'Read', 'server.key', 'allow Read(*.key)'],
    ['ask', 'Edit', '.git/config', 'allow Edit'],
    ['ask', 'Edit', '.git/config', 'allow Edit(/**)'],
    ['ask', 'Edit', '.git/config', 'allow Edit(config)'],
    ['allow', 'Edit', '.git/config', 'allow Edit(/.git/config)'],
    ['allow', 'Edit', '.git/config', `allow Edit(/${root}/.git/config)`],
    ['allow', 'Edit', '.vscode/tasks.json', 'allow Edit(.vscode/**)'],
    ['ask', 'Edit', '.vscode/.env', 'allow Edit(.vscode/**)'],
    ['ask', 'Edit', '.vscode/tasks.json', 'allow Edit(tasks.json)'],
    ['allow', 'Edit', 'AGENTS.md', 'allow Edit(AGENTS.md)'],
    ['allow', 'Edit', 'docs/AGENTS.md', 'allow Edit(/docs/AGENTS.md)'],
    ['ask', 'Edit', 'AGENTS.md', 'allow Edit(*.md)'],
    ['ask', 'Edit', 'sub/.vscode/tasks.json', 'allow Edit(/sub)'],
    ['ask', 'Read', 'config/.env', 'allow Read(/config)'],
    ['deny', 'Read', 'SE\u200cCRETS/x', 'deny Read(/secrets/**)'],
    ['deny', 'Read', 'caf\u00e9/x', 'deny Read(/cafe\u0301/**)'],
    ['deny', 'Read', '/etc/a/b', 'deny Read(//etc/**)'],
    ['deny', 'Write', '/etc/a/b', 'deny Write(//etc/*)'],
    ['allow', 'Read', 'a.txt', 'deny Read(!a.txt)'],
    ['allow', 'Read', 'a.txt', 'deny Nonsense(a.txt)'],
  ]);
});

describe('in acceptEdits', () => {
  table('acceptEdits', [
    ['allow', 'Edit', 'a.txt'],
    ['allow', 'Write', 'new/x.ts'],
    ['ask', 'Write', '../x'],
    ['ask', 'Write', 'link/x'],
    ['ask', 'Write', 'dangling.md'],
    ['ask', 'Write', 'chain.md'],
    ['ask', 'Write', 'nowhere/deep/x.md'],
    ['ask', 'Write', 'hook.md'],
    ['ask', 'Write', '.env'],
    ['ask', 'Write', '.git/hooks/pre-commit'],
    ['ask', 'Write', '.clawdcode.json'],
    ['ask', 'Write', '.clawdcode.local.json'],
    ['ask', 'Write', '.clawdcode/commands/x.md'],
    ['ask', 'Write', '.vscode/tasks.json'],
    ['ask', 'Write', '.GIT/hooks/pre-commit'],
    ['ask', 'Write', '.github/workflows/ci.yml'],
    ['allow', 'Write', '.github/ISSUE_TEMPLATE.md'],
    ['ask', 'Write', 'packages/a/AGENTS.md'],
    ['ask', 'Write', 'node_modules/.bin/tsc'],
    ['allow', 'Write', 'package.json'],
    ['ask', 'Write', join(home, '.bashrc')],
    ['ask', 'Edit', 'a.txt', 'ask Edit(a.txt)'],
    ['deny', 'Edit', 'a.txt', 'deny Edit'],
  ]);
});

describe('in plan mode', () => {
  table('plan', [
    ['allow', 'Read', 'a.txt'],
    ['ask', 'Read', '.env'],
    ['deny', 'Edit', 'a.txt'],
    ['deny', 'Write', 'a.txt', 'allow Edit', 'allow Write'],
  ]);
});

describe('in bypassPermissions', () => {
  table('bypassPermissions', [
    ['allow', 'Read', '.env'],
    ['allow', 'Write', '/etc/passwd'],
    ['allow', 'Edit', 'a.txt', 'ask Edit'],
    ['deny', 'Edit', 'a.txt', 'deny Edit'],
    ['deny', 'Edit', 'a.txt', 'deny Read(a.txt)'],
  ]);
});

test('additional directories belong to the workspace', async () => {
  const access = { type: 'read', paths: [join(outside, 'secret.txt')] } as const;
  const added = await policyFor([], 'default', { additionalDirectories: [outside] });
  expect(decide({ tool: 'Read', access }, added).behavior).toBe('allow');
});

test("files in a worktree inside an agent's folder are ordinary files", async () => {
  const tree = join(root, '.claude/worktrees/x');
  const policy = await policyFor([], 'acceptEdits', { root: tree });
  const write = (name: string) =>
    decide({ tool: 'Write', access: { type: 'write', paths: [join(tree, name)] } }, policy).behavior;
  expect([write('src/a.ts'), write('.claude/settings.json'), write('.git')]).toEqual(['allow', 'ask', 'ask']);
});

test('the target that a path had when the call was prepared decides', async () => {
  const policy = await policyFor(['deny Read(b.txt)'], 'acceptEdits');
  const at = (path: string, real: string, type: 'read' | 'write') =>
    decide({ tool: 'Edit', access: { type, paths: [join(root, path)], realPaths: [real] } }, policy).behavior;
  expect(at('a.txt', join(root, 'a.txt'), 'write')).toBe('allow');
  expect(at('a.txt', join(outside, 'a.txt'), 'write')).toBe('ask');
  expect(at('a.txt', join(root, '.git/hooks/x'), 'write')).toBe('ask');
  expect(at('a.txt', join(root, '.env'), 'read')).toBe('ask');
  expect(at('a.txt', join(root, 'b.txt'), 'read')).toBe('deny');
  // A link that led into the workspace then and leads out of it now.
  expect(at('link/x', join(root, 'x'), 'write')).toBe('allow');
});

test('if the workspace is the home folder, folders on the PATH and autostart files stay protected', async () => {
  const policy = await policyFor(['allow Edit(/**)'], 'acceptEdits', { root: home });
  const write = (name: string) =>
    decide({ tool: 'Write', access: { type: 'write', paths: [join(home, name)] } }, policy).behavior;
  expect(write('notes/a.md')).toBe('allow');
  for (const name of ['.local/bin/git', 'bin/ls', '.config/systemd/user/x.service', '.ssh/rc'])
    expect(write(name), name).toBe('ask');
});

test('the target of a protected link is protected too', async () => {
  const linked = join(top, 'linked');
  mkdirSync(join(linked, 'tools/editor'), { recursive: true });
  mkdirSync(join(linked, '.github'));
  symlinkSync('docs/guide.md', join(linked, 'AGENTS.md'));
  symlinkSync('tools/editor', join(linked, '.vscode'));
  symlinkSync('../ci', join(linked, '.github/workflows'));
  symlinkSync('tools', join(linked, 'utilities'));
  const behavior = async (name: string, ...rules: string[]) => {
    const policy = { ...(await policyFor(rules, 'acceptEdits')), root: linked };
    return decide({ tool: 'Write', access: { type: 'write', paths: [join(linked, name)] } }, policy).behavior;
  };
  for (const name of ['docs/guide.md', 'tools/editor/tasks.json', 'ci/x.yml', 'AGENTS.md'])
    expect(await behavior(name), name).toBe('ask');
  for (const name of ['docs/other.md', 'tools/x.ts', 'utilities/x.ts'])
    expect(await behavior(name), name).toBe('allow');
  expect(await behavior('docs/guide.md', `allow Edit(/${linked}/docs/guide.md)`)).toBe('allow');
  expect(await behavior('docs/guide.md', `allow Edit(/${linked}/docs/**)`)).toBe('ask');
});

test('targets of links in the home folder are protected or secret by their names there', async () => {
  const base = join(top, 'linked-home');
  const real = join(base, 'real-home');
  const dots = join(base, 'dots');
  const agents = join(base, 'agents');
  for (const folder of ['real-home/.config', 'dots/nvim', 'dots/keys', 'dots/plain', 'agents/worktrees/x'])
    mkdirSync(join(base, folder), { recursive: true });
  symlinkSync(real, join(base, 'home'));
  symlinkSync(join(dots, 'nvim'), join(real, '.config/nvim'));
  symlinkSync(join(dots, 'shellrc'), join(real, '.zshrc'));
  symlinkSync(join(dots, 'keys'), join(real, '.ssh'));
  symlinkSync(join(dots, 'plain'), join(real, 'work'));
  symlinkSync(agents, join(real, '.claude'));
  symlinkSync(base, join(real, 'everything'));
  writeFileSync(join(dots, 'shellrc'), '');
  const behavior = async (verb: 'read' | 'write', path: string, where = dots) => {
    const policy = { ...(await policyFor([], 'acceptEdits')), root: where, home: join(base, 'home') };
    const tool = verb === 'read' ? 'Read' : 'Write';
    return decide({ tool, access: { type: verb, paths: [path] } }, policy).behavior;
  };
  for (const path of ['nvim/init.lua', 'shellrc', 'keys/config'])
    expect(await behavior('write', join(dots, path)), path).toBe('ask');
  expect(await behavior('read', join(dots, 'keys/main'))).toBe('ask');
  for (const path of ['nvim/init.lua', 'shellrc', 'plain/x', 'other'])
    expect(await behavior('read', join(dots, path)), path).toBe('allow');
  for (const path of ['plain/x.ts', 'other.ts'])
    expect(await behavior('write', join(dots, path)), path).toBe('allow');
  // The path to the workspace is the user's own choice.
  expect(await behavior('write', join(agents, 'worktrees/x/a.ts'), join(agents, 'worktrees/x'))).toBe(
    'allow',
  );
  // By either path of the home.
  for (const at of ['home', 'real-home'])
    expect(await behavior('write', join(base, at, '.local/bin/git'), join(base, at)), at).toBe('ask');
});

test('the reason names the real file and the program that obeys it', async () => {
  const access = { type: 'write', paths: [join(root, 'hook.md')] } as const;
  expect(decide({ tool: 'Write', access }, await policyFor([], 'acceptEdits')).reason).toBe(
    `${join(root, '.git/hooks/pre-commit')} controls git, so writing it always needs approval.`,
  );
  const read = { type: 'read', paths: [join(root, 'innocent.txt')] } as const;
  expect(decide({ tool: 'Read', access: read }, await policyFor()).reason).toBe(
    `${join(root, '.env')} may hold secrets, so it is never read without approval.`,
  );
});

test('the strictest decision about several paths applies, and names the rule with its source', async () => {
  const policy = await policyFor(['deny Read(b.txt)']);
  const paths = ['a.txt', '.env', 'b.txt'].map((name) => join(root, name));
  expect(decide({ tool: 'Read', access: { type: 'read', paths } }, policy)).toMatchObject({
    behavior: 'deny',
    rule: { text: 'Read(b.txt)', source: 'test' },
  });
});

describe('tools without files', () => {
  test.each<[Behavior, string, PermissionMode, 'none' | 'plan' | 'unknown', ...string[]]>([
    ['allow', 'TodoWrite', 'default', 'none'],
    ['allow', 'TodoWrite', 'plan', 'none'],
    ['deny', 'TodoWrite', 'default', 'none', 'deny TodoWrite'],
    ['deny', 'TodoWrite', 'bypassPermissions', 'none', 'deny TodoWrite', 'allow TodoWrite'],
    ['ask', 'TodoWrite', 'default', 'none', 'ask TodoWrite'],
    ['ask', 'ExitPlanMode', 'plan', 'plan'],
    ['ask', 'ExitPlanMode', 'plan', 'plan', 'allow ExitPlanMode'],
    ['allow', 'ExitPlanMode', 'bypassPermissions', 'plan'],
    ['ask', 'mcp__srv__tool', 'default', 'unknown'],
    ['ask', 'Deploy', 'acceptEdits', 'unknown'],
    ['allow', 'Deploy', 'bypassPermissions', 'unknown'],
    ['allow', 'mcp__srv__tool', 'default', 'unknown', 'allow mcp__srv'],
    ['allow', 'mcp__my-srv__do-it', 'default', 'unknown', 'allow mcp__my-srv__*'],
    ['deny', 'mcp__srv__tool', 'default', 'unknown', 'allow mcp__srv', 'deny mcp__srv__tool'],
  ])('%s: %s in %s', async (behavior, tool, mode, type, ...rules) => {
    expect(decide({ tool, access: { type } }, await policyFor(rules, mode)).behavior).toBe(behavior);
  });
});

test("a file that the repository's or the user's git settings include is protected", async () => {
  const project = join(top, 'including');
  for (const folder of ['.git/objects', '.git/refs', 'conf', 'home'])
    mkdirSync(join(project, folder), { recursive: true });
  writeFileSync(join(project, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(project, '.git/config'), '[include]\n\tpath = ../conf/shared\n');
  writeFileSync(join(project, 'home/.gitconfig'), '[include]\n\tpath = ../conf/own\n');
  const policy = { ...(await policyFor([], 'acceptEdits')), root: project, home: join(project, 'home') };
  const verdict = (name: string) =>
    decide({ tool: 'Edit', access: { type: 'write', paths: [join(project, 'conf', name)] } }, policy);
  expect(verdict('other').behavior).toBe('allow');
  for (const name of ['shared', 'own'])
    expect(verdict(name)).toMatchObject({ behavior: 'ask', reason: expect.stringContaining('git') });
});

test('creating a file named HEAD needs approval, because it makes a folder a repository', async () => {
  const policy = await policyFor(['allow Bash(git reset:*)'], 'acceptEdits');
  const edit = (path: string) =>
    decide({ tool: 'Write', access: { type: 'write', paths: [join(root, path)] } }, policy);
  for (const path of ['sub/HEAD', 'new/head', 'sub/HEAD.']) expect(edit(path).behavior, path).toBe('ask');
  expect(edit('sub/HEAD').reason).toContain('treats a folder that contains it as a repository');
  for (const path of ['sub/config', 'sub/HEAD/a.ts', 'sub/head.ts', 'HEAD'])
    expect(edit(path).behavior, path).toBe('allow');
  const run = (command: string) =>
    decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
  for (const command of ['cp a.txt sub/HEAD', 'mkdir -p x/objects x/refs && cp a.txt x/HEAD', 'cp -r bare x'])
    expect(run(command), command).toBe('ask');
  for (const command of ['git reset --soft HEAD', 'cd src && git reset HEAD app.ts', 'mkdir src/head'])
    expect(run(command), command).toBe(command.startsWith('cd') ? run('cd src && git reset x') : 'allow');
});
