import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { BlobStore } from '../../../../src/context/storage/BlobStore.ts';
import { archiveOldest } from '../../../../src/context/storage/catalogue/archiveSession.ts';
import { openCatalogue } from '../../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { PersistentStore } from '../../../../src/context/storage/PersistentStore.ts';
import { lockFileOf } from '../../../../src/context/storage/pathUtils.ts';
import { acquireSessionLock } from '../../../../src/context/storage/SessionLock.ts';
import { temporaryFolder } from '../../../temporaryFolder.ts';
import { addTo, type Catalogue, header, makeSession, reply, result, say } from './makeSessions.ts';

function open(dataRoot: string): Catalogue {
  const catalogue = openCatalogue({ dataRoot });
  onTestFinished(() => catalogue.close());
  return catalogue;
}

async function pagesOf(dataRoot: string): Promise<string> {
  const names = await readdir(join(dataRoot, 'index'));
  return (await Promise.all(names.map((name) => readFile(join(dataRoot, 'index', name), 'latin1')))).join();
}

const key = (id: string): { project: string; id: string } => ({ project: 'p', id });
const never = new AbortController().signal;
const dayMs = 86_400_000;

test('an archived session is listed and found, and unarchived byte for byte', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [
    header(),
    say('Ask this'),
    reply('the needle'.repeat(50)),
  ]);
  await utimes(file, 1000, 1000);
  const bytes = await readFile(file);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const [before] = await catalogue.list();
  const stored = await catalogue.archive(key('one'));
  const archive = join(dataRoot, 'projects/p/archive/one.jsonl.zst');
  expect(stored).toEqual({ type: 'done', file: archive, bytes: (await stat(archive)).size });
  expect(await readdir(join(dataRoot, 'projects/p'))).not.toContain('one.jsonl');
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  const [packed] = await catalogue.list();
  expect(packed).toEqual({ ...before, isArchived: true, file: archive, bytes: (await stat(archive)).size });
  expect(await catalogue.list({ archived: false })).toEqual([]);
  expect(await catalogue.search('ask')).toMatchObject([
    { seq: 1, who: 'you', session: { isArchived: true } },
  ]);
  // Nothing was read again for it, and an index built from the archive alone knows the same.
  expect(await catalogue.refresh()).toMatchObject({ indexedBytes: 0 });
  await catalogue.close();
  const other = temporaryFolder();
  await symlink(join(dataRoot, 'projects'), join(other, 'projects'));
  const fresh = open(other);
  expect(await fresh.list()).toMatchObject([{ id: 'one', title: 'Ask this', isArchived: true }]);
  expect(await fresh.search('ask')).toMatchObject([{ seq: 1 }]);
  expect(await fresh.refresh()).toMatchObject({ indexedBytes: bytes.length });
  expect(await fresh.search('ask')).toMatchObject([{ seq: 1 }]);
  expect(await fresh.list()).toMatchObject([{ messageCount: 3, lastLines: before?.lastLines }]);
  expect(await fresh.unarchive(key('one'))).toEqual({
    type: 'done',
    file: join(other, 'projects/p/one.jsonl'),
    bytes: bytes.length,
  });
  expect(await readFile(file)).toEqual(bytes);
  expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual([]);
  expect(await fresh.search('ask')).toMatchObject([{ seq: 1, session: { isArchived: false } }]);
});

test('text written after the last scan is found in the archive as well', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [say('first words')]);
  const catalogue = open(dataRoot);
  await catalogue.refresh();
  const store = new PersistentStore({
    dataRoot,
    projectRoot: '/src',
    project: 'p',
    programVersion: '1.0.0',
  });
  const log = await store.openSession('one');
  await log.append([say('later needle')]);
  await log.close();
  expect(log.filePath).toBe(file);
  await catalogue.archive(key('one'));
  const { indexedBytes } = await catalogue.refresh();
  expect(indexedBytes).toBeGreaterThan(0);
  expect(await catalogue.search('needle')).toMatchObject([{ session: { isArchived: true } }]);
  expect(await catalogue.refresh()).toMatchObject({ isComplete: true });
  expect(await catalogue.refresh()).toMatchObject({ indexedBytes: 0 });
  expect(await catalogue.search('needle')).toMatchObject([{ session: { isArchived: true } }]);
});

