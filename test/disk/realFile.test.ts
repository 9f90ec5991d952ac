import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  assertUnmoved,
  inRealFolder,
  inRealFolderSync,
  openRealFile,
  PathMovedError,
} from '../../src/disk/realFile.ts';

let top: string;
const at = (name: string): string => join(top, name);
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-disk-')));
  mkdirSync(at('ours/deep'), { recursive: true });
  mkdirSync(at('theirs/deep'), { recursive: true });
  writeFileSync(at('ours/deep/a.txt'), 'ours');
  writeFileSync(at('theirs/deep/a.txt'), 'theirs');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** Replaces one of our folders by a link to `theirs`. */
function swap(folder: 'ours' | 'ours/deep'): void {
  renameSync(at(folder), at('away'));
  symlinkSync(at(folder.replace('ours', 'theirs')), at(folder));
}

async function contentOf(path: string, byHandle: boolean): Promise<string> {
  const file = await openRealFile(path, byHandle);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

// Without paths through handles, both ways are the same.
describe.each([
  ['by handle', process.platform === 'linux'],
  ['by identity', false],
] as const)('%s', (_, byHandle) => {
  test('opens an existing file', async () => {
    expect(await contentOf(at('ours/deep/a.txt'), byHandle)).toBe('ours');
    await expect(contentOf(at('ours/none'), byHandle)).rejects.toThrow('ENOENT');
  });

  test.each(['ours', 'ours/deep'] as const)('opens nothing once %s is a link', async (folder) => {
    swap(folder);
    await expect(contentOf(at('ours/deep/a.txt'), byHandle)).rejects.toThrow(PathMovedError);
  });

  test('does not open a link', async () => {
    symlinkSync('a.txt', at('ours/deep/link'));
    await expect(contentOf(at('ours/deep/link'), byHandle)).rejects.toThrow(PathMovedError);
  });

  test('creates missing folders, and writes there', async () => {
    const put = inRealFolder(at('ours/new/er'), ({ at: name }) => writeFile(name('b.txt'), 'b'), {
      create: true,
      byHandle,
    });
    await put;
    expect(readFileSync(at('ours/new/er/b.txt'), 'utf8')).toBe('b');
  });

  test.each(['ours', 'ours/deep'] as const)(
    'writes and creates nothing once %s is a link',
    async (folder) => {
      swap(folder);
      const put = (place: string): Promise<void> =>
        inRealFolder(at(place), ({ at: name }) => writeFile(name('b.txt'), 'b'), { create: true, byHandle });
      await expect(put('ours/deep')).rejects.toThrow(PathMovedError);
      await expect(put('ours/deep/new')).rejects.toThrow(PathMovedError);
      expect(readdirSync(at('theirs/deep'))).toEqual(['a.txt']);
    },
  );

  test('no folder is created through a dangling link', async () => {
    symlinkSync(at('theirs/none'), at('ours/none'));
    const put = inRealFolder(at('ours/none'), async () => undefined, { create: true, byHandle });
    await expect(put).rejects.toThrow(PathMovedError);
    expect(existsSync(at('theirs/none'))).toBe(false);
  });

  test('a swap in the meantime is noticed before the last step', async () => {
    const put = inRealFolder(
      at('ours/deep'),
      async (folder) => {
        await writeFile(folder.at('tmp'), 'mine');
        swap('ours/deep');
        folder.check();
        await rename(folder.at('tmp'), folder.at('a.txt'));
      },
      { byHandle },
    );
    await expect(put).rejects.toThrow(PathMovedError);
    expect(readFileSync(at('theirs/deep/a.txt'), 'utf8')).toBe('theirs');
  });

  test.each(['ours', 'ours/deep'] as const)(
    'synchronously: nothing is created through %s that has become a link',
    (folder) => {
      const make = () =>
        inRealFolderSync(
          at('ours/deep'),
          ({ at }) => writeFileSync(at('made'), '', { flag: 'wx' }),
          byHandle,
        );
      make();
      swap(folder);
      expect(make).toThrow();
      expect(readdirSync(at('theirs/deep'))).toEqual(['a.txt']);
    },
  );

  test.skipIf(!byHandle)('synchronously: a swap in the meantime leads nowhere', () => {
    inRealFolderSync(at('ours/deep'), (folder) => {
      swap('ours/deep');
      writeFileSync(folder.at('made'), '', { flag: 'wx' });
      expect(folder.check).toThrow(PathMovedError);
    });
    expect(readdirSync(at('theirs/deep'))).toEqual(['a.txt']);
  });

  test('errors name the path that the user knows', async () => {
    const put = inRealFolder(at('ours'), ({ at: name }) => writeFile(name('deep'), 'x'), { byHandle });
    await expect(put).rejects.toMatchObject({
      code: 'EISDIR',
      path: at('ours/deep'),
      message: expect.stringContaining(at('ours/deep')),
    });
    await expect(inRealFolder(at('ours/deep/a.txt'), async () => 1, { byHandle })).rejects.toThrow('ENOTDIR');
  });
});

test.runIf(process.platform === 'linux')(
  'a write through the handle never reaches a swapped folder',
  async () => {
    await inRealFolder(at('ours/deep'), async (folder) => {
      swap('ours/deep');
      await writeFile(folder.at('b.txt'), 'b');
    });
    expect([readdirSync(at('theirs/deep')), existsSync(at('away/b.txt'))]).toEqual([['a.txt'], true]);
  },
);

test.skipIf(process.getuid?.() === 0)('a folder that may only be traversed is not a problem', async () => {
  chmodSync(at('ours'), 0o311);
  await inRealFolder(at('ours/deep'), (folder) => writeFile(folder.at('b.txt'), 'b'));
  await inRealFolder(at('ours'), (folder) => writeFile(folder.at('c.txt'), 'c'));
  chmodSync(at('ours'), 0o755);
  expect([existsSync(at('ours/deep/b.txt')), existsSync(at('ours/c.txt'))]).toEqual([true, true]);
});

test('a path that now leads elsewhere is reported', () => {
  const place = { path: at('ours/deep'), realPath: at('ours/deep') };
  expect(() => assertUnmoved(place)).not.toThrow();
  swap('ours');
  expect(() => assertUnmoved(place)).toThrow(PathMovedError);
});
