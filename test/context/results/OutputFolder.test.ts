import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputFolder } from '../../../src/context/results/boundOutput.ts';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('an output becomes one private, readable file', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  const blobs = new BlobStore(temporaryFolder());
  const outputs = new OutputFolder(folder, blobs);
  const original = await blobs.put('all of it');
  const path = await outputs.save('Bash', original, 'a part');
  expect(path).toBe(join(folder, `Bash-${original.hash.slice(0, 12)}.txt`));
  expect(await readFile(path ?? '', 'utf8')).toBe('all of it');
  expect([await modeOf(path ?? ''), await modeOf(folder)]).toEqual([0o600, 0o700]);
  expect(await outputs.save('Bash', original, 'a part')).toBe(path);
  expect(await readdir(folder)).toHaveLength(1);
});

test('content that could not be stored is written from the text', async () => {
  const folder = join(temporaryFolder(), 'out');
  const outputs = new OutputFolder(folder, new BlobStore('/dev/null/nowhere'));
  const path = await outputs.save('Bash', undefined, 'all of it');
  expect(await readFile(path ?? '', 'utf8')).toBe('all of it');
  expect(await modeOf(path ?? '')).toBe(0o600);
});

test.each(['../../etc/passwd', 'a/b', '..', 'mcp__x__\u0000', '', 'x'.repeat(300), '名前'])(
  'a tool named %j cannot choose where its output goes',
  async (tool) => {
    const folder = join(temporaryFolder(), 'out');
    const blobs = new BlobStore(temporaryFolder());
    const path = await new OutputFolder(folder, blobs).save(tool, await blobs.put('text'), 'text');
    expect(await readdir(folder)).toEqual([path?.slice(folder.length + 1)]);
    expect(path?.slice(folder.length + 1)).toMatch(/^[A-Za-z0-9_-]{1,40}-[0-9a-f]{12}\.txt$/);
  },
);

test('a link or other file at its place is replaced, not written through', async () => {
  const folder = join(temporaryFolder(), 'out');
  const blobs = new BlobStore(temporaryFolder());
  const original = await blobs.put('text');
  const target = join(temporaryFolder(), 'mine');
  await writeFile(target, 'mine');
  await mkdir(folder);
  await symlink(target, join(folder, `Bash-${original.hash.slice(0, 12)}.txt`));
  const path = await new OutputFolder(folder, blobs).save('Bash', original, 'text');
  expect(await readFile(path ?? '', 'utf8')).toBe('text');
  expect(await readFile(target, 'utf8')).toBe('mine');
});

test('a folder that rejects writes costs only the pointer', async () => {
  const file = join(temporaryFolder(), 'file');
  await writeFile(file, '');
  const blobs = new BlobStore(temporaryFolder());
  const outputs = new OutputFolder(join(file, 'below'), blobs);
  expect(await outputs.save('Bash', await blobs.put('text'), 'text')).toBeUndefined();
});