test('a session that is open is neither packed nor deleted', async () => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [say('x')]);
  const lock = await acquireSessionLock(lockFileOf(file));
  const catalogue = open(dataRoot);
  const held = { type: 'open', holder: { pid: process.pid } };
  expect(await catalogue.archive(key('one'))).toMatchObject(held);
  expect(await catalogue.remove(key('one'))).toMatchObject(held);
  if (lock.ok) lock.release();
  expect(await readFile(file, 'utf8')).toContain('"x"');
  expect(await catalogue.archive(key('one'))).toMatchObject({ type: 'done' });
});

test('a log is never overwritten by its archive, and a missing one is reported', async () => {
  const dataRoot = temporaryFolder();
  const catalogue = open(dataRoot);
  await makeSession(dataRoot, { id: 'one' }, [say('old')]);
  await catalogue.archive(key('one'));
  const file = await makeSession(dataRoot, { id: 'one' }, [say('new')]);
  expect(await catalogue.unarchive(key('one'))).toMatchObject({ type: 'failed', message: /EEXIST/ });
  expect(await readFile(file, 'utf8')).toContain('new');
  expect(await catalogue.archive(key('one'))).toMatchObject({ type: 'failed', message: /another session/ });
  // Deleting the new one reveals the old one.
  expect(await catalogue.remove(key('one'))).toMatchObject({ type: 'done' });
  await catalogue.refresh();
  expect(await catalogue.list()).toMatchObject([{ title: 'old', isArchived: true }]);
  expect(await catalogue.archive(key('two'))).toEqual({ type: 'missing' });
  expect(await catalogue.unarchive(key('two'))).toEqual({ type: 'missing' });
  await expect(catalogue.archive(key('../p/one'))).rejects.toThrow(/not a session id/);
});

test('after a crash between packing and removing, the log is packed again with later lines', async () => {
  const dataRoot = temporaryFolder();
  const catalogue = open(dataRoot);
  const place = { id: 'one' };
  const file = await makeSession(dataRoot, place, [say('first')]);
  const bytes = await readFile(file);
  await catalogue.archive(key('one'));
  await writeFile(file, bytes);
  await addTo(file, { ...place, seq: 1 }, [say('second')]);
  const whole = await readFile(file);
  expect(await catalogue.archive(key('one'))).toMatchObject({ type: 'done' });
  expect(await catalogue.unarchive(key('one'))).toMatchObject({ type: 'done' });
  expect(await readFile(file)).toEqual(whole);
});

/** An archive of 40 entries in several blocks, truncated to `bytes`. Returns its path and the lines of the log. */
async function damagedArchive(
  dataRoot: string,
  bytes?: number,
): Promise<{ archive: string; lines: string[] }> {
  const words = Array.from({ length: 40 }, (_, n) => say(`${n} ${randomBytes(10_000).toString('hex')}`));
  const file = await makeSession(dataRoot, { id: 'one' }, words);
  const lines = (await readFile(file, 'utf8')).split('\n');
  await open(dataRoot).archive(key('one'));
  const archive = join(dataRoot, 'projects/p/archive/one.jsonl.zst');
  await truncate(archive, bytes ?? (await stat(archive)).size >> 1);
  return { archive, lines };
}

test('the readable entries of a damaged archive are unarchived, and the archive is kept', async () => {
  const dataRoot = temporaryFolder();
  const { archive, lines } = await damagedArchive(dataRoot);
  const damaged = await readFile(archive);
  const catalogue = open(dataRoot);
  expect(await catalogue.refresh()).toMatchObject({ isComplete: true });
  expect(await catalogue.refresh()).toMatchObject({ indexedBytes: 0 });
  const [listed] = await catalogue.list();
  expect(listed).toMatchObject({ id: 'one', isArchived: true });
  const stored = await catalogue.unarchive(key('one'));
  const readable = (await readFile(join(dataRoot, 'projects/p/one.jsonl'), 'utf8')).split('\n');
  expect(readable.length).toBeGreaterThan(10);
  expect(readable).toEqual([...lines.slice(0, readable.length - 1), '']);
  expect(listed?.messageCount).toBe(readable.length - 1);
  const [kept = ''] = await readdir(join(dataRoot, 'projects/p/quarantine/one'));
  expect(kept).toMatch(/^one\.jsonl\.zst\.damaged-/);
  expect(await readFile(join(dataRoot, 'projects/p/quarantine/one', kept))).toEqual(damaged);
  expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual([]);
  expect(stored).toMatchObject({ type: 'done', lost: expect.stringContaining(kept) });
  expect(stored).toMatchObject({
    lost: expect.stringContaining(`entry #${readable.length - 2} cannot be read`),
  });
  expect(await catalogue.search(lines[0]?.match(/[0-9a-f]{40}/)?.[0] ?? '')).toEqual([]);
});

