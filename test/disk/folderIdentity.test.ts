import { expect, test } from 'vitest';
import { type FolderIdentity, isSameIdentity } from '../../src/disk/folderIdentity.ts';

const folder: FolderIdentity = { dev: 1, ino: 2, birthtimeMs: 1000.5 };

test.each<[string, Partial<FolderIdentity>, boolean]>([
  ['the same', {}, true],
  ['a disk that was mounted again', { dev: 9 }, true],
  ['times with less precision', { birthtimeMs: 1000 }, true],
  ['another inode', { ino: 3 }, false],
  ['a reused inode', { birthtimeMs: 2000 }, false],
  ['without a creation time', { birthtimeMs: 0 }, true],
  ['without a creation time, on another disk', { birthtimeMs: 0, dev: 9 }, false],
])('%s', (_, other, isSame) => {
  expect(isSameIdentity(folder, { ...folder, ...other })).toBe(isSame);
  expect(isSameIdentity({ ...folder, ...other }, folder)).toBe(isSame);
});
