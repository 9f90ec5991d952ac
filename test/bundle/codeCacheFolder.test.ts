/** Where compiled code may be stored: in a folder exactly as we create it, and nowhere else. */
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

interface Opened {
  readonly folder: string;
  readonly key: Buffer;
}
interface Place {
  open(): Opened | undefined;
  make(): Opened | undefined;
}
const { codeCachePlace } = (await import(resolve(import.meta.dirname, '../../bin/codeCacheFolder.js'))) as {
  readonly codeCachePlace: (given: { dataRoot: string; cwd: string }) => Place;
};

let base: string;
let dataRoot: string;
let cwd: string;
let folder: string;
let key: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-place-')));
  dataRoot = join(base, 'home/.clawdcode');
  cwd = join(base, 'work');
  folder = join(dataRoot, 'compile-cache');
  key = join(dataRoot, 'compile-cache.key');
  await mkdir(dataRoot, { recursive: true, mode: 0o700 });
  await mkdir(cwd);
});

afterEach(async () => {
  await chmod(dataRoot, 0o700).catch(() => {});
  await rm(base, { recursive: true });
});

const place = (): Place => codeCachePlace({ dataRoot, cwd });

/** Neither read nor created, and left unchanged. */
async function expectUnused(): Promise<void> {
  const before = await readdir(base, { recursive: true });
  expect(place().open()).toBeUndefined();
  expect(place().make()).toBeUndefined();
  expect(await readdir(base, { recursive: true })).toEqual(before);
}

test('folder and key are created when there is something to store, and found again', async () => {
  expect(place().open()).toBeUndefined();
  expect(await readdir(dataRoot)).toEqual([]);
  const made = place().make();
  expect(made).toMatchObject({ folder, key: { length: 32 } });
  expect(place().open()).toEqual(made);
  expect(place().make()).toEqual(made);
  if (process.getuid === undefined) return;
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(key)).mode & 0o777).toBe(0o600);
});

test('a missing or partly written key is created again', async () => {
  const first = place().make();
  await rm(key);
  expect(place().open()).toBeUndefined();
  const second = place().make();
  expect(second?.key).not.toEqual(first?.key);
  await writeFile(key, 'short');
  expect(place().open()).toBeUndefined();
  expect(place().make()?.key).toHaveLength(32);
  await writeFile(key, Buffer.alloc(33));
  expect(place().open()).toBeUndefined();
});

describe('neither used nor created is', () => {
  test('a data folder that does not exist, or whose path depends on the working directory', async () => {
    dataRoot = join(base, 'home/other');
    await expectUnused();
    dataRoot = relative(process.cwd(), join(base, 'home/.clawdcode'));
    await expectUnused();
  });

  test.each([
    ['the working directory itself', 'home/.clawdcode'],
    ['above it', 'home'],
    ['a parent of it, where the home is the working directory', '.'],
  ])('a data folder when we start in %s', async (_name, start) => {
    place().make();
    cwd = join(base, start);
    expect(place().open()).toBeUndefined();
    await rm(folder, { recursive: true });
    await expectUnused();
  });

  test('a data folder anywhere in the current project', async () => {
    place().make();
    expect(place().open()).toBeDefined();
    await mkdir(join(base, '.git'));
    expect(place().open()).toBeUndefined();
    // A nested project is a different one.
    await mkdir(join(cwd, '.git'));
    expect(place().open()).toBeDefined();
  });

  test('a data folder in the working directory that is reached through a link from outside', async () => {
    await rename(dataRoot, join(cwd, 'data'));
    await symlink(join(cwd, 'data'), dataRoot);
    await expectUnused();
    cwd = join(base, 'home');
    expect(place().make()).toMatchObject({ folder: join(base, 'work/data/compile-cache') });
  });

  test('a folder or a key that is a link', async () => {
    place().make();
    await rename(folder, join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), folder);
    await expectUnused();
    await rm(folder);
    await rename(join(base, 'elsewhere'), folder);
    expect(place().open()).toBeDefined();
    await rename(key, join(base, 'elsewhere'));
    await symlink(join(base, 'elsewhere'), key);
    await expectUnused();
    await rm(key);
    await symlink(join(base, 'nowhere'), key);
    await expectUnused();
  });

  test('a file in place of the folder, or a folder in place of the file', async () => {
    await writeFile(folder, '');
    await writeFile(key, Buffer.alloc(32), { mode: 0o600 });
    expect(place().make()).toBeUndefined();
    await rm(folder);
    await rm(key);
    await mkdir(key);
    expect(place().make()).toBeUndefined();
  });

  const modes: readonly (readonly [string, () => string, number])[] = [
    ['a folder as git creates it', () => folder, 0o755],
    ['a folder writable by the group', () => folder, 0o770],
    ['a folder writable by all', () => folder, 0o777],
    ['a key that others may read', () => key, 0o644],
    ['a key that others may write', () => key, 0o622],
    ['a data folder that the group can write to', () => dataRoot, 0o770],
    ['a data folder that all can write to', () => dataRoot, 0o777],
    ['a home that all can write to', () => join(base, 'home'), 0o777],
  ];
  test.skipIf(process.getuid === undefined).each(modes)('%s', async (_name, path, mode) => {
    place().make();
    const { mode: usual } = await stat(path());
    await chmod(path(), mode);
    await expectUnused();
    await chmod(path(), usual);
    expect(place().open()).toBeDefined();
  });

  test.skipIf(process.getuid?.() !== 0)('a folder of another user', async () => {
    const { chown } = await import('node:fs/promises');
    place().make();
    for (const path of [folder, key, dataRoot, join(base, 'home')]) {
      await chown(path, 12_345, 12_345);
      await expectUnused();
      await chown(path, 0, 0);
      expect(place().open()).toBeDefined();
    }
  });
});

test.skipIf(process.getuid === undefined || process.getuid() === 0)(
  'without write access there is no message',
  async () => {
    await chmod(dataRoot, 0o500);
    expect(place().make()).toBeUndefined();
    expect(await readdir(dataRoot)).toEqual([]);
  },
);

test('a home in a world-writable folder such as /tmp is accepted: its sticky bit prevents renames by others', async () => {
  if (process.getuid !== undefined) await chmod(base, 0o1777);
  expect(place().make()).toBeDefined();
});
