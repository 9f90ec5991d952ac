import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copySession } from '../../../src/cli/openContext.ts';
import { readEntries } from '../../../src/cli/sessionCommand/readEntries.ts';
import { storeOfTarget } from '../../../src/cli/sessions/locateTarget.ts';
import { createSessionsPort, renameSession } from '../../../src/cli/sessions/sessionsPort.ts';
import { openCatalogue, PersistentStore } from '../../../src/context/index.ts';
import { messageEntry } from '../../../src/context/storage/newEntries.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';

/** A data folder with sessions of two projects, and the port for the screen of the first one. */
async function setUp() {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-port-'));
  const dataRoot = join(base, 'data');
  const catalogue = openCatalogue({ dataRoot });
  onTestFinished(async () => {
    await catalogue.close();
    await rm(base, { recursive: true, force: true });
  });
  const [here, there] = [join(base, 'here'), join(base, 'there')];
  const storeOf = (root: string) => new PersistentStore({ dataRoot, projectRoot: root, programVersion: '1' });
  const say = async (root: string, ...texts: string[]): Promise<string> => {
    const log = await storeOf(root).createSession();
    for (const text of texts)
      await log.append([messageEntry('user', text), messageEntry('assistant', `About ${text}`)]);
    await log.close();
    return log.sessionId;
  };
  const place = {
    cwd: here,
    root: here,
    home: base,
    dataRoot,
    packageRoot: base,
    version: '1',
    env: {},
  };
  return { port: createSessionsPort(place, catalogue), place, storeOf, say, here, there };
}

test('a project’s list has its own sessions, the full list has all', async () => {
  const { port, say, here, there } = await setUp();
  await say(here, 'First');
  await say(there, 'Second');
  const titles = async (project?: string): Promise<string[]> =>
    (await port.list(project === undefined ? {} : { project })).map(({ title }) => title).sort();
  // Without an index yet, and with one.
  expect(await titles(port.project)).toEqual(['First']);
  await port.refresh(() => undefined);
  expect(await titles(port.project)).toEqual(['First']);
  expect(await titles()).toEqual(['First', 'Second']);
});

test('text is found and previewed with its context', async () => {
  const { port, say, here } = await setUp();
  await say(
    here,
    ...Array.from({ length: 30 }, (_, index) => (index === 12 ? 'the zebra' : `number ${index}`)),
  );
  await port.refresh(() => undefined);
  const { signal } = new AbortController();
  const found = await port.search('zebra', { project: port.project, limit: 10, signal });
  if (found.type !== 'found') throw new Error(found.message);
  const [hit] = found.hits;
  if (hit === undefined) throw new Error('nothing was found');
  const around = await port.preview(hit.session, hit.seq, signal);
  expect(around.some(({ seq }) => seq === hit.seq)).toBe(true);
  expect(around.length).toBeLessThan(30);
  const end = await port.preview(hit.session, undefined, signal);
  expect(end.at(-1)?.message.content).toBe('About number 29');
});

test('a session is renamed, archived, renamed again, unarchived and deleted, each with a message', async () => {
  const { port, say, here } = await setUp();
  await say(here, 'First');
  const only = async () => {
    await port.refresh(() => undefined);
    const [session] = await port.list({ project: port.project });
    if (session === undefined) throw new Error('there is no session');
    return session;
  };
  expect(await port.rename(await only(), 'Mine')).toMatchObject({ type: 'done' });
  expect(await only()).toMatchObject({ title: 'Mine', titleSource: 'user', isArchived: false });
  expect(await port.archive(await only())).toMatchObject({
    type: 'done',
    message: expect.stringMatching(/^Archived: .* → /),
    session: { isArchived: true, file: expect.stringMatching(/\.zst$/) },
  });
  expect(await only()).toMatchObject({ title: 'Mine', isArchived: true });
  expect((await port.preview(await only(), undefined, new AbortController().signal)).length).toBeGreaterThan(
    1,
  );
  expect(await port.rename(await only(), 'Still mine')).toMatchObject({ type: 'done' });
  expect(await only()).toMatchObject({ title: 'Still mine', isArchived: true });
  expect(await port.unarchive(await only())).toMatchObject({ type: 'done' });
  expect(await port.remove(await only())).toMatchObject({
    type: 'done',
    message: expect.stringMatching(/^Deleted “Still mine”: freed /),
  });
  expect(await port.list({})).toEqual([]);
});

test('an open session cannot be renamed, archived or deleted; the message names the process that has it', async () => {
  const { port, say, storeOf, here } = await setUp();
  const id = await say(here, 'Held');
  const [session] = await port.list({});
  if (session === undefined) throw new Error('there is no session');
  const log = await storeOf(here).openSession(id);
  for (const deed of [port.rename(session, 'x'), port.archive(session), port.remove(session)])
    expect(await deed).toMatchObject({
      type: 'failed',
      message: expect.stringContaining(`process ${process.pid}`),
    });
  await log.close();
  expect(await port.list({})).toHaveLength(1);
});

