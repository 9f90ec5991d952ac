/** The cache of derived values. */
import { rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readFilesContent } from '../../../src/context/index.ts';
import { CacheStore } from '../../../src/context/storage/CacheStore.ts';
import { fileStamp, isStampReliable } from '../../../src/protocol/files/fileStamp.ts';
import type { ToolOutcome } from '../../../src/protocol/tools.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { openWorkbench } from '../../tools/workbench.ts';
import { SUMMARY, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('`CacheStore` keeps 100 values for five minutes, and evicts the least recently used one', () => {
  let now = 0;
  const cache = new CacheStore<number>(100, 5 * 60_000, () => now);
  for (let key = 0; key < 100; key++) cache.set(`k${key}`, key);
  cache.set('k5', 55);
  expect(cache.size).toBe(100);
  expect([cache.get('k0'), cache.get('k5')]).toEqual([0, 55]);
  cache.set('new', 1);
  expect(cache.size).toBe(100);
  expect([cache.get('k0'), cache.get('k5'), cache.get('k1')]).toEqual([0, 55, undefined]);
  now = 5 * 60_000 - 1;
  expect(cache.get('k0')).toBe(0);
  now = 5 * 60_000;
  expect(cache.get('k0')).toBeUndefined();
  cache.set('fresh', 2);
  expect([cache.delete('fresh'), cache.delete('fresh'), cache.get('fresh')]).toEqual([
    true,
    false,
    undefined,
  ]);
  cache.clear();
  expect(cache.size).toBe(0);
});

test('a full cache evicts expired values before old ones', () => {
  let now = 0;
  const cache = new CacheStore<string>(3, 1000, () => now);
  cache.set('old', 'a', 10_000);
  cache.set('short', 'b', 100);
  cache.set('newer', 'c');
  now = 200;
  cache.set('newest', 'd');
  expect(['old', 'short', 'newer', 'newest'].map((key) => cache.get(key))).toEqual([
    'a',
    undefined,
    'c',
    'd',
  ]);
});

/** While a change might not alter the file's time, its content is not cached. */
const settle = (): Promise<void> => new Promise((done) => setTimeout(done, 120));

test('a file that Read has read is served from the cache until it is edited', async () => {
  const app = await createTestApp({ files: { 'a.txt': 'the first content\n' } });
  const path = join(app.root, 'a.txt');
  const open = await app.open();
  await settle();
  const read = async (input: object = {}): Promise<string> => {
    const calls = [use('Read', { file_path: 'a.txt', ...input })];
    const [, next] = await open.ask('look', { calls }, { text: 'Seen.' });
    return textOf(next?.messages.at(-1));
  };
  const hits = (): number => open.context.toolCache.stats.hits;
  const first = await read();
  expect(first).toContain('the first content');
  expect(hits()).toBe(0);
  expect(await read()).toBe(first);
  expect(hits()).toBe(1);
  // Another range is another read.
  expect(await read({ offset: 2 })).toContain('past its end');
  expect(hits()).toBe(1);

  // Another program: the same size, in place, with the old modification time.
  const { mtime, atime } = await stat(path);
  await writeFile(path, 'the other content\n');
  await utimes(path, atime, mtime);
  expect(await read()).toContain('the other content');
  // Or another file of the same size and time.
  await writeFile(join(app.root, 'b.txt'), 'the third content\n');
  await utimes(join(app.root, 'b.txt'), atime, mtime);
  await rename(join(app.root, 'b.txt'), path);
  expect(await read()).toContain('the third content');
  expect(hits()).toBe(1);

  // Our own tools invalidate it when they write.
  await settle();
  await read();
  const known = hits();
  expect(await read()).toContain('the third content');
  expect(hits()).toBe(known + 1);
  const before = open.context.toolCache.stats.entries;
  const edit = { file_path: 'a.txt', old_string: 'third', new_string: 'fresh' };
  await open.ask('edit', { calls: [use('Edit', edit)] }, { text: 'Done.' });
  expect(open.context.toolCache.stats.entries).toBeLessThan(before);
  expect(await read()).toContain('the fresh content');
  expect(hits()).toBe(known + 1);
});

test('the value cached for a file stamp is what Read returns', async () => {
  const kept = new Map<string, ToolOutcome>();
  const bench = await openWorkbench(
    {},
    {
      cache: {
        get: (path, stamp) => kept.get(`${path} ${stamp}`),
        set: (path, stamp, outcome) => void kept.set(`${path} ${stamp}`, outcome),
        drop: () => kept.clear(),
      },
    },
  );
  onTestFinished(bench.close);
  await writeFile(join(bench.root, 'a.txt'), 'on disk\n');
  const text = async (): Promise<string> => (await bench.call('Read', { file_path: 'a.txt' })).text;
  // Too new to be certain that the next change alters its time.
  expect(await text()).toContain('on disk');
  await settle();
  expect(await text()).toContain('on disk');
  expect(kept.size).toBe(1);
  for (const [key, outcome] of kept) kept.set(key, { ...outcome, text: 'from the cache' });
  expect(await text()).toBe('from the cache');
});

test('each fact of a file is part of its stamp, and an ambiguous stamp is not trusted', () => {
  const facts = { dev: 1n, ino: 2n, size: 3n, mtimeNs: 4_000_000_005n, ctimeNs: 6_000_000_007n, blocks: 8n };
  for (const key of ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const)
    expect(fileStamp({ ...facts, [key]: facts[key] + 1n })).not.toBe(fileStamp(facts));
  expect([6001, 6049, 6051].map((now) => isStampReliable(facts, now))).toEqual([false, false, true]);
  const whole = { ...facts, mtimeNs: 4_000_000_000n, ctimeNs: 6_000_000_000n };
  expect([6051, 7999, 8000].map((now) => isStampReliable(whole, now))).toEqual([false, false, true]);
  expect(isStampReliable({ ...facts, blocks: 0n }, 9000)).toBe(false);
});

test('a compaction’s quote of a file comes from the cache until the file is edited', async () => {
  const { root } = await createTestApp({ files: { 'a.txt': 'the first content\n' } });
  await settle();
  const cache = new CacheStore<string>(100, 300_000);
  const options = { maxLines: 10, maxCharacters: 1000, cache };
  const path = join(root, 'a.txt');
  const quote = async (): Promise<string | undefined> =>
    (await readFilesContent([path], options))[0]?.content;
  expect(await quote()).toBe('the first content\n');
  const [key] = cache.keys();
  if (key === undefined) throw new Error('nothing was kept');
  cache.set(key, 'from the cache');
  expect(await quote()).toBe('from the cache');
  const { mtime, atime } = await stat(path);
  await writeFile(path, 'the other content\n');
  await utimes(path, atime, mtime);
  expect(await quote()).toBe('the other content\n');
});

test('an edit invalidates what was read from a file', async () => {
  const app = await createTestApp({
    window: 100_000,
    files: { 'a.txt': 'the first content\n' },
  });
  const open = await app.open();
  const quoted = async (n: number): Promise<string> => {
    await open.ask(`look at a.txt ${n}`, { text: `Words. ${'And more of it. '.repeat(4000)}` });
    await open.ask(`and? ${n}`, { text: 'Short.' });
    await open.submit({ type: 'compact' }, { text: SUMMARY });
    const [next] = await open.ask(`go on ${n}`, { text: 'Yes.' });
    return JSON.stringify(next?.messages);
  };
  expect(await quoted(1)).toContain('the first content');
  // Of the same length, so that its size alone does not show the change.
  await writeFile(join(app.root, 'a.txt'), 'the other content\n');
  const after = await quoted(2);
  expect(after).toContain('the other content');
  expect(after).not.toContain('the first content');
});
