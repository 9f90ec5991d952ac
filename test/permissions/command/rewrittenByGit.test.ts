/**
 * Git itself prints parts of lines and other forms of what it shows, in which secrets are not recognized; and versions of
 * files that are on disk no longer.
 *
 * @module-tag long
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, top } from '../harness.ts';
import { gitIn } from '../lookups/gitRun.ts';

const secrets = join(top, 'home', 'secrets');
const clean = join(top, 'home', 'clean');
const token = (end: string): string => `ghp_${'a1B2c3D4e5F6'.repeat(2)}a1B2c3D4e5${end}`;

const write = (place: string, name: string, text: string): void => {
  mkdirSync(join(place, name, '..'), { recursive: true });
  writeFileSync(join(place, name), text);
};

const ids: Record<string, string> = {};

beforeAll(() => {
  for (const place of [secrets, clean]) {
    const git = gitIn(place);
    const isSecret = place === secrets;
    mkdirSync(place, { recursive: true });
    git('init', '-q', '-b', 'main');
    const pass = isSecret ? 'Maple-Tractor-19!' : '${REDIS_PASSWORD}';
    const key = (end: string): string => (isSecret ? token(end) : end);
    write(place, 'a.js', `const token = '${key('F6')}';\n`);
    write(place, 'plain.js', 'const one = 1;\n');
    write(place, 'config/redis.yml', `host: x\npassword: ${pass}\n`);
    write(place, 'config/t.toml', `token = "${key('F6')}"\n`);
    write(place, 'config/plain.yml', 'host: y\n');
    write(place, 'infra/prod.tfvars', `db_password = ${isSecret ? '"Quiet-Harbor-42"' : 'var.x'}\n`);
    git('add', '.');
    git('commit', '-qm', 'one');
    write(place, 'a.js', `const token = '${key('G7')}';\n`);
    write(place, 'plain.js', 'const one = 2;\n');
    git('mv', 'infra/prod.tfvars', 'infra/prod.txt');
    git('commit', '-qam', isSecret ? `use ${token('F6')} now` : 'two');
    write(place, 'config/redis.yml', 'host: x\npassword: ${REDIS_PASSWORD}\n');
    write(place, 'infra/prod.txt', 'moved\n');
    write(place, 'config/plain.yml', 'host: z\n');
    git('commit', '-qam', 'three');
  }
  ids.BLOB = gitIn(secrets)('rev-parse', 'HEAD~1:config/redis.yml');
});

const behavior = async (command: string, root: string): Promise<string> => {
  const policy = await policyFor([], 'default', { root });
  const named = command.replace('BLOB', ids.BLOB ?? '');
  return decide({ tool: 'Bash', access: { type: 'command', command: named, cwd: root } }, policy).behavior;
};

describe('what git cuts or encodes', () => {
  test.each([
    "git grep -oh '[a-z0-9A-Z]\\{9\\}' -- a.js",
    "git grep -o 'ghp_.....'",
    "git grep -n -o 'ghp_.....' -- config",
    "git grep --cached -oh '\\w' -- ':config'",
    "git grep -oh '\\w' -- ':config' ':!config/b*'",
    "git grep -oh '\\w' HEAD~1 -- a.js",
    "git grep -oh '\\w' HEAD~1",
    'git diff --word-diff-regex=. HEAD~2 HEAD',
    'git diff --word-diff-regex=. HEAD~2 -- a.js',
    'git diff --word-diff HEAD~2 HEAD',
    'git diff --color-words=. HEAD~2 HEAD~1',
    'git show --word-diff=porcelain --word-diff-regex=. HEAD~1 -- a.js',
    'git show --word-diff=color HEAD~1',
    'git log -p --color-words -2',
    'git log -p --word-diff -R',
    'git diff --binary HEAD~2 HEAD',
    "git log --format='%<(9,trunc)%s' -1",
    "git log --pretty='%h %<|(12,ltrunc)%s'",
    "git log --format='%>>(9,mtrunc)%b'",
    'git log --format=%f',
    'git log --format=email',
    'git log --pretty=mboxrd',
    "git log --format='%(trailers:key=Token,valueonly)'",
    "git for-each-ref --format='%(subject:sanitize)'",
    "git branch -a --format='%(subject:sanitize)'",
    "git shortlog --group='format:%<(9,trunc)%s' HEAD",
    'git show HEAD~2:a.js | rev',
    "git log --format='x%s'",
    "git log --format='%h%s'",
    "git log --format='%an%Cred%sx'",
    "git log --format='%s%b'",
    "git log --format='%x61%s'",
    "git log --format='%%n%s'",
    "git log --format='a%%Cred%s'",
    "git log --format='%x%Cred20%s'",
    'git log --pretty=mine',
    "git log --format='%(trailers:key_value_separator=_)'",
    "git log --format='%(trailers:separator=x)'",
    "git for-each-ref --format='%(refname)%(subject)'",
    "git for-each-ref --format='%61%(contents)'",
    'git shortlog --group=trailer:token HEAD',
    'git grep -hnp F6',
    'git grep -W F6',
    'git grep --show-function F6',
    'git cat-file -p HEAD~1 | cut -c7-',
    'git cat-file commit HEAD~1 | rev',
    'git log --oneline | cut -c1-20',
    'git log -p -2 | cut -c1-20',
    'git diff HEAD~2 HEAD~1 | base64',
  ])('%s', async (command) => {
    expect(await behavior(command, secrets)).toBe('ask');
    const isUnknown = command.endsWith('-R');
    expect(await behavior(command, clean)).toBe(isUnknown ? 'ask' : 'allow');
  });

  test.each([
    'git grep -n token',
    'git grep -c token -- config/plain.yml',
    'git grep -oh host -- config/plain.yml plain.js',
    'git diff --word-diff HEAD~2 HEAD~1 -- plain.js',
    'git diff --color-words HEAD~1 HEAD -- config/plain.yml',
    'git diff HEAD~2 HEAD~1 -- a.js',
    'git diff --color-moved --ws-error-highlight=all HEAD~2 HEAD~1 -- a.js',
    "git log --format='%h %s' --graph",
    'git log --oneline',
    'git log -p -2 -- a.js',
    "git log --format='%<(30)%an %s'",
    "git log --format='%h %an' | cut -c1-7",
    "git log --format='%H' -1 | cut -c1-7",
    "git log --format='%w(60,2,2)%s'",
    "git for-each-ref --format='%(align:20)%(refname:short)%(end) %(subject)'",
    'git shortlog -w60 HEAD',
    'git status --porcelain | cut -c4-',
    'git diff --stat | tail -1 | cut -d, -f2',
    'git diff --name-only HEAD~1 | tr a-z A-Z',
    "git log --format='%C(auto)%h%d %s (%an, %ar)'",
    'git log --pretty=format:"%Cred%h%Creset - %<(20)%an : %s%n%+b"',
    "git log --format='%h|%ad|%s' --date=short",
    "git log --format='%h%x09%s%x00'",
    'git log --format=%B -1',
    'git log --format=fuller -1',
    "git log --format='%(trailers:key=Token)'",
    "git for-each-ref --format='%(if)%(HEAD)%(then)* %(else)  %(end)%(refname:short)%09%(contents:subject)'",
    "git for-each-ref --format='%(refname:short)' | cut -d/ -f2",
    'git shortlog --group=author -e HEAD',
    'git cat-file -p HEAD~1',
    'git grep -nC2 --heading -e F6',
  ])('whole tokens stay visible: %s', async (command) => {
    expect(await behavior(command, secrets)).toBe('allow');
  });
});

describe('versions of a file are judged like the file on disk', () => {
  test.each([
    'git show HEAD~1:config/redis.yml',
    'git show HEAD~2:./config/redis.yml',
    'git cat-file -p HEAD~1:config/redis.yml',
    'git cat-file -p BLOB',
    'git show BLOB',
    'git show HEAD~1:infra/prod.txt',
    'git blame HEAD~1 config/redis.yml',
    'git blame HEAD~1 -- config/redis.yml',
    'git diff HEAD~1 HEAD -- config/redis.yml',
    'git diff HEAD~1 -- config/redis.yml',
    'git diff HEAD~1:config/redis.yml HEAD:config/redis.yml',
    'git show HEAD -- config/redis.yml',
    'git log -p -- config/redis.yml',
    'git log -p --follow config/redis.yml',
    'git log -L1,2:config/redis.yml',
    'git log -p --diff-filter=M -- infra/prod.txt',
  ])('%s', async (command) => {
    expect(await behavior(command, secrets)).toBe('ask');
    expect(await behavior(command.replace('BLOB', 'HEAD:a.js'), clean)).toBe('allow');
  });

  test.each([
    'git show HEAD:config/redis.yml',
    'git show HEAD~1:config/plain.yml',
    'git show HEAD~1:a.js',
    'git blame config/redis.yml',
    'git blame HEAD config/redis.yml',
    'git diff -- config/redis.yml',
    'git diff HEAD -- config/redis.yml',
    'git log -- config/redis.yml',
    'git log --stat -- config/redis.yml',
    'git log -p -- config/plain.yml',
    'git log -p -- plain.js',
    'git show HEAD~1 -- plain.js',
  ])('%s runs', async (command) => {
    expect(await behavior(command, secrets)).toBe('allow');
  });

  test('a rule that lets the file be read also lets its versions be shown', async () => {
    const policy = await policyFor([`allow Read(/${secrets}/config/redis.yml)`], 'default', {
      root: secrets,
    });
    const command = 'git show HEAD~1:config/redis.yml';
    const access = { type: 'command', command, cwd: secrets } as const;
    expect(decide({ tool: 'Bash', access }, policy).behavior).toBe('allow');
  });
});

test('uncommitted and staged versions count', async () => {
  const git = gitIn(clean);
  write(clean, 'config/plain.yml', 'password: Maple-Tractor-19!\n');
  git('add', 'config/plain.yml');
  write(clean, 'config/plain.yml', 'host: z\n');
  expect(await behavior('git diff -- config/plain.yml', clean)).toBe('ask');
  expect(await behavior('git diff --cached config/plain.yml', clean)).toBe('ask');
  expect(await behavior('git show :config/plain.yml', clean)).toBe('ask');
  git('reset', '-q', '--hard');
  rmSync(join(clean, 'config/plain.yml.orig'), { force: true });
  expect(await behavior('git diff -- config/plain.yml', clean)).toBe('allow');
});
