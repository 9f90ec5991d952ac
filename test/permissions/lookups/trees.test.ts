import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import { filesBelow } from '../../../src/permissions/lookups/filesBelow.ts';
import { createDeepFile } from '../../disk/deepFolder.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'trees');
for (const [name, text] of Object.entries({
  'options/-o': '',
  'options/a': '',
  'blanks/my file': '',
  'plain/a': '',
  '.gitignore': 'modules\n',
  'modules/key.pem': '',
  'inner/modules/key.pem': '',
  'inner/.git/HEAD': '',
  '.git/HEAD': '',
  a: '',
  b: '',
})) {
  mkdirSync(join(project, name, '..'), { recursive: true });
  writeFileSync(join(project, name), text);
}
symlinkSync('/etc/passwd', join(project, '{a,b}'));

test.each([
  ['ask', 'cd options && sort *'],
  ['ask', 'cd options && for f in *; do sort "$f"; done'],
  ['allow', 'sort options/*'],
  ['allow', 'cd plain && sort *'],
  ['ask', 'for f in blanks/*; do cat $f; done'],
  ['allow', 'for f in blanks/*; do cat "$f"; done'],
  ['ask', 'find blanks | xargs cat'],
  ['allow', 'find blanks -print0 | xargs -0 cat'],
  // dash does not expand braces and would read the file of that name.
  ['ask', 'cat {a,b}'],
  ['allow', 'cat {b,a}'],
  ['ask', 'x=1; echo "$x[1]"'],
  ['ask', 'rg foo'],
  ['ask', 'rg foo inner'],
  ['allow', 'rg foo plain'],
])('%s: %s', async (behavior, command) => {
  const policy = await policyFor([], 'default', { root: project });
  const access = { type: 'command', command, cwd: project } as const;
  expect(decide({ tool: 'Bash', access }, policy).behavior).toBe(behavior);
});

test('leaves out ignored files, but not in a repository inside the folder', () => {
  const found = filesBelow(project, { hidden: false, ignores: true })?.files ?? [];
  expect(found).not.toContain(join(project, 'modules/key.pem'));
  expect(found).toContain(join(project, 'inner/modules/key.pem'));
  expect(filesBelow(project, { hidden: true })?.files).toContain(join(project, 'modules/key.pem'));
});

test.each<[string, string, boolean]>([
  ['.ignore', '!.env.local', true],
  ['.rgignore', '!.env*', true],
  ['.ignore', '\ufeff!.env.local', true],
  ['.gitignore', '.env*\n!.env.local', true],
  ['.git/info/exclude', '!.env.local', true],
  ['../.ignore', '!.env.local', true],
  ['.gitignore', '!.env.example', false],
  ['.gitignore', '!src/**\n!.yarn/patches', false],
  ['.gitignore', '!hidden/**', true],
])('with %s containing %j, a search finds a hidden secret: %s', (name, text, isLooked) => {
  const parent = mkdtempSync(join(top, 'kept-'));
  const folder = join(parent, 'hidden');
  mkdirSync(join(folder, '.git/info'), { recursive: true });
  writeFileSync(join(folder, '.env.local'), 'x');
  writeFileSync(join(folder, name), `${text}\n`);
  const found = filesBelow(folder, { hidden: false, ignores: true })?.files ?? [];
  expect(found.includes(join(folder, '.env.local'))).toBe(isLooked);
});

test.each<[string, Readonly<Record<string, string | Buffer>>, boolean]>([
  ['its folder ignores it', { 'config/.gitignore': 'server.pem\n' }, false],
  ['a folder above ignores it', { '.gitignore': '*.pem\n' }, false],
  [
    'a folder above includes it again',
    { 'config/.gitignore': 'server.pem\n', '.ignore': '!server.pem\n' },
    true,
  ],
  [
    'a folder above the project includes it again',
    { 'config/.gitignore': 'server.pem\n', '../.ignore': '!server.pem\n' },
    true,
  ],
  ['the list begins with a byte order mark', { '.gitignore': '\ufeffserver.pem\n' }, true],
  ['the list is not UTF-8', { '.gitignore': Buffer.from('# caf\xe9\nserver.pem\n', 'latin1') }, true],
])('whether a search includes an ignored secret: %s', (_, lists, isSearched) => {
  const folder = join(mkdtempSync(join(top, 'ignored-')), 'project');
  for (const one of ['.git', 'config']) mkdirSync(join(folder, one), { recursive: true });
  const secret = join(folder, 'config/server.pem');
  writeFileSync(secret, 'x');
  for (const [name, content] of Object.entries(lists)) writeFileSync(join(folder, name), content);
  expect(filesBelow(folder, { hidden: false, ignores: true })?.files.includes(secret)).toBe(isSearched);
});

