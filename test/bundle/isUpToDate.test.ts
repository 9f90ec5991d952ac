import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isUpToDate } from '../../scripts/bundle/isUpToDate.mjs';

const OLD = new Date('2020-01-01');
const MADE = new Date('2020-01-02');
const NEW = new Date('2020-01-03');

/** Two sources that are older than their output. */
async function lay() {
  const root = await mkdtemp(join(tmpdir(), 'clawdcode-build-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const paths = {
    made: join(root, 'made'),
    folder: join(root, 'src'),
    deep: join(root, 'src/deep'),
    source: join(root, 'src/deep/a.ts'),
    lock: join(root, 'lock'),
  };
  await mkdir(paths.deep, { recursive: true });
  for (const path of [paths.made, paths.source, paths.lock]) await writeFile(path, '');
  for (const path of [paths.source, paths.deep, paths.folder, paths.lock]) await utimes(path, OLD, OLD);
  await utimes(paths.made, MADE, MADE);
  return { ...paths, isNew: () => isUpToDate(paths.made, [paths.folder, paths.lock]) };
}

test('an output newer than all its sources is up to date', async () => {
  const { isNew } = await lay();
  expect(await isNew()).toBe(true);
});

test.each(['source', 'deep', 'lock'] as const)(
  'a change to a %s makes the output out of date',
  async (which) => {
    const laid = await lay();
    await utimes(laid[which], NEW, NEW);
    expect(await laid.isNew()).toBe(false);
  },
);

test('a missing output is out of date', async () => {
  const laid = await lay();
  await rm(laid.made);
  expect(await laid.isNew()).toBe(false);
});
