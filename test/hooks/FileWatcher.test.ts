import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FileWatcher } from '../../src/hooks/FileWatcher.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

function watcher(): { readonly files: FileWatcher; readonly seen: string[]; readonly root: string } {
  const root = temporaryFolder();
  const seen: string[] = [];
  const files = new FileWatcher(({ path, event }) => seen.push(`${event} ${path.slice(root.length + 1)}`));
  onTestFinished(() => files.close());
  return { files, seen, root };
}

test('a file is noticed when it is created, changed, replaced and deleted', async () => {
  const { files, seen, root } = watcher();
  const path = join(root, '.envrc');
  files.watch([path]);
  const next = async (change: Promise<unknown>, event: string): Promise<void> => {
    const before = seen.length;
    await change;
    await expect.poll(() => seen.slice(before), { timeout: 10_000 }).toEqual([`${event} .envrc`]);
  };
  await next(writeFile(path, 'one'), 'add');
  await next(writeFile(path, 'two!'), 'change');
  await writeFile(join(root, 'other'), 'from elsewhere');
  await next(rename(join(root, 'other'), path), 'change');
  await next(rm(path), 'unlink');
});

test('only the files in the latest list are watched, and none after the end', async () => {
  const { files, seen, root } = watcher();
  await mkdir(join(root, 'sub'));
  files.watch([join(root, 'a'), join(root, 'missing/folder/x')]);
  files.watch([join(root, 'sub/b')]);
  await writeFile(join(root, 'a'), '');
  await writeFile(join(root, 'sub/b'), '');
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['add sub/b']);
  files.close();
  await rm(join(root, 'sub/b'));
  files.watch([join(root, 'a')]);
  await rm(join(root, 'a'));
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['add sub/b', 'unlink a']);
});
