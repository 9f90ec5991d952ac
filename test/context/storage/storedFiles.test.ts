/** A project's folder that was copied from elsewhere may contain links: none is followed. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LongTermMemory } from '../../../src/context/memory/LongTermMemory.ts';
import { findMemoryFiles } from '../../../src/context/memory/memoryFiles.ts';
import { deleteSessionFiles } from '../../../src/context/storage/catalogue/deleteSession.ts';
import { openCatalogue } from '../../../src/context/storage/catalogue/SessionCatalogue.ts';
import { readOriginal } from '../../../src/context/storage/catalogue/words.ts';
import { resumePointFile, writeResumePoint } from '../../../src/context/storage/loadLog.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { lockFileOf, projectFolderIn } from '../../../src/context/storage/pathUtils.ts';
import { quarantineDamage } from '../../../src/context/storage/repair/damage.ts';
import { repairSession } from '../../../src/context/storage/repair/repairSession.ts';
import { acquireSessionLock } from '../../../src/context/storage/SessionLock.ts';
import { assertRealFolders, openStored, StoredLinkError } from '../../../src/context/storage/storedFiles.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const dayMs = 86_400_000;
const project = 'p';

/** A home with a session `id` of a project, and the user's own folder `docs` with an old file. */
async function setUp(id = 'one') {
  const home = temporaryFolder();
  const dataRoot = join(home, 'data');
  mkdirSync(join(home, 'work'));
  const store = new PersistentStore({
    dataRoot,
    projectRoot: join(home, 'work'),
    project,
    programVersion: '1',
  });
  const log = await store.createSession(id);
  await log.saveMessage('user', 'hello');
  await log.close();
  const docs = join(home, 'docs');
  const tax = join(docs, 'tax.txt');
  mkdirSync(docs);
  writeFileSync(tax, 'my taxes\n');
  const old = new Date(Date.now() - 30 * dayMs);
  utimesSync(tax, old, old);
  return { home, dataRoot, store, docs, tax, file: log.filePath, folder: store.folder };
}

