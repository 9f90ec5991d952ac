import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  leavesProject,
  pathsInWorktree,
  resolveSettingsPath,
  unmoved,
} from '../../src/disk/settingsPaths.ts';

let top: string;
let base: { readonly home: string; readonly root: string };

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'settings-paths-')));
  onTestFinished(() => rmSync(top, { recursive: true, force: true }));
  base = { home: join(top, 'home'), root: join(top, 'home/repo') };
  for (const folder of ['home/repo/src/deep', 'home/repo/out', 'home/docs', 'shared', 'data'])
    mkdirSync(join(top, folder), { recursive: true });
  const links = {
    'home/repo/ext': '..',
    'home/repo/chain': 'ext',
    'home/repo/dangling': '../../shared/missing',
    'home/repo/inner': 'out',
    'home/repo/src/round': 'round',
    'home/cache': '../data',
    'home/back': 'repo/ext/docs',
    real: 'shared',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(top, name));
});

test.each([
  ['src', 'home/repo/src', 'home/repo/src', false],
  ['./src/../src/deep/', 'home/repo/src/deep', 'home/repo/src/deep', false],
  ['.', 'home/repo', 'home/repo', false],
  ['build/of/later', 'home/repo/build/of/later', 'home/repo/build/of/later', false],
  ['inner/x', 'home/repo/inner/x', 'home/repo/out/x', false],
  ['src/round', 'home/repo/src/round', 'home/repo/src/round', false],
  ['ext', 'home/repo/ext', 'home', true],
  ['ext/', 'home/repo/ext', 'home', true],
  ['chain/docs', 'home/repo/chain/docs', 'home/docs', true],
  ['dangling', 'home/repo/dangling', 'shared/missing', true],
  ['dangling/new', 'home/repo/dangling/new', 'shared/missing/new', true],
  // Dots are resolved as text first, so that the path means what it says.
  ['ext/../src', 'home/repo/src', 'home/repo/src', false],
  ['../docs', 'home/docs', 'home/docs', false],
  ['../repo/ext/docs', 'home/repo/ext/docs', 'home/docs', true],
  ['~', 'home', 'home', false],
  ['~/cache', 'home/cache', 'data', false],
  ['~//docs', 'home/docs', 'home/docs', false],
  ['~/repo/ext', 'home/repo/ext', 'home', true],
  ['~docs', 'home/repo/~docs', 'home/repo/~docs', false],
  ['TOP/real/x', 'real/x', 'shared/x', false],
  ['TOP/home/repo/ext/docs', 'home/repo/ext/docs', 'home/docs', true],
])('%s is resolved', (written, path, realPath, led) => {
  const place = resolveSettingsPath(written.replace('TOP', top), base);
  expect(place).toEqual({ path: join(top, path), realPath: join(top, realPath) });
  expect(leavesProject(place, base)).toBe(led);
});

test('links on the way to the home and the project do not matter', () => {
  symlinkSync('home', join(top, 'h'));
  const linked = { home: join(top, 'h'), root: join(top, 'h/repo') };
  for (const written of ['~/docs', 'src', 'build'])
    expect(resolveSettingsPath(written, linked)).toEqual(resolveSettingsPath(written, base));
  const place = resolveSettingsPath('~/docs', linked);
  expect(place.path).toBe(place.realPath);
});

test("in a home that is the project, its links are not the project's", () => {
  const own = { home: base.home, root: base.home };
  expect(leavesProject(resolveSettingsPath('~/cache', own), own)).toBe(false);
});

test('a path leads nowhere once any part of it is a link', () => {
  const paths = ['home/repo/build', 'home/repo/src/deep', 'home/repo/out'].map((path) => join(top, path));
  expect(unmoved(paths)).toEqual(paths);
  symlinkSync('../../shared', paths[0] ?? '');
  renameSync(join(top, 'home/repo/src'), join(top, 'home/repo/src2'));
  symlinkSync('src2', join(top, 'home/repo/src'));
  expect(unmoved(paths)).toEqual([join(top, 'home/repo/out')]);
});

test('in a worktree the same files of the worktree are meant', () => {
  const places = { project: base.root, worktree: join(top, 'data/w') };
  mkdirSync(places.worktree);
  const paths = [join(base.root, 'build'), base.root, join(top, 'shared')];
  expect(pathsInWorktree(paths, places)).toEqual([
    join(top, 'data/w/build'),
    join(top, 'data/w'),
    join(top, 'shared'),
  ]);
  expect(pathsInWorktree(paths, { project: base.root, worktree: base.root })).toEqual(paths);
});
