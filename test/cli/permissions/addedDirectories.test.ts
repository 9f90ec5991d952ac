import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDirectoryPort, directoryRefusal } from '../../../src/cli/permissions/addedDirectories.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';

async function open() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'added-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const at = (path: string): string => join(base, path);
  for (const folder of [
    'me/.clawdcode/x',
    'me/.config',
    'repo/src',
    'lib/deep',
    'tools/bin',
    'keys',
    'git',
    'a b',
  ])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at('lib/file'), '');
  symlinkSync('lib', at('link'));
  const place = {
    ...{ cwd: at('repo/src'), root: at('repo'), home: at('me'), dataRoot: at('me/.clawdcode') },
    ...{ packageRoot: base, version: '0', managed: { folder: at('etc'), ownerUid: 0 } },
    env: { PATH: `/usr/bin:${at('tools/bin')}`, HOME: at('me'), GIT_CONFIG_GLOBAL: at('git/config') },
  };
  const read = (addDirs: readonly string[], settings: object = {}) =>
    loadSettings({
      ...{ ...place, trusted: true, flags: { addDirs }, settingsFlag: JSON.stringify(settings) },
      directoryRefusal: (directory) => directoryRefusal(directory, place),
    });
  const loaded = await read([]);
  const port = createDirectoryPort({
    ...{ place, added: loaded.added },
    isWithheld: (path) => path === at('keys'),
    onAdded: async () => undefined,
  });
  return { at, port, loaded, read };
}

test.each([
  ['a path from where the program was started', '../../lib', 'lib'],
  ['a path in the home', '~/../lib', 'lib'],
  ['a link', '../../link', 'lib'],
  ['a name with a space', '../../a b', 'a b'],
])('%s is resolved', async (_, written, folder) => {
  const { at, port, loaded } = await open();
  const before = loaded.added.directories();
  expect(await port.add(written)).toEqual({ type: 'added', folder: at(folder) });
  expect(port.list()).toEqual([at('repo'), at(folder)]);
  expect(before).toEqual([]);
  expect(loaded.settings.permissions.additionalDirectories).toEqual([]);
});

test.each([
  ['../../none', /none does not exist\./],
  ['../../lib/file', /file is not a directory\. Add the one that it is in: .*\/lib$/],
  ['~', /contains your home folder/],
  ['/', /contains your home folder/],
  ['../..', /contains your home folder/],
  ['~/.clawdcode', /ClawdCode's own settings and sessions/],
  ['~/.clawdcode/x', /ClawdCode's own settings and sessions/],
  ['~/.config', /\.config is protected, .* To work there, start clawdcode in it\./],
  ['../../keys', /holds secrets, or a rule denies reading it/],
  ['../../tools', /Your PATH or your git settings lead into .*: clawdcode --add-dir .*tools$/],
  ['../../git', /Your PATH or your git settings lead into/],
])('%s is refused', async (written, message) => {
  const { at, port } = await open();
  expect(await port.add(written)).toEqual({ type: 'refused', message: expect.stringMatching(message) });
  expect(port.list()).toEqual([at('repo')]);
});

test('a repository in a protected folder may be added: worktrees are in one', async () => {
  const { at, port } = await open();
  mkdirSync(at('lib/.claude/worktrees/x/.git'), { recursive: true });
  expect(await port.add('../../lib/.claude/worktrees/x')).toEqual({
    type: 'added',
    folder: at('lib/.claude/worktrees/x'),
  });
});

test('a directory that already belongs to the workspace needs nothing', async () => {
  const { at, port } = await open();
  expect(await port.add('.')).toEqual({ type: 'known', folder: at('repo/src'), around: at('repo') });
  await Promise.all([port.add('../../lib'), port.add('../../link')]);
  expect(port.list()).toEqual([at('repo'), at('lib')]);
  expect(await port.add('../../lib/deep')).toEqual({
    type: 'known',
    folder: at('lib/deep'),
    around: at('lib'),
  });
});

test.each([
  ['me', /contains your home folder/],
  ['none', /does not exist\.$/],
  ['lib/file', /is not a directory\. Add the one that it is in: .*lib$/],
  ['me/.clawdcode/x', /ClawdCode's own settings and sessions/],
  ['me/.config', /is protected, because what is there controls .*\. To work there, start clawdcode in it\.$/],
])('%s is refused on the command line and in settings, too', async (name, message) => {
  const { at, read } = await open();
  const typed = await read([at(name), at('lib')]);
  expect(typed.added.directories()).toEqual([at('lib')]);
  expect(typed.problems).toMatchObject([{ layer: 'flag', file: '--add-dir' }]);
  expect(typed.problems[0]?.message).toMatch(/^--add-dir: /);
  expect(typed.problems[0]?.message).toMatch(message);
  const additionalDirectories = [at(name), at('lib')];
  const written = await read([], { permissions: { additionalDirectories } });
  expect(written.added.directories()).toEqual([at('lib')]);
  expect(written.problems[0]?.message).toMatch(
    /^--settings: "permissions.additionalDirectories" ignores a dir/,
  );
  expect(written.problems[0]?.message).toMatch(message);
});

test('at the start, a directory with programs of the PATH may be added; one in the project needs nothing', async () => {
  const { at, read } = await open();
  const { added, problems } = await read([at('tools'), at('repo/src')]);
  expect(problems).toEqual([]);
  expect(added.directories()).toEqual([at('tools')]);
});