function link(target: string, path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('a folder for unfinished contents that is a link is neither swept nor used', async () => {
  const { docs, tax, store, folder } = await setUp();
  link(docs, join(folder, 'blobs/unfinished'));
  await expect(store.openSession('one')).rejects.toThrow('blobs/unfinished is a link');
  expect(() => store.blobs.newTemporaryFile()).toThrow(StoredLinkError);
  await expect(store.blobs.put('x')).rejects.toThrow(StoredLinkError);
  expect(readFileSync(tax, 'utf8')).toBe('my taxes\n');
});

test('the sweep of unfinished contents removes plain files only', async () => {
  const { tax, store, folder } = await setUp();
  const path = link(tax, join(folder, 'blobs/unfinished/old'));
  lutimesSync(path, 1, 1);
  store.blobs.newTemporaryFile();
  expect(readFileSync(tax, 'utf8')).toBe('my taxes\n');
});

test('the note about who has a session open is a new file, never written through a link', async () => {
  const { tax, store, file } = await setUp();
  link(tax, `${lockFileOf(file)}.json`);
  const log = await store.openSession('one');
  expect(JSON.parse(readFileSync(`${lockFileOf(file)}.json`, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(readFileSync(tax, 'utf8')).toBe('my taxes\n');
  await log.close();
  expect(existsSync(tax)).toBe(true);
});

test.each(['lock', 'folder'])(
  'a %s that is a link is not used for locking, and the message says what to do',
  async (which) => {
    const { home, docs } = await setUp();
    const lock = join(home, 'other/locks/x.lock');
    const path = which === 'lock' ? link(join(docs, 'new'), lock) : link(docs, dirname(lock));
    await expect(acquireSessionLock(lock)).rejects.toThrow(`${path} is a link`);
    await expect(acquireSessionLock(lock)).rejects.toThrow('Remove the link');
    expect(existsSync(join(docs, 'new')) || existsSync(join(docs, 'x.lock'))).toBe(false);
  },
);

test('a lock file with contents is left to the user: SQLite would act on its journal', async () => {
  const { file, store } = await setUp();
  writeFileSync(lockFileOf(file), 'SQLite format 3\0');
  writeFileSync(`${lockFileOf(file)}-journal`, 'journal');
  const lock = await acquireSessionLock(lockFileOf(file));
  expect(lock).toMatchObject({
    ok: true,
    problem: expect.stringContaining('is not an empty file; remove it'),
  });
  expect(existsSync(`${lockFileOf(file)}-journal`)).toBe(true);
  await (await store.openSession('one')).close();
});

test.each(['quarantine', 'agents', 'resume', 'locks'])(
  'deleting a session named like a folder of the user removes nothing through %s, and nothing else either',
  async (name) => {
    const { home, dataRoot, docs, tax, store, folder, file } = await setUp('docs');
    // The lock's folder already exists.
    if (name === 'locks') {
      const { rmSync } = await import('node:fs');
      rmSync(join(folder, name), { recursive: true });
      writeFileSync(join(docs, 'docs.lock'), '');
    }
    link(name === 'locks' ? docs : home, join(folder, name));
    writeFileSync(join(home, 'docs.json'), '{}');
    const deleted = await deleteSessionFiles(dataRoot, project, 'docs');
    expect(deleted).toMatchObject({ type: 'failed', message: expect.stringContaining(`${name} is a link`) });
    await expect(store.deleteSession('docs')).rejects.toThrow(`${name} is a link`);
    expect(readFileSync(tax, 'utf8')).toBe('my taxes\n');
    expect(existsSync(join(home, 'docs.json'))).toBe(true);
    expect(existsSync(file)).toBe(true);
  },
);

test('a session’s own quarantine that is a link stops its deletion', async () => {
  const { dataRoot, docs, tax, folder, file } = await setUp();
  link(docs, join(folder, 'quarantine/one'));
  expect(await deleteSessionFiles(dataRoot, project, 'one')).toMatchObject({ type: 'failed' });
  expect(existsSync(tax) && existsSync(file)).toBe(true);
});

test('contents named by the log are not moved out of a folder that is a link', async () => {
  const { dataRoot, docs, folder, file } = await setUp();
  const hash = hashOf('x');
  writeFileSync(join(docs, hash), 'x');
  link(docs, join(folder, 'blobs', hash.slice(0, 2)));
  writeFileSync(file, `${readFileSync(file, 'utf8')}{"hash":"${hash}"}\n`);
  expect(await deleteSessionFiles(dataRoot, project, 'one')).toMatchObject({ type: 'done' });
  expect(readFileSync(join(docs, hash), 'utf8')).toBe('x');
});

test('damaged lines are not appended to what a link points to', async () => {
  const { tax, docs, folder, file } = await setUp();
  link(tax, join(folder, 'quarantine/one/damage.jsonl'));
  const damage = { line: 1, reason: 'not JSON', offset: 0, bytes: 5, lost: [] };
  expect(await quarantineDamage(file, [damage], new Date(0))).toEqual({
    folder: undefined,
    damaged: [damage],
  });
  expect(readFileSync(tax, 'utf8')).toBe('my taxes\n');
  link(docs, join(folder, 'quarantine/two'));
  const second = join(folder, 'two.jsonl');
  writeFileSync(second, `garbage\n${readFileSync(file, 'utf8')}`);
  expect(await repairSession(second)).toMatchObject({
    type: 'failed',
    reason: expect.stringContaining('is a link'),
  });
  expect(readFileSync(second, 'utf8')).toMatch(/^garbage/);
});

test('a resume point is not written into a folder that is a link', async () => {
  const { docs, folder, file } = await setUp();
  writeFileSync(join(docs, 'one.json'), 'theirs');
  link(docs, join(folder, 'resume'));
  await writeResumePoint(file, { format: 2 } as Parameters<typeof writeResumePoint>[1]);
  expect(resumePointFile(file)).toBe(join(folder, 'resume/one.json'));
  expect(readFileSync(join(docs, 'one.json'), 'utf8')).toBe('theirs');
});

test('content that is a link counts as missing, in part and in full', async () => {
  const { tax, store, folder } = await setUp();
  const hash = hashOf('my taxes\n');
  link(tax, store.blobs.pathOf(hash));
  expect(await store.blobs.read({ hash })).toBeUndefined();
  expect(await store.blobs.read({ hash }, { start: 0, end: 2 })).toBeUndefined();
  expect(readOriginal(folder, hash)).toBeUndefined();
  // Content that is stored again replaces the link.
  await store.blobs.put('my taxes\n');
  expect(String(await store.blobs.read({ hash }))).toBe('my taxes\n');
});

test('a project’s folder that is a link is not listed, and not used', async () => {
  const { home, dataRoot, folder } = await setUp();
  link(folder, join(dataRoot, 'projects/other'));
  const other = new PersistentStore({ dataRoot, projectRoot: home, project: 'other', programVersion: '1' });
  await expect(other.openSession('one')).rejects.toThrow('projects/other is a link');
  await expect(other.createSession('new')).rejects.toThrow(StoredLinkError);
  const catalogue = openCatalogue({ dataRoot });
  onTestFinished(() => catalogue.close());
  expect((await catalogue.list()).map((session) => session.project)).toEqual([project]);
});

test('links above the projects folder are allowed', async () => {
  const { home, folder } = await setUp();
  link(join(home, 'data'), join(home, 'linked'));
  const store = new PersistentStore({
    dataRoot: join(home, 'linked'),
    projectRoot: home,
    project,
    programVersion: '1',
  });
  await (await store.openSession('one')).close();
  assertRealFolders(join(home, 'linked/projects/p/agents/one'));
  link(folder, join(folder, 'agents'));
  expect(() => assertRealFolders(join(folder, 'agents/one'))).toThrow(`${join(folder, 'agents')} is a link`);
  await expect(store.forAgents('one').createSession('a1')).rejects.toThrow(StoredLinkError);
});

test('a pipe is not a stored file, and opening it does not block', async () => {
  const { execFileSync } = await import('node:child_process');
  const { folder } = await setUp();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await expect(openStored(pipe)).rejects.toThrow('not a regular file');
});

test('memories of a project are not read from or added to what a link points to', async () => {
  const { home, docs, folder } = await setUp();
  writeFileSync(join(docs, 'diary.md'), '- private\n');
  const folders = { user: join(home, 'none'), project: link(docs, join(folder, 'memory')) };
  const found = await findMemoryFiles(folders, () => false);
  expect(found).toMatchObject([{ path: folders.project, leftOut: 'link' }]);
  const memory = new LongTermMemory({ folders, isSensitive: () => false });
  expect(await memory.remember('a fact', 'project')).toMatchObject({ type: 'refused' });
  expect(existsSync(join(docs, 'notes.md'))).toBe(false);
});

test.each(['..', 'a/b', '', '.'])('%j is not a project’s folder name', (name) => {
  expect(() => projectFolderIn('/data', name)).toThrow(TypeError);
});