test.each([0, 5, 2000])(
  'a damaged archive of %i bytes without a readable entry stays, and can be deleted',
  async (bytes) => {
    const dataRoot = temporaryFolder();
    await damagedArchive(dataRoot, bytes);
    const catalogue = open(dataRoot);
    expect(await catalogue.refresh()).toMatchObject({ sessions: 1 });
    expect(await catalogue.find('one')).toMatchObject([{ id: 'one', isArchived: true }]);
    expect(await catalogue.unarchive(key('one'))).toMatchObject({ type: 'failed', message: /stays/ });
    expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual(['one.jsonl.zst']);
    expect(await catalogue.remove(key('one'))).toMatchObject({ type: 'done', bytes });
    expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual([]);
  },
);

test('keeps an archive that would unpack to far more than a log, and does not unpack it', async () => {
  const dataRoot = temporaryFolder();
  const { archive } = await damagedArchive(dataRoot);
  const lines = Buffer.alloc(140 * 2 ** 20, `${JSON.stringify({ v: 1 })}\n`);
  await writeFile(archive, zstdCompressSync(lines));
  const before = await readFile(archive);
  const catalogue = open(dataRoot);
  const stored = await catalogue.unarchive(key('one'));
  expect(stored).toMatchObject({ type: 'failed', message: /more than 128 MB.*one\.jsonl\.zst.*stays/ });
  expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual(['one.jsonl.zst']);
  expect((await readFile(archive)).equals(before)).toBe(true);
  expect(await readdir(join(dataRoot, 'projects/p'))).not.toContain('one.jsonl');
});

test('does not pack a log that would become such an archive', { tags: 'long' }, async () => {
  const dataRoot = temporaryFolder();
  await makeSession(dataRoot, { id: 'one' }, [header(), say('findme')]);
  const log = join(dataRoot, 'projects/p/one.jsonl');
  await appendFile(log, '\n'.repeat(140 * 2 ** 20));
  const catalogue = open(dataRoot);
  expect(await catalogue.archive(key('one'))).toMatchObject({ type: 'failed', message: /is kept/ });
  expect((await stat(log)).size).toBeGreaterThan(140 * 2 ** 20);
  expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual([]);
});

test('a damaged archive next to the log is kept when the log is packed', async () => {
  const dataRoot = temporaryFolder();
  const { archive } = await damagedArchive(dataRoot, 2000);
  const damaged = await readFile(archive);
  await makeSession(dataRoot, { id: 'one' }, [say('new')]);
  const catalogue = open(dataRoot);
  expect(await catalogue.archive(key('one'))).toMatchObject({ type: 'done' });
  const folder = join(dataRoot, 'projects/p/quarantine/one');
  const [kept = ''] = await readdir(folder);
  expect(await readFile(join(folder, kept))).toEqual(damaged);
  expect(await readdir(join(dataRoot, 'projects/p/archive'))).toEqual(['one.jsonl.zst']);
});

test('deleting another session keeps what a damaged archive may refer to', async () => {
  const dataRoot = temporaryFolder();
  const blobs = new BlobStore(join(dataRoot, 'projects/p/blobs'));
  const original = await blobs.put('shared');
  await damagedArchive(dataRoot, 2000);
  await makeSession(dataRoot, { id: 'two' }, [say('x'), result('Bash', 'cut', { original })]);
  const catalogue = open(dataRoot);
  expect(await catalogue.remove(key('two'))).toMatchObject({ type: 'done' });
  expect(`${await blobs.read(original)}`).toBe('shared');
});

test('above the limit, the oldest are packed, except open ones and those active today', async () => {
  const dataRoot = temporaryFolder();
  const now = Date.now();
  for (let age = 0; age < 12; age++) {
    const file = await makeSession(dataRoot, { id: `s${age}` }, [say(`age ${age}`)]);
    await utimes(file, now / 1000, (now - (age * dayMs) / 2 + 5000) / 1000);
  }
  const rule = { dataRoot, project: 'p', now, signal: never };
  const lock = await acquireSessionLock(lockFileOf(join(dataRoot, 'projects/p/s9.jsonl')));
  expect(await archiveOldest({ ...rule, maxSessions: 7 })).toEqual(['s11', 's10', 's8', 's7']);
  if (lock.ok) lock.release();
  expect(await archiveOldest({ ...rule, maxSessions: 1 })).toEqual(['s9', 's6', 's5', 's4', 's3']);
  expect(await archiveOldest({ ...rule, maxSessions: 1 })).toEqual([]);
  const stopped = AbortSignal.abort();
  expect(await archiveOldest({ ...rule, now: now + 9 * dayMs, maxSessions: 1, signal: stopped })).toEqual([]);
  expect(await open(dataRoot).list()).toHaveLength(12);
});

