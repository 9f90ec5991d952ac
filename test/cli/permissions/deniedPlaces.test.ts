import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { createDeniedPlaces } from '../../../src/cli/permissions/deniedPlaces.ts';
import type { SourcedRule } from '../../../src/permissions/rules/rules.ts';
import { createDeepFile } from '../../disk/deepFolder.ts';

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
  const notes = join(home, '.clawdcode/sandbox/tracked.json');
  const session = (workspace: readonly string[] = [root]) => {
    const find = createDeniedPlaces();
    const places = (opened: readonly string[] = []) => find({ home, workspace, rules, opened, notes });
    const found = (): readonly string[] => places().paths.map((path) => relative(root, path));
    return { places, found };
  };
  return { home, root, write, git, deny, session, ...session() };
}

test('read-denied paths are found as files and as entire folders', () => {
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

test('without Read deny rules, nothing is found', () => {
  const { deny, found } = project(['secrets/key']);
  expect(found()).toEqual([]);
  deny('Edit(secrets/**)', 'Bash(cat secrets/*)', 'Read');
  expect(found()).toEqual([]);
});

test('files that git tracks, that programs create, or whose values are redacted stay visible', () => {
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
  // A folder with tracked files is left out as a whole, except for its untracked files.
  expect(found().toSorted()).toEqual(['legacy/key', 'other']);
});

test('rules and files added later apply', () => {
  const { deny, found, write } = project(['a.key']);
  deny('Read(notes/**)');
  expect(found()).toEqual([]);
  deny('Read(*.key)');
  expect(found()).toEqual(['a.key']);
  write('src/b.key');
  expect(found().toSorted()).toEqual(['a.key', 'src/b.key']);
});

test('outside the workspace, paths named by a rule are found, but never one that contains the workspace', () => {
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

test('a rule that names a link covers its target', () => {
  const { home, root, deny, found } = project(['secrets/key']);
  mkdirSync(join(home, 'keys'));
  symlinkSync('secrets', join(root, 'also'));
  symlinkSync('../keys', join(root, 'outside'));
  deny('Read(also/**)', 'Read(outside/**)');
  expect(found()).toEqual(['secrets', '../keys']);
});

test('hidden paths stay hidden, however many matches and folders appear', () => {
  const { deny, places, found, write } = project([
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
  for (let at = 0; at < 310; at += 1) write(`many/k${at}.key`);
  for (let at = 0; at < 1100; at += 1) write(`f${at}/x`);
  expect(found()).toEqual(expect.arrayContaining([...before, 'many']));
  expect(places().whole.map((path) => path.slice(-4))).toEqual(['many']);
});

test('adding a file to the index makes it readable neither in this session nor in the next', () => {
  const { deny, found, session, git, write } = project(['secrets/key', 'a.pem'], ['test/b.pem']);
  deny('Read(secrets/**)', 'Read(*.pem)');
  expect(found().toSorted()).toEqual(['a.pem', 'secrets']);
  const blob = '1'.repeat(40);
  for (const path of ['secrets/key', 'a.pem', 'later.pem'])
    git('update-index', '--add', '--cacheinfo', `100644,${blob},${path}`);
  expect(found().toSorted()).toEqual(['a.pem', 'secrets']);
  write('later.pem');
  expect(session().found().toSorted()).toEqual(['a.pem', 'later.pem', 'secrets']);
});

test('a new repository around a file does not make it readable', () => {
  const { root, deny, found, session, git } = project(['conf/a.pem', 'conf/b']);
  deny('Read(*.pem)');
  expect(found()).toEqual(['conf/a.pem']);
  git('init', '-q', 'conf');
  git('-C', 'conf', 'update-index', '--add', '--cacheinfo', `100644,${'1'.repeat(40)},a.pem`);
  expect(found()).toEqual(['conf/a.pem']);
  expect(session([join(root, 'conf')]).found()).toEqual(['conf/a.pem']);
});

test('tracked files stay readable if edited in this session or earlier, or added with their content', () => {
  const { deny, found, session, git, write, root } = project([], ['a.pem', 'b.pem', 'c/d.pem']);
  writeFileSync(join(root, 'a.pem'), 'edited before');
  deny('Read(*.pem)');
  expect(found()).toEqual([]);
  writeFileSync(join(root, 'b.pem'), 'edited');
  expect(found()).toEqual([]);
  expect(session().found()).toEqual([]);
  write('new.pem');
  expect(found()).toEqual(['new.pem']);
  git('add', 'new.pem');
  expect(found()).toEqual([]);
  git('rm', '-qf', '--cached', 'b.pem');
  expect(session().found()).toEqual(['b.pem']);
});

test('damaged notes make no untracked file readable', () => {
  const { home, deny, found, session, root } = project([], ['a.pem', 'b.pem']);
  deny('Read(*.pem)');
  expect(found()).toEqual([]);
  writeFileSync(join(root, 'a.pem'), 'edited');
  writeFileSync(join(home, '.clawdcode/sandbox/tracked.json'), '{');
  expect(session().found()).toEqual(['a.pem']);
});

test('a folder with a name that is not UTF-8 is hidden if a rule may cover it', () => {
  const { root, deny, found, places } = project(['a/x', 'b/x', 'c/x', 'd/x']);
  const raw = (folder: string, name: string): Buffer =>
    Buffer.concat([Buffer.from(join(root, `${folder}/`)), Buffer.from(name, 'latin1')]);
  writeFileSync(raw('a', 'caf\xe9.pem'), 'x');
  writeFileSync(raw('b', 'caf\xe9.txt'), 'x');
  mkdirSync(raw('c', 'caf\xe9'));
  writeFileSync(join(root, 'd/valid\ufffd.txt'), 'x');
  deny('Read(*.pem)');
  expect(found().toSorted()).toEqual(['a', 'c']);
  expect(
    places()
      .whole.map((path) => relative(root, path))
      .toSorted(),
  ).toEqual(['a', 'c']);
  writeFileSync(raw('.', 'caf\xe9.pem'), 'x');
  expect(places().refusal).toMatch(/not valid UTF-8/);
  expect(places([root]).refusal).toBeUndefined();
});

test('folders too deep to search are hidden unless no rule can cover anything in them', () => {
  const deep = Array.from({ length: 40 }, (_, at) => `d${at}`).join('/');
  const { deny, found, places, root } = project([`${deep}/x.pem`, `safe/${deep}/x`]);
  deny('Read(./d0/**/*.pem)');
  const [hidden = ''] = found();
  expect(hidden.split('/')).toHaveLength(31);
  expect(found()).toHaveLength(1);
  expect(places().whole).toEqual([join(root, hidden)]);
});

test('with too many files at the top level of the project, no command runs until settings open some', () => {
  const { deny, root, places, write } = project([]);
  for (let at = 0; at < 301; at += 1) write(`k${at}.csv`);
  deny('Read(*.csv)');
  expect(places().refusal).toMatch(/more than 300 separate files/);
  expect(places([join(root, 'k7.csv')])).toMatchObject({ whole: [], paths: { length: 300 } });
});

test('in a denied folder that contains an added directory, everything else is hidden', () => {
  const { root, deny, session } = project(['secrets/key', 'secrets/added/a']);
  deny('Read(secrets/key)', 'Read(secrets/k*)', 'Read(secrets)');
  expect(
    session([root, join(root, 'secrets/added')])
      .found()
      .toSorted(),
  ).toEqual(['secrets/added/a', 'secrets/key']);
});

test('of folders whose path is too long to read, one that a mount can name is hidden', () => {
  const { deny, root, places } = project(['a']);
  const top = createDeepFile(root, 'key', 'x');
  deny('Read(key)');
  const [hidden = '', ...more] = places().paths;
  expect(hidden.startsWith(`${top}/`)).toBe(true);
  expect(Buffer.byteLength(hidden)).toBeLessThan(4096);
  expect(more).toEqual([]);
});