test.each<[string, string, boolean]>([
  ['.ignore', '../secrets/.netrc', false],
  ['.ignore', '/etc/passwd', false],
  ['src/.ignore', '../notes.txt', false],
  ['src/.rgignore', '../.env.local', false],
  ['.git/info/exclude', '../../notes.txt', false],
  ['.ignore', '.gitignore', true],
  ['.ignore', '../dotfiles/gitignore', true],
  ['.ignore', 'nowhere', true],
])('with %s as a link to %s, a search can be checked: %s', (name, target, isChecked) => {
  const parent = mkdtempSync(join(top, 'linked-'));
  const folder = join(parent, 'project');
  for (const one of ['project/src/deep', 'project/.git/info', 'secrets', 'dotfiles'])
    mkdirSync(join(parent, one), { recursive: true });
  for (const one of ['notes.txt', '.env.local', '.gitignore', '../secrets/.netrc', '../dotfiles/gitignore'])
    writeFileSync(join(folder, one), 'x');
  symlinkSync(target, join(folder, name));
  const found = filesBelow(join(folder, 'src/deep'), { hidden: false, ignores: true });
  expect(found !== undefined).toBe(isChecked);
});

test('a search needs approval if it reaches a path that is too long for us but not for grep', async () => {
  const folder = join(top, 'home', 'long');
  mkdirSync(folder);
  writeFileSync(join(folder, '.env'), 'x\n');
  const policy = async () => policyFor([], 'default', { root: folder });
  const access = { type: 'command', command: 'grep -r foo .', cwd: folder } as const;
  expect(decide({ tool: 'Bash', access }, await policy()).hiding).toEqual([join(folder, '.env')]);
  createDeepFile(folder, 'server.key', 'foo\n');
  expect(filesBelow(folder, { hidden: true })).toBeUndefined();
  const { behavior, hiding } = decide({ tool: 'Bash', access }, await policy());
  expect({ behavior, hiding }).toEqual({ behavior: 'ask', hiding: undefined });
});

test('a search needs approval if a secret has a second name, which would not be hidden', async () => {
  const folder = mkdtempSync(join(top, 'linked-'));
  for (const name of ['.env', 'server.key']) writeFileSync(join(folder, name), 'x\n');
  const policy = async () => policyFor([], 'default', { root: folder });
  const access = { type: 'command', command: 'grep -r foo .', cwd: folder } as const;
  expect(decide({ tool: 'Bash', access }, await policy()).hiding).toHaveLength(2);
  linkSync(join(folder, '.env'), join(folder, 'settings.txt'));
  const { behavior, hiding } = decide({ tool: 'Bash', access }, await policy());
  expect({ behavior, hiding }).toEqual({ behavior: 'ask', hiding: undefined });
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['in its usual place', { '.config/git/ignore': '*.log\n!.env\n' }],
  ['where XDG_CONFIG_HOME says', { 'xdg/git/ignore': '!.env*\n' }],
  ['where the git settings say', { '.gitconfig': '[core]\n\texcludesFile = ~/mine\n', mine: '!.env\n' }],
  ['where other git settings say', { 'xdg/git/config': '[core]\nexcludesfile="mine"\n', mine: '!*\n' }],
])("a search finds what the user's ignore file includes again: %s", (_, files) => {
  const home = mkdtempSync(join(top, 'user-'));
  const folder = join(home, 'project');
  for (const [name, text] of Object.entries({ ...files, 'project/.env': 'x', 'project/a.ts': 'x' })) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const xdg = Object.keys(files).some((name) => name.startsWith('xdg/'));
  const env = { HOME: home, ...(xdg && { XDG_CONFIG_HOME: join(home, 'xdg') }) };
  const found = (given: Readonly<Record<string, string>>) =>
    diskLookups(given).filesBelow(folder, { hidden: false })?.files;
  expect(found(env)).toContain(join(folder, '.env'));
  expect(found({ HOME: join(home, 'project') })).toEqual([join(folder, 'a.ts')]);
});

test('a search of a large folder needs approval for a secret named like a source file', {
  tags: 'long',
}, async () => {
  const folder = join(top, 'home', 'large');
  mkdirSync(join(folder, 'modules'), { recursive: true });
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
  for (let at = 0; at <= 50_000; at += 1) mkdirSync(join(folder, 'modules', String(at)));
  writeFileSync(join(folder, '.env.js'), 'x\n');
  const policy = await policyFor([], 'default', { root: folder });
  const decided = (command: string) =>
    decide({ tool: 'Bash', access: { type: 'command', command, cwd: folder } }, policy);
  for (const command of ["grep -r --include='*.js' foo .", 'rg -uu -t js foo'])
    expect(decided(command)).toMatchObject({ behavior: 'ask', hiding: [join(folder, '.env.js')] });
  expect(decided('grep -r foo .')).not.toHaveProperty('hiding');
});
