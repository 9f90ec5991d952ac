import { expect, test } from 'vitest';
import { createAddedDirectories, derivedFrom } from '../../src/config/addedDirectories.ts';

test('a directory is added once, with its scripts, and what was returned before stays as it was', () => {
  const added = createAddedDirectories(['/a'], ['/a/x.sh']);
  const before = added.directories();
  added.add('/b', ['/b/y.sh']);
  added.add('/b', ['/b/z.sh']);
  expect(before).toEqual(['/a']);
  expect(added.directories()).toEqual(['/a', '/b']);
  expect(added.scripts()).toEqual(['/a/x.sh', '/b/y.sh']);
});

test('what is derived from the directories is made again only once they have changed', () => {
  const added = createAddedDirectories([]);
  let times = 0;
  const count = derivedFrom(added.directories, (directories) => [++times, directories.length]);
  expect([count(), count()]).toEqual([
    [1, 0],
    [1, 0],
  ]);
  added.add('/b', []);
  expect([count(), count()]).toEqual([
    [2, 1],
    [2, 1],
  ]);
});
