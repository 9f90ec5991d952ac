import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolderWalk } from '../../src/disk/folderWalk.ts';
import { createDeepFile } from './deepFolder.ts';

function tree(): string {
  const root = mkdtempSync(join(homedir(), 'walk-'));
  for (const folder of ['a/b/c', 'd', 'node_modules/e', '.github']) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, 'file'), '');
  }
  return root;
}
const names = createFolderWalk.bind(undefined, (_, entries) => ({
  found: entries.filter((entry) => entry.isFile()).length,
}));

test('a walk in slices finds the same, and other work runs in between', async () => {
  const root = tree();
  const walk = createFolderWalk((path, entries) => {
    // Takes longer than a slice.
    for (const until = performance.now() + 10; performance.now() < until; );
    return { found: `${path} ${entries.length}` };
  });
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  const found = await walk.inSlices(root);
  clearInterval(counting);
  expect(found.folders).toHaveLength(6);
  expect(turns).toBeGreaterThan(1);
  expect(found).toEqual(createFolderWalk((path, entries) => ({ found: `${path} ${entries.length}` }))(root));
});

test('folders beyond the limits are listed', () => {
  const root = tree();
  const at = (folders: readonly string[]) => folders.map((folder) => join(root, folder));
  const skipped = /^node_modules$/;
  expect(names({ skipped, maxDepth: 1, maxFolders: 9 })(root).left).toEqual(at(['a/b']));
  expect(names({ skipped, maxDepth: 9, maxFolders: 3 })(root).left.toSorted()).toEqual(at(['a/b', 'd']));
  expect(names({ skipped, maxDepth: 9, maxFolders: 9 })(root).left).toEqual([]);
});

test('folders that cannot be read for an unknown reason are listed', () => {
  const root = tree();
  createDeepFile(root, 'file', '');
  const [left = '', ...more] = names({ skipped: /^$/, maxDepth: 99, maxFolders: 99 })(root).left;
  expect(left).toMatch(new RegExp(`^${root}/d{200}/`));
  expect(more).toEqual([]);
});
