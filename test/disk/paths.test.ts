import { expect, test } from 'vitest';
import { depthOf, isInside } from '../../src/disk/paths.ts';

test.each([
  ['/srv/a', '/srv/a', true],
  ['/srv/a/b', '/srv/a', true],
  ['/srv/ab', '/srv/a', false],
  ['/srv', '/srv/a', false],
  ['/srv/a', '/', true],
  ['/', '/', true],
])('%s in %s: %s', (path, folder, inside) => {
  expect(isInside(path, folder)).toBe(inside);
});

test('a folder is less deep than its contents', () => {
  expect(['/', '/srv', '/srv/a'].map(depthOf)).toEqual([0, 1, 2]);
});
