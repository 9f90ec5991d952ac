import { execFileSync } from 'node:child_process';
import {
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { saveCredentials } from '../../src/config/credentials.ts';
import { addLocalRule } from '../../src/config/localRules.ts';
import { readTrust, rememberRules, trustFolder } from '../../src/config/trust.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'clawdcode-saved-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
const now = (): Date => new Date('2026-11-21T09:00:00Z');

describe('trust', () => {
  const grants = [
    { kind: 'permissions.allow', text: 'Bash(npm test)', source: '.clawdcode.json' },
    { kind: 'env', text: 'A=b', source: '.clawdcode.local.json' },
  ];
  const isTrusted = async (dataRoot: string, folder: string): Promise<boolean> =>
    (await readTrust(dataRoot, folder)).isTrusted;

  test('only that folder is trusted, with its settings at that moment', async () => {
    const dataRoot = join(directory, 'data');
    expect(await isTrusted(dataRoot, '/repo')).toBe(false);
    await trustFolder(dataRoot, '/repo', grants, now);
    await trustFolder(dataRoot, '/other', [], now);
    const trusted = await Promise.all(
      ['/repo', '/other', '/repo/sub', '/', 'constructor', '__proto__'].map((path) =>
        readTrust(dataRoot, path),
      ),
    );
    expect(trusted.map((one) => one.isTrusted)).toEqual([true, true, false, false, false, false]);
    expect(trusted.map((one) => one.granted)).toEqual([grants, [], ...Array(4).fill(undefined)]);
    expect([await modeOf(join(dataRoot, 'trust.json')), await modeOf(dataRoot)]).toEqual(['600', '700']);
    expect(await readdir(dataRoot)).toEqual(['locks', 'trust.json']);
  });

  test('a new approval replaces the earlier one', async () => {
    await trustFolder(directory, '/repo', grants, now);
    await trustFolder(directory, '/repo', grants.slice(1), now);
    expect((await readTrust(directory, '/repo')).granted).toEqual(grants.slice(1));
  });

  test('from an earlier version does not record what it covers', async () => {
    await writeFile(join(directory, 'trust.json'), '{"folders":{"/repo":"2026-01-01T00:00:00.000Z"}}');
    expect(await readTrust(directory, '/repo')).toMatchObject({
      isTrusted: true,
      granted: undefined,
      savedRules: [],
    });
  });

  test.each([
    '',
    '{',
    '[]',
    '{"folders":{"/repo":1}}',
    '{"folders":{"/repo":"x"},"grants":{"/repo":["all"]}}',
  ])('a damaged file (%j) trusts no folder', async (text) => {
    await writeFile(join(directory, 'trust.json'), text);
    expect(await isTrusted(directory, '/repo')).toBe(false);
    await trustFolder(directory, '/repo', grants, now);
    expect(await isTrusted(directory, '/repo')).toBe(true);
  });

  test('saved rules are remembered by folder, and do not trust the folder', async () => {
    const savedRules = async (folder: string) => (await readTrust(directory, folder)).savedRules;
    expect(await savedRules('/repo')).toEqual([]);
    await trustFolder(directory, '/other', grants, now);
    await rememberRules(directory, '/repo', ['Bash(npm test:*)']);
    await rememberRules(directory, '/repo', ['Bash(ls:*)', 'Bash(npm test:*)']);
    expect(await savedRules('/repo')).toEqual(['Bash(npm test:*)', 'Bash(ls:*)']);
    for (const folder of ['/other', 'constructor', '__proto__']) expect(await savedRules(folder)).toEqual([]);
    expect([await isTrusted(directory, '/repo'), await isTrusted(directory, '/other')]).toEqual([
      false,
      true,
    ]);
    expect((await readTrust(directory, '/other')).granted).toEqual(grants);
  });
});

test('a rule is not saved through a link, whose target may apply more widely', async () => {
  const target = join(directory, 'elsewhere.json');
  await writeFile(target, '{}');
  await symlink(target, join(directory, '.clawdcode.local.json'));
  const saved = await addLocalRule(
    join(directory, '.clawdcode.local.json'),
    'allow',
    'Bash(ls:*)',
    process.env,
  );
  expect(saved).toMatchObject({ type: 'refused', message: expect.stringContaining('is a link') });
  expect(await readFile(target, 'utf8')).toBe('{}');
});

describe('credentials', () => {
  const file = (): string => join(directory, 'config.json');

  test('are stored in a file that only its owner can read', async () => {
    const saved = await saveCredentials(directory, {
      apiKey: 'sk-1',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'm',
    });
    expect(saved).toEqual({ type: 'saved', file: file() });
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
      apiKey: 'sk-1',
      baseUrl: 'http://127.0.0.1:1/v1',
      model: 'm',
    });
    expect(await modeOf(file())).toBe('600');
  });

  test('keep comments and other settings, and make a readable file private', async () => {
    const before = '{\n    // the big one\n    "model": "a",\n    "theme": "dark", // at night\n}\n';
    await writeFile(file(), before, { mode: 0o644 });
    await saveCredentials(directory, { apiKey: 'sk-1', model: 'b' });
    const after = await readFile(file(), 'utf8');
    expect(after).toContain('// the big one\n    "model": "b",');
    expect(after).toContain('// at night');
    expect(after).toContain('\n    "apiKey": "sk-1"');
    expect(await modeOf(file())).toBe('600');
  });

  test('are not saved to a broken file, and the message says where the problem is', async () => {
    await writeFile(file(), '{ "model": ');
    const saved = await saveCredentials(directory, { apiKey: 'sk-1' });
    expect(saved).toMatchObject({
      type: 'refused',
      message: expect.stringMatching(/Nothing was saved.*:1:/),
    });
    expect(await readFile(file(), 'utf8')).toBe('{ "model": ');
  });

  test('are saved to the target of a link, which remains a link', async () => {
    await writeFile(join(directory, 'dotfile.json'), '{}');
    await symlink(join(directory, 'dotfile.json'), file());
    await saveCredentials(directory, { model: 'm' });
    expect((await lstat(file())).isSymbolicLink()).toBe(true);
    expect(JSON.parse(await readFile(join(directory, 'dotfile.json'), 'utf8'))).toEqual({ model: 'm' });
  });

  test('report if they cannot be written', async () => {
    await writeFile(join(directory, 'blocked'), '');
    const saved = await saveCredentials(join(directory, 'blocked'), { model: 'm' });
    expect(saved).toMatchObject({ type: 'refused', message: expect.stringContaining('Nothing was saved') });
  });
});