test('a fork in another project has the entries up to a position and their stored outputs', async () => {
  const { storeOf, here, there } = await setUp();
  const from = storeOf(there);
  const log = await from.createSession();
  const original = await from.blobs.put('the whole output');
  const result = { id: 'c1', output: 'a part', original };
  await log.append([
    messageEntry('user', 'Run it'),
    { type: 'tool_result', message: { role: 'user', content: 'a part' }, toolResult: result },
    messageEntry('assistant', 'Done.'),
  ]);
  await log.close();
  const file = join(from.folder, `${log.sessionId}.jsonl`);
  const to = storeOf(here);
  const id = await copySession(
    readEntries({ file, isArchived: false }, { type: 'from', seq: 0, to: 1 }, () => {}),
    from,
    to,
  );
  const copy = await to.loadSession(id);
  expect(copy?.entries.map(({ seq }) => seq)).toEqual([0, 1]);
  expect(copy?.entries.every(({ sessionId }) => sessionId === id)).toBe(true);
  expect(String(await to.blobs.read(original))).toBe('the whole output');
  expect((await from.loadSession(log.sessionId))?.entries).toHaveLength(3);
});

test('everything that copied entries refer to is copied', async () => {
  const { storeOf, here, there } = await setUp();
  const from = storeOf(there);
  const [prompt, before, after, later, latest] = [
    await from.blobs.put('the whole prompt'),
    await from.blobs.put('the file before'),
    await from.blobs.put('the file after'),
    await from.blobs.put('of a newer program'),
    await from.blobs.put('of it as well'),
  ];
  const state = { type: 'file', mode: 0o644 } as const;
  const change = { path: '/a.txt', before: { ...state, ...before }, after: { ...state, ...after } };
  const log = await from.createSession();
  await log.append([
    {
      type: 'user',
      subtype: 'prompt',
      message: { role: 'user', content: 'a part' },
      data: { original: prompt },
    },
    {
      type: 'system',
      subtype: 'checkpoint',
      message: { role: 'system', content: '' },
      data: { cause: 'shell', changes: [change] },
    },
    madeUpNewEntry({
      type: 'system',
      subtype: 'telepathy',
      message: { role: 'system', content: '' },
      data: { original: later, replacements: [{ original: latest }] },
    }),
  ]);
  await log.close();
  const to = storeOf(here);
  const file = join(from.folder, `${log.sessionId}.jsonl`);
  await copySession(
    readEntries({ file, isArchived: false }, { type: 'from', seq: 0 }, () => {}),
    from,
    to,
  );
  expect(String(await to.blobs.read(prompt))).toBe('the whole prompt');
  expect(String(await to.blobs.read(before))).toBe('the file before');
  expect(String(await to.blobs.read(after))).toBe('the file after');
  expect(String(await to.blobs.read(later))).toBe('of a newer program');
  expect(String(await to.blobs.read(latest))).toBe('of it as well');
});

test('a session is stored in its project’s folder, and reading takes no lock', async () => {
  const { place, say, storeOf, here, there } = await setUp();
  const id = await say(there, 'Elsewhere');
  const project = storeOf(there).folder.split('/').at(-1) ?? '';
  expect(storeOfTarget({ type: 'id', id }, place)).toBe(undefined);
  expect(storeOfTarget({ type: 'id', id, project }, place)?.folder).toBe(storeOf(there).folder);
  const held = await storeOf(there).openSession(id);
  const reader = await storeOfTarget({ type: 'id', id, project, mode: 'read' }, place)?.openSession(id);
  expect(reader?.entries()).toHaveLength(2);
  await expect(reader?.append([messageEntry('user', 'No')])).rejects.toThrow();
  await held.close();
  expect(storeOfTarget({ type: 'id', id: 'x', mode: 'read' }, place)?.folder).toBe(storeOf(here).folder);
});

async function written(): Promise<PersistentStore> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-rename-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const store = new PersistentStore({ dataRoot: folder, projectRoot: folder, programVersion: '1.0.0' });
  const log = await store.createSession('abc');
  await log.saveMessage('user', 'hello');
  await log.close();
  return store;
}

test('a title is the last entry of the session', async () => {
  const store = await written();
  await renameSession(store, 'abc', 'Mine');
  expect((await store.loadSession('abc'))?.entries.at(-1)).toMatchObject({ subtype: 'title', seq: 1 });
});

// Linux has a device that is always full; other systems have nothing that simple.
test.skipIf(!existsSync('/dev/full'))('a title that cannot be written is not set', async () => {
  const store = await written();
  const filled: Pick<PersistentStore, 'openSession'> = {
    async openSession(id) {
      const log = await store.openSession(id);
      await rm(log.filePath);
      await symlink('/dev/full', log.filePath);
      return log;
    },
  };
  await expect(renameSession(filled, 'abc', 'Mine')).rejects.toMatchObject({
    name: 'StorageFailure',
    message: expect.stringMatching(/^The title was not saved\. Check the disk that holds .*abc\.jsonl\.$/),
  });
});
