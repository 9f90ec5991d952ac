import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test.each<[string, string | Uint8Array, number, number]>([
  ['nothing', '', 0, 0],
  ['text', 'a\nb\n', 4, 2],
  ['text without a final newline', 'a\né', 4, 2],
  ['binary data', Uint8Array.of(0, 255, 10, 10), 4, 2],
])('%s comes back by its hash', async (_name, data, bytes, lines) => {
  const store = new BlobStore(join(temporaryFolder(), 'blobs'));
  const ref = await store.put(data);
  expect(ref).toEqual({ hash: sha256(data), bytes, lines });
  expect(await store.read(ref)).toEqual(Buffer.from(data));
});

test('the same content is stored once, even if it arrives several times concurrently', async () => {
  const folder = join(temporaryFolder(), 'blobs');
  const store = new BlobStore(folder);
  const sink = store.openSink();
  sink.write('same');
  const refs = await Promise.all([store.put('same'), store.put('same'), sink.finish(), store.put('same')]);
  expect(new Set(refs.map((ref) => ref.hash)).size).toBe(1);
  expect(await filesIn(folder)).toEqual([sha256('same')]);
});

test('content truncated by a machine crash is stored again', async () => {
  const store = new BlobStore(temporaryFolder());
  const ref = await store.put('whole');
  await writeFile(store.pathOf(ref.hash), 'wh');
  await store.put('whole');
  expect(String(await store.read(ref))).toBe('whole');
});

test('content that does not match its name is not returned, and is replaced when stored again', async () => {
  const store = new BlobStore(temporaryFolder());
  const ref = await store.put('whole');
  await writeFile(store.pathOf(ref.hash), 'WHOLE');
  expect(await store.read(ref)).toBeUndefined();
  await store.put('whole');
  expect(String(await store.read(ref))).toBe('whole');
  await writeFile(store.pathOf(ref.hash), 'longer than it was');
  expect(await store.read(ref, { start: 0, end: 2 })).toBeUndefined();
  const sink = store.openSink();
  sink.write('whole');
  await sink.finish();
  expect(String(await store.read(ref, { start: 0, end: 2 }))).toBe('wh');
});

test('a folder that vanished is created again', async () => {
  const folder = join(temporaryFolder(), 'blobs');
  const store = new BlobStore(folder);
  await store.put('before');
  await rm(folder, { recursive: true });
  expect(String(await store.read(await store.put('after')))).toBe('after');
});

test('any part can be read, and a part beyond the end is empty', async () => {
  const store = new BlobStore(temporaryFolder());
  const text = '0123456789';
  const ref = await store.put(text);
  await fc.assert(
    fc.asyncProperty(fc.nat(15), fc.nat(15), async (start, end) => {
      expect(String(await store.read(ref, { start, end }))).toBe(end < start ? '' : text.slice(start, end));
    }),
    { numRuns: 50 },
  );
  expect(String(await store.read(ref, { start: 8 }))).toBe('89');
});

test('missing content reads as undefined; an invalid hash leads nowhere', async () => {
  const store = new BlobStore(temporaryFolder());
  expect(await store.read({ hash: sha256('absent') })).toBeUndefined();
  expect(await store.read({ hash: '../../etc/passwd' })).toBeUndefined();
  expect(() => store.pathOf('../../etc/passwd')).toThrow(TypeError);
});

test('a sink keeps everything up to the limit, then both ends, and says what is missing', {
  tags: 'long',
}, async () => {
  const folder = temporaryFolder();
  const [wholeBytes, edgeBytes] = [700_000, 90_000];
  const store = new BlobStore(folder, { wholeBytes, edgeBytes });
  let seed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.nat(1_500_000),
        fc.constantFrom(
          wholeBytes - 1,
          wholeBytes,
          wholeBytes + 1,
          wholeBytes + edgeBytes,
          wholeBytes + 3 * edgeBytes,
        ),
      ),
      fc.integer({ min: 1, max: 400_000 }),
      async (total, chunk) => {
        const data = Buffer.alloc(total);
        for (let at = 0; at + 4 <= total; at += 4) {
          seed = Math.imul(seed, 1664525) + 1013904223;
          data.writeInt32LE(seed | 0, at);
        }
        const sink = store.openSink();
        for (let at = 0; at < total; at += chunk) sink.write(data.subarray(at, at + chunk));
        const ref = await sink.finish();
        const kept =
          total <= wholeBytes
            ? data
            : Buffer.concat([data.subarray(0, edgeBytes), data.subarray(total - edgeBytes)]);
        const lines = kept.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
        expect(ref).toEqual({
          hash: sha256(kept),
          bytes: kept.length,
          lines: lines + (kept.length > 0 && kept.at(-1) !== 10 ? 1 : 0),
          ...(total <= wholeBytes
            ? {}
            : { originalBytes: total, omitted: { offset: edgeBytes, bytes: total - 2 * edgeBytes } }),
        });
        expect((await store.read(ref))?.equals(kept)).toBe(true);
        expect(await readdir(join(folder, 'unfinished')).catch(() => [])).toEqual([]);
        await rm(store.pathOf(ref.hash));
      },
    ),
    { numRuns: 25 },
  );
});

test('a sink copies text and bytes that its producer reuses, and its file has mode 0600', async () => {
  const store = new BlobStore(temporaryFolder());
  const sink = store.openSink();
  const buffer = Buffer.from('one ');
  sink.write(buffer);
  buffer.fill('x');
  sink.write('é'.repeat(300_000));
  const ref = await sink.finish();
  expect(await readFile(store.pathOf(ref.hash), 'utf8')).toBe(`one ${'é'.repeat(300_000)}`);
  expect((await stat(store.pathOf(ref.hash))).mode & 0o777).toBe(0o600);
  sink.write('late');
  await expect(sink.finish()).rejects.toThrow('already');
});

test('a discarded sink leaves nothing', async () => {
  const folder = temporaryFolder();
  const sink = new BlobStore(folder).openSink();
  sink.write(Buffer.alloc(600_000));
  expect(await filesIn(folder)).toHaveLength(1);
  await sink.discard();
  await sink.discard();
  expect(await filesIn(folder)).toEqual([]);
});

test('a failing disk is reported when the sink is finished, not on write', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  const store = new BlobStore(join(folder, 'file/blobs'));
  for (const size of [10, 600_000]) {
    const sink = store.openSink();
    sink.write(Buffer.alloc(size));
    sink.write('more');
    await expect(sink.finish()).rejects.toMatchObject({ code: 'ENOTDIR' });
  }
});

test('unfinished files of a crashed program are removed after a day, not before', async () => {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'unfinished'));
  for (const name of ['old', 'new']) await writeFile(join(folder, 'unfinished', name), '');
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  await utimes(join(folder, 'unfinished/old'), twoDaysAgo, twoDaysAgo);
  await new BlobStore(folder).put('x');
  expect(await readdir(join(folder, 'unfinished'))).toEqual(['new']);
});
