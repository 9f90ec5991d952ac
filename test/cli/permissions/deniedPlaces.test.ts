import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { createDeniedPlaces } from '../../../src/cli/permissions/deniedPlaces.ts';
import { realpath } from '../../../src/disk/paths.ts';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';

function project(files: readonly string[], tracked: readonly string[] = []) {
  const home = realpathSync(mkdtempSync(join(homedir(), 'denied-')));
  const root = join(home, 'project');
  const write = (path: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'x');
  };
  for (const path of [...files, ...tracked]) write(path);
  const git = (...args: readonly string[]): unknown => spawnSync('git', ['-C', root, ...args]);
  git('init', '-q');
  if (tracked.length > 0) git('add', '-f', ...tracked);
  const rules: SourcedRule[] = [];
  const deny = (...texts: readonly string[]): unknown =>
    rules.push(...texts.map((text) => ({ text, behavior: 'deny' as const, source: 'project', base: root })));
  const places = createDeniedPlaces({ home, workspace: [root], rules: () => rules, realpath });
  const found = (): readonly string[] => places().map((path) => relative(root, path));
  return { home, root, write, git, deny, found };
}

test('what rules deny reading is found as files and as entire folders', () => {
  const { deny, found } = project([
    'secrets/a/key',
    'secrets/b',
    'src/deep/prod.pem',
    '.private/token',
    '.config.d/one/key',
    'src/app.ts',
  ]);
  deny('Read(secrets/**)', 'Read(*.pem)', 'Read(.private)', 'Read(./.config.d/one/key)');
  expect(found().toSorted()).toEqual(['.config.d/one/key', '.private', 'secrets', 'src/deep/prod.pem']);
});

test('nothing is found without deny rules for reading files', () => {
  const { deny, found } = project(['secrets/key']);
  expect(found()).toEqual([]);
  deny('Edit(secrets/**)', 'Bash(cat secrets/*)', 'Read');
  expect(found()).toEqual([]);
});

test('files that git tracks, that programs create and whose values are redacted stay', () => {
  const { deny, found } = project(
    ['node_modules/a/i.js', 'dist/a.js', '.env', 'packages/web/.env.local', 'legacy/key', 'other/key'],
    ['legacy/old.ts', 'package-lock.json'],
  );
  deny(
    ...[
      'Read(node_modules/**)',
      'Read(dist/**)',
      'Read(.env*)',
      'Read(legacy/**)',
      'Read(package-lock.json)',
    ],
    'Read(other/**)',
  );
  // A folder with tracked files is left as a whole, but for what is untracked in it.
  expect(found().toSorted()).toEqual(['legacy/key', 'other']);
});

test('a command that adds a file to the index makes nothing readable', () => {
  const { deny, found, git } = project(['secrets/key']);
  deny('Read(secrets/**)');
  expect(found()).toEqual(['secrets']);
  git('add', '-f', 'secrets/key');
  expect(found()).toEqual(['secrets']);
});

test('rules and files that come later count', () => {
  const { deny, found, write } = project(['a.key']);
  deny('Read(notes/**)');
  expect(found()).toEqual([]);
  deny('Read(*.key)');
  expect(found()).toEqual(['a.key']);
  write('src/b.key');
  expect(found().toSorted()).toEqual(['a.key', 'src/b.key']);
});

test('outside the workspace, what a rule names is found; what contains the workspace never', () => {
  const { home, deny, found } = project(['src/a']);
  mkdirSync(join(home, 'notes'));
  deny(
    'Read(~/notes/**)',
    'Read(//srv/keys/prod)',
    'Read(~/*.txt)',
    'Read(~/**)',
    'Read(//)',
    'Read(/**)',
    'Read(**)',
  );
  expect(found()).toContain('../notes');
  expect(found()).toContain(relative(join(home, 'project'), '/srv/keys/prod'));
  expect(found()).not.toContain('..');
  expect(found()).not.toContain('');
});

test('a rule that names a link covers what it leads to', () => {
  const { home, root, deny, found } = project(['secrets/key']);
  mkdirSync(join(home, 'keys'));
  symlinkSync('secrets', join(root, 'also'));
  symlinkSync('../keys', join(root, 'outside'));
  deny('Read(also/**)', 'Read(outside/**)');
  expect(found()).toEqual(['secrets', '../keys']);
});

test('what was found once stays, however many matches and folders appear', () => {
  const { deny, found, write } = project([
    'conf/prod.key',
    '.hid/h.key',
    'one/two/three/four/five/six/seven/d.key',
  ]);
  deny('Read(**/*.key)');
  const before = found();
  expect(before.toSorted()).toEqual([
    '.hid/h.key',
    'conf/prod.key',
    'one/two/three/four/five/six/seven/d.key',
  ]);
  for (let at = 0; at < 310; at += 1) write(`k${at}.key`);
  for (let at = 0; at < 1100; at += 1) write(`f${at}/x`);
  expect(found()).toEqual(expect.arrayContaining([...before]));
});
