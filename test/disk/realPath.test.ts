import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { realpath } from '../../src/disk/paths.ts';

const top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-disk-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));

mkdirSync(join(top, 'repo/a/b'), { recursive: true });
symlinkSync(join(top, 'repo/a'), join(top, 'link'));
symlinkSync('../missing/place', join(top, 'repo/dangling'));
symlinkSync('dangling', join(top, 'repo/chain'));
symlinkSync('round', join(top, 'repo/round'));

test.each([
  ['a path without links', 'repo/a', 'repo/a'],
  ['a link', 'link', 'repo/a'],
  ['below a link', 'link/b', 'repo/a/b'],
  ['a file that does not exist yet, in a linked folder', 'link/new/file.ts', 'repo/a/new/file.ts'],
  ['dots after a link', 'link/new/../other', 'repo/a/other'],
  ['a dangling link', 'repo/dangling', 'missing/place'],
  ['a link to a dangling link', 'repo/chain', 'missing/place'],
  ['a path in a dangling link', 'repo/chain/new/file.ts', 'missing/place/new/file.ts'],
  ['a link to itself', 'repo/round', 'repo/round'],
])('the real path of %s', (_, path, real) => {
  expect(realpath(join(top, path))).toBe(join(top, real));
});

test('a path whose folders do not exist stays unchanged', () => {
  expect(realpath('/no-such-folder-here/x')).toBe('/no-such-folder-here/x');
  expect(realpath('/')).toBe('/');
});
