/** Each part of a patch is judged as the file that it is about. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { partsOfPatches } from '../../../src/permissions/lookups/patches.ts';
import { bash, newWorkspace, policyFor, root } from '../harness.ts';

newWorkspace();

const hunk = '@@ -1 +1 @@\n-DB_PASSWORD=hunter2horse\n+DB_PASSWORD=hunter3horse\n';
const pair = (name: string, body = hunk): string => `--- a/${name}\n+++ b/${name}\n${body}`;
const diff = (name: string, body = hunk): string =>
  `diff --git a/${name} b/${name}\nindex 8445a09..ffcf8bb 100644\n${pair(name, body)}`;
const code = diff('src/a.ts', "@@ -1 +1 @@\n-const password = 'hunter2'\n+const password = 'hunter3horse'\n");
const mail = (patch: string): string =>
  `From 1234 Mon Sep 17 00:00:00 2001\nFrom: A <a@b.c>\nSubject: [PATCH] x\n\n---\n .env | 2 +-\n\n${patch}-- \n2.43.0\n`;
const key = `@@ -0,0 +1,2 @@\n+-----BEGIN PRIVATE KEY-----\n+${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(4)}\n`;

const secret: readonly (readonly [string, string | Buffer])[] = [
  ['x.patch', diff('.env')],
  ['x.diff', `${code}${diff('app/.env.local')}${code}`],
  ['crlf.patch', diff('.env').replaceAll('\n', '\r\n')],
  ['utf16.diff', Buffer.from(`\ufeff${diff('.env')}`, 'utf16le')],
  ['x.patch.orig', diff('.env')],
  ['x.patch.gz', gzipSync(diff('.env'))],
  ['0001-x.patch', mail(diff('.env'))],
  ['all.mbox', `${mail(code)}${mail(diff('.env'))}`],
  ['reply.eml', `> ${diff('.env').replaceAll('\n', '\n> ')}`],
  ['log.txt', diff('.netrc').replace(/^/gm, '| | ')],
  ['colors.log', `\x1b[1m${diff('.env').replaceAll('\n', '\x1b[m\n\x1b[1m')}`],
  ['nested.diff', `${pair('x.patch', `@@ -0,0 +1,9 @@\n${diff('.env').replace(/^/gm, '+')}`)}`],
  ['a.ts.rej', `diff a/.env b/.env\t(rejected hunks)\n${hunk}`],
  ['quoted.patch', diff('.env').replace(/^diff.*\n/, 'diff --git "a/\\303\\251/.env" "b/\\303\\251/.env"\n')],
  ['merge.patch', `diff --cc .env\n@@@ -1,1 -1,1 +1,1 @@@\n- A=1\n -A=2\n++A=3\n`],
  ['context.patch', `*** .env\t2026-01-01\n--- .env\t2026-01-02\n***************\n*** 1 ****\n! A=1\n`],
  ['normal.diff', 'diff -r old/.env new/.env\n1c1\n< A=1\n---\n> A=2\n'],
  ['svn.diff', `Index: .env\n${'='.repeat(67)}\n--- .env\t(revision 1)\n+++ .env\t(working copy)\n${hunk}`],
  ['agent.patch', '*** Begin Patch\n*** Update File: .env\n@@\n-A=1\n+A=2\n*** End Patch\n'],
  ['deleted.patch', `--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-A=1\n`],
  // Judged by content, as these files are.
  ['settings.patch', diff('appsettings.json', '@@ -1 +1 @@\n+  "Password": "hunter2"\n')],
  ['compose.diff', diff('compose.yml', '@@ -1 +1 @@\n+    POSTGRES_PASSWORD: hunter3horse\n')],
  ['context-line.diff', diff('compose.yml', '@@ -1 +1 @@ POSTGRES_PASSWORD: hunter3horse\n+  a: b\n')],
  ['key.patch', diff('deploy/host', key)],
  [
    'dated.patch',
    `--- a.tfvars 2026-01-01 10:00:00\n+++ b.tfvars 2026-01-01 10:00:01\n@@\n+db_pwd = "hunter2"\n`,
  ],
  ['long.patch', `${code.repeat(8000)}${diff('.env')}${code.repeat(8000)}`],
];
const harmless: readonly (readonly [string, string])[] = [
  ['code.patch', code],
  ['code.diff', `${code}${diff('README.md')}`],
  ['code.mbox', mail(diff('src/a.ts', '@@ -1 +1 @@\n-one\n+two\n'))],
  ['dates.patch', code.replace(/^([-+]{3} .*)/gm, '$1\t2026-01-01 10:00:00')],
  ['removed.patch', code.replace('+++ b/src/a.ts', '+++ /dev/null')],
  ['a.py.rej', `--- a.py\n+++ a.py\n@@ -1 +1 @@\n-x = 1\n+y = 2\n`],
  ['example.patch', diff('.env.example')],
  ['appsettings.patch', diff('appsettings.json', '@@ -1 +1 @@\n+  "Level": "Debug"\n')],
  // These only mention the file.
  ['check.sh', 'diff .env .env.example\necho done\n'],
  ['notes.txt', 'Title\n--- .env\nis read at the start.\n'],
  ['stat.txt', ' .env | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n'],
];

const write = (file: string, content: string | Buffer): void => {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
};

test.each(secret)('%s asks, because it shows a secret', async (file, content) => {
  write(`in/${file}`, content);
  expect((await bash(`cat in/${file}`)).behavior).toBe('ask');
  expect((await bash(`grep x in/${file}`)).behavior).toBe('ask');
  const access = { type: 'read', paths: [join(root, 'in', file)] } as const;
  for (const tool of ['Read', 'Grep'])
    expect(decide({ tool, access }, await policyFor()).behavior).toBe('ask');
});

test.each(harmless)('%s is read without a question', async (file, content) => {
  write(`out/${file}`, content);
  expect((await bash(`cat out/${file}`)).behavior).toBe('allow');
});

test('a search of a folder asks if it would show such a patch', async () => {
  write('found/x.patch', diff('.env'));
  expect((await bash('grep -r hunter found')).behavior).toBe('ask');
  write('found/x.patch', code);
  expect((await bash('grep -r hunter found')).behavior).toBe('allow');
});

test('git asks if it would show a version of such a patch', async () => {
  const cwd = join(root, 'repository');
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd });
  write('repository/x.patch', diff('.env'));
  git('init', '-q');
  for (const content of [diff('.env'), code, `${code}\n`]) {
    write('repository/x.patch', content);
    git('add', '.');
    git('commit', '-qm', 'x');
  }
  const policy = await policyFor([], 'default', { root: cwd });
  for (const [command, behavior] of [
    ['git show HEAD:x.patch', 'ask'],
    ['git log -p', 'ask'],
    ['git log --stat', 'allow'],
    ['git grep x', 'allow'],
  ] as const)
    expect([
      command,
      decide({ tool: 'Bash', access: { type: 'command', command, cwd } }, policy).behavior,
    ]).toEqual([command, behavior]);
});

test('the parts of a patch have no marks', () => {
  expect(partsOfPatches(pair('a.yml', '@@ -1 +1 @@ a:\n   b: 1\n-  c: 2\n+  c: 3\n'))).toEqual([
    { title: 'a/a.yml b/a.yml', paths: ['a.yml'], text: '\na:\n  b: 1\n  c: 2\n  c: 3\n' },
  ]);
});

test('a hostile text is read in linear time', () => {
  for (const line of ['--- ', 'diff ', '*** --- ', '\t', '+++ -', 'Index: ', '> ', '@@'])
    expect(partsOfPatches(`${line.repeat(300_000)}\n`.repeat(2))).toEqual([]);
});