test('deleting removes what only that session uses and keeps what others use', async () => {
  const dataRoot = temporaryFolder();
  const folder = join(dataRoot, 'projects/p');
  const blobs = new BlobStore(join(folder, 'blobs'));
  const [mine, shared, packed] = [
    await blobs.put('mine'),
    await blobs.put('shared'),
    await blobs.put('packed'),
  ];
  const named = (...originals: object[]) => originals.map((original) => result('Bash', 'cut', { original }));
  const file = await makeSession(dataRoot, { id: 'one' }, [
    say('secretword'),
    ...named(mine, shared, packed),
  ]);
  await makeSession(dataRoot, { id: 'two' }, [say('other'), ...named(shared)]);
  await makeSession(dataRoot, { id: 'three' }, [say('third'), ...named(packed)]);
  await mkdir(join(folder, 'quarantine/one'), { recursive: true });
  await writeFile(join(folder, 'quarantine/one/0.bin'), 'damage');
  await mkdir(join(folder, 'resume'), { recursive: true });
  await writeFile(join(folder, 'resume/one.json'), '{}');
  const catalogue = open(dataRoot);
  await catalogue.archive(key('three'));
  await catalogue.refresh();
  const { size } = await stat(file);
  expect(await pagesOf(dataRoot)).toContain('cretword');
  expect(await catalogue.remove(key('one'))).toEqual({ type: 'done', file, bytes: size + 'mine'.length });
  expect([await blobs.read(mine), `${await blobs.read(shared)}`, `${await blobs.read(packed)}`]).toEqual([
    undefined,
    'shared',
    'packed',
  ]);
  expect(await readdir(join(folder, 'blobs/unfinished'))).toEqual([]);
  expect(await readdir(join(folder, 'quarantine'))).toEqual([]);
  expect(await readdir(join(folder, 'resume'))).toEqual([]);
  expect((await catalogue.list()).map(({ id }) => id).sort()).toEqual(['three', 'two']);
  expect(await catalogue.search('secretword')).toEqual([]);
  await catalogue.close();
  // Not even in unused pages of the index.
  expect(await pagesOf(dataRoot)).not.toContain('cretword');
  expect(await open(dataRoot).remove(key('one'))).toEqual({ type: 'missing' });
  expect(await open(dataRoot).remove(key('three'))).toMatchObject({ type: 'done' });
  expect(await blobs.read(packed)).toBeUndefined();
});

test('an original that a session starts to use during a deletion stays', { tags: 'long' }, async () => {
  const dataRoot = temporaryFolder();
  const blobs = new BlobStore(join(dataRoot, 'projects/p/blobs'));
  const original = await blobs.put('late');
  await makeSession(dataRoot, { id: 'one' }, [say('x'), result('Bash', 'cut', { original })]);
  // Created elsewhere, so that it appears at once.
  const elsewhere = temporaryFolder();
  const late = await makeSession(elsewhere, { id: 'late' }, [result('Bash', 'cut', { original })]);
  const deleting = open(dataRoot).remove(key('one'));
  await expect.poll(() => blobs.read(original), { interval: 5 }).toBeUndefined();
  await rename(late, late.replace(elsewhere, dataRoot));
  expect(await deleting).toMatchObject({ type: 'done' });
  expect(`${await blobs.read(original)}`).toBe('late');
});

test('an archive can be unpacked with zstd', async ({ skip }) => {
  const dataRoot = temporaryFolder();
  const file = await makeSession(dataRoot, { id: 'one' }, [say('x'.repeat(10_000))]);
  const bytes = await readFile(file);
  const stored = await open(dataRoot).archive(key('one'));
  try {
    execFileSync('zstd', ['--version']);
  } catch {
    skip('zstd is not installed');
  }
  expect(execFileSync('zstd', ['-dc', stored.type === 'done' ? stored.file : ''])).toEqual(bytes);
});