describe('local rules', () => {
  const file = (): string => join(directory, '.clawdcode.local.json');
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: directory, encoding: 'utf8' });

  test('are added once each, in order, to a new file', async () => {
    for (const rule of ['Bash(npm test)', 'Bash(ls:*)', 'Bash(npm test)'])
      await addLocalRule(file(), 'allow', rule, process.env);
    await addLocalRule(file(), 'deny', 'Read(./.env)', process.env);
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
      permissions: { allow: ['Bash(npm test)', 'Bash(ls:*)'], deny: ['Read(./.env)'] },
    });
    expect(await modeOf(file())).toBe('600');
  });

  test('keep comments and the style of the file', async () => {
    const before = '{\r\n\t// mine\r\n\t"permissions": {\r\n\t\t"allow": ["A"] // first\r\n\t}\r\n}\r\n';
    await writeFile(file(), before);
    await addLocalRule(file(), 'allow', 'B', process.env);
    const after = await readFile(file(), 'utf8');
    expect(after).toContain('\t// mine\r\n');
    expect(after).toMatch(/"A",\s*"B"/);
    expect(after).toContain('// first');
  });

  test('keep the file out of commits, anywhere in the repository, with a single notice', async () => {
    git('init', '--quiet');
    await mkdir(join(directory, 'packages/a'), { recursive: true });
    const nested = join(directory, 'packages/a/.clawdcode.local.json');
    await addLocalRule(nested, 'allow', 'A', process.env);
    await addLocalRule(nested, 'allow', 'B', process.env);
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('');
    const exclude = await readFile(join(directory, '.git/info/exclude'), 'utf8');
    expect(exclude.match(/\.clawdcode\.local\.json/g)).toHaveLength(1);
  });

  test.each<[string, (info: string, target: string) => Promise<unknown>]>([
    [
      'a link',
      async (info, target) => {
        await rm(join(info, 'exclude'), { force: true });
        await symlink(target, join(info, 'exclude'));
      },
    ],
    [
      'a hard link',
      async (info, target) => {
        await rm(join(info, 'exclude'), { force: true });
        await link(target, join(info, 'exclude'));
      },
    ],
    [
      'in a folder that is a link',
      async (info, target) => {
        await rm(info, { recursive: true });
        await symlink(dirname(target), info);
      },
    ],
  ])('add nothing to a git exclude file that is %s', async (_, plant) => {
    git('init', '--quiet');
    const elsewhere = join(directory, 'elsewhere');
    await mkdir(elsewhere);
    const target = join(elsewhere, 'exclude');
    await writeFile(target, 'mine\n');
    await plant(join(directory, '.git/info'), target);
    expect(await addLocalRule(file(), 'allow', 'A', process.env)).toMatchObject({ type: 'saved' });
    expect(await readFile(target, 'utf8')).toBe('mine\n');
  });

  test('keep the file out of commits in a linked worktree and in a submodule', async () => {
    git('init', '--quiet');
    git('-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '--quiet', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '--quiet', 'linked');
    git('clone', '--quiet', '.', 'other');
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', './other', 'sub');
    for (const place of ['linked', 'sub']) {
      await addLocalRule(join(directory, place, '.clawdcode.local.json'), 'allow', 'A', process.env);
      expect(git('-C', place, 'status', '--porcelain', '--untracked-files=all'), place).toBe('');
    }
  });

  test.each<[string, (root: string, other: string) => Promise<unknown>]>([
    ['a .git file', (root, other) => writeFile(join(root, '.git'), `gitdir: ${other}\n`)],
    [
      'commondir',
      async (root, other) => {
        await mkdir(join(root, '.git'));
        await writeFile(join(root, '.git/HEAD'), 'ref: refs/heads/main\n');
        await writeFile(join(root, '.git/commondir'), `${other}\n`);
        await writeFile(join(root, '.git/gitdir'), `${join(root, '.git')}\n`);
      },
    ],
  ])('add nothing to another project’s repository, named by %s', async (_, plant) => {
    git('init', '--quiet', 'mine');
    const [root, other] = [join(directory, 'archive'), join(directory, 'mine/.git')];
    await mkdir(root);
    await plant(root, other);
    const before = await readFile(join(other, 'info/exclude'), 'utf8').catch(() => '');
    await addLocalRule(join(root, '.clawdcode.local.json'), 'allow', 'A', process.env);
    expect(await readFile(join(other, 'info/exclude'), 'utf8').catch(() => '')).toBe(before);
  });

  test('do not change a repository that already ignores the file', async () => {
    git('init', '--quiet');
    await writeFile(join(directory, '.gitignore'), '*.local.json\n');
    const before = await readFile(join(directory, '.git/info/exclude'), 'utf8').catch(() => '');
    await addLocalRule(file(), 'allow', 'A', process.env);
    expect(await readFile(join(directory, '.git/info/exclude'), 'utf8').catch(() => '')).toBe(before);
  });

  test('are not saved if the setting has the wrong type', async () => {
    await writeFile(file(), '{ "permissions": "all" }');
    expect(await addLocalRule(file(), 'allow', 'A', process.env)).toMatchObject({ type: 'refused' });
    expect(await readFile(file(), 'utf8')).toBe('{ "permissions": "all" }');
  });
});
