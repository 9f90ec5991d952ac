import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { messageEntry } from '../../../src/context/storage/newEntries.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { SessionExistsError } from '../../../src/context/storage/sessionStore.ts';
import { type JSONLEntry, parseEntry } from '../../../src/protocol/entries.ts';
import { cpuClock } from '../../cpuTime.ts';
import { unsealedLines } from './madeUpLog.ts';

let home: string;
let root: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'clawdcode-store-'));
  root = join(home, 'project');
  await mkdir(root);
});
afterEach(() => rm(home, { recursive: true, force: true }));

const makeStore = (now?: () => Date): PersistentStore =>
  new PersistentStore({
    dataRoot: join(home, 'data'),
    projectRoot: root,
    programVersion: '1.2.3',
    ...(now === undefined ? {} : { now }),
  });
const linesOf = async (file: string): Promise<JSONLEntry[]> =>
  unsealedLines(await readFile(file, 'utf8')).flatMap((line) => parseEntry(JSON.parse(line)) ?? []);

test('200 parallel saves are in call order, each linked to the previous one', async () => {
  const store = makeStore();
  const log = await store.createSession();
  await Promise.all(Array.from({ length: 200 }, (_, index) => log.saveMessage('user', `message ${index}`)));
  const lines = await linesOf(log.filePath);
  expect(lines.map((line) => line.message.content)).toEqual(
    Array.from({ length: 200 }, (_, index) => `message ${index}`),
  );
  expect(lines.map((line) => line.seq)).toEqual(lines.map((_, index) => index));
  expect(lines.map((line) => line.parentUuid)).toEqual([
    null,
    ...lines.slice(0, -1).map((line) => line.uuid),
  ]);
  expect(lines).toEqual(log.entries());
  await log.close();
  const again = await store.openSession(log.sessionId);
  const [next] = await again.saveMessage('user', 'after reopening');
  expect(next).toMatchObject({ seq: 200, parentUuid: lines.at(-1)?.uuid, version: '1.2.3', cwd: root });
  await again.close();
});

test('files are 0600 and folders 0700', async () => {
  const store = makeStore();
  const log = await store.createSession('mine');
  await log.saveMessage('user', 'secret');
  const blob = await log.blobs.put('secret');
  const mode = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
  for (const file of [
    log.filePath,
    join(store.folder, 'locks/mine.lock'),
    join(store.folder, 'locks/mine.lock.json'),
    log.blobs.pathOf(blob.hash),
  ])
    expect([file, await mode(file)]).toEqual([file, 0o600]);
  for (const folder of [
    join(home, 'data'),
    store.folder,
    join(store.folder, 'locks'),
    join(store.folder, 'blobs'),
  ])
    expect([folder, await mode(folder)]).toEqual([folder, 0o700]);
  await log.close();
});

test('every reason why a session cannot be opened has its own error', async () => {
  const store = makeStore();
  await expect(store.openSession('absent')).rejects.toMatchObject({ name: 'SessionNotFoundError' });
  for (const id of ['../../x', '-rf', '']) {
    for (const attempt of ['openSession', 'createSession', 'deleteSession'] as const)
      await expect(store[attempt](id)).rejects.toMatchObject({ name: 'InvalidSessionIdError' });
  }
  const log = await store.createSession('taken');
  // Nothing is written yet, but it is already taken.
  await expect(store.createSession('taken')).rejects.toMatchObject({ name: 'SessionLockedError' });
  await log.saveMessage('user', 'hello');
  for (const attempt of ['openSession', 'deleteSession'] as const)
    await expect(store[attempt]('taken')).rejects.toMatchObject({
      name: 'SessionLockedError',
      message: expect.stringContaining(`process ${process.pid}`),
    });
  await log.close();
  await expect(store.createSession('taken')).rejects.toMatchObject({ name: 'SessionExistsError' });
  await (await store.openSession('taken')).close();
});

test('a failed opening leaves no lock behind', async () => {
  const store = makeStore();
  await mkdir(join(store.folder, 'folder.jsonl'), { recursive: true });
  await expect(store.openSession('folder')).rejects.toMatchObject({ code: 'EISDIR' });
  await expect(store.openSession('folder')).rejects.toMatchObject({ code: 'EISDIR' });
});

test('an id is found by a unique prefix', async () => {
  const store = makeStore();
  await expect(store.resolveSessionId('a')).rejects.toMatchObject({ name: 'SessionNotFoundError' });
  for (const id of ['abc', 'abcd', 'xyz']) await save(store, id, ['hello']);
  expect(await store.resolveSessionId('abc')).toBe('abc');
  expect(await store.resolveSessionId('abcd')).toBe('abcd');
  expect(await store.resolveSessionId('x')).toBe('xyz');
  await expect(store.resolveSessionId('ab')).rejects.toMatchObject({ matches: ['abc', 'abcd'] });
  for (const nothing of ['', 'q', '../x'])
    await expect(store.resolveSessionId(nothing)).rejects.toMatchObject({ name: 'SessionNotFoundError' });
});

test('sessions of another project or data root are not visible', async () => {
  const here = makeStore();
  await save(here, 'mine', ['hello']);
  const elsewhere = [
    new PersistentStore({
      dataRoot: join(home, 'data'),
      projectRoot: join(home, 'other'),
      programVersion: '1',
    }),
    new PersistentStore({ dataRoot: join(home, 'data2'), projectRoot: root, programVersion: '1' }),
  ];
  for (const store of elsewhere) {
    expect(await store.listSessions()).toEqual([]);
    await expect(store.openSession('mine')).rejects.toMatchObject({ name: 'SessionNotFoundError' });
  }
});

test('the list is newest first, shows what each session was about, and omits empty ones', async () => {
  let clock = Date.parse('2026-03-01T10:00:00Z');
  const store = makeStore(() => {
    clock += 1000;
    return new Date(clock);
  });
  await save(store, 'older', [
    '\n  Fix the \u001b[31mparser\nplease',
    { assistant: 'Done.\nAll tests pass.' },
  ]);
  await save(store, 'newer', ['ls', { title: 'Looking around' }, 'and now?']);
  const empty = await store.createSession('empty');
  await empty.append([
    { type: 'system', subtype: 'session_start', message: { role: 'system', content: 'prompt' } },
  ]);
  await empty.close();
  await writeFile(join(store.folder, 'notes.txt'), 'not a session');
  await writeFile(join(store.folder, 'garbage.jsonl'), 'not a line\n');
  const list = await store.listSessions();
  expect(list).toMatchObject([
    { id: 'newer', title: 'Looking around', messageCount: 3, lastLines: ['> ls', '> and now?'] },
    {
      id: 'older',
      title: 'Fix the parser',
      messageCount: 2,
      gitBranch: undefined,
      lastLines: ['> Fix the parser', 'Done.'],
    },
  ]);
  const older = await store.loadSession('older');
  expect(list[1]?.createdAt.toISOString()).toBe(older?.entries[0]?.timestamp);
  expect(list[1]?.updatedAt.toISOString()).toBe(older?.entries[1]?.timestamp);
  expect(list[1]?.bytes).toBe((await stat(join(store.folder, 'older.jsonl'))).size);
});

test('title and last messages are found past large lines at either end', async () => {
  const store = makeStore();
  const large = 'x'.repeat(300_000);
  const log = await store.createSession('large');
  await log.append([
    { type: 'system', subtype: 'session_start', message: { role: 'system', content: large } },
  ]);
  await log.saveMessage('user', 'the question');
  await log.saveMessage('assistant', 'the answer');
  await log.saveToolResult({ id: 'c', output: large });
  await log.saveToolResult({ id: 'd', output: large });
  await log.close();
  expect(await store.listSessions()).toMatchObject([
    { title: 'the question', messageCount: 5, lastLines: expect.arrayContaining(['the answer']) },
  ]);
});

test('a session that starts with a large image or a command is listed by name', async () => {
  const store = makeStore();
  const picture = await store.createSession('picture');
  const image = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(6_000_000) };
  await picture.append([messageEntry('user', [{ type: 'text', text: 'what is this?' }, image])]);
  await picture.close();
  const shell = await store.createSession('shell');
  const message = { role: 'user', content: 'The user ran …' } as const;
  await shell.append([{ type: 'user', subtype: 'shell', message, data: { command: 'npm test' } }]);
  await shell.close();
  const titles = (await store.listSessions()).map(({ title }) => title).sort();
  expect(titles).toEqual(['!npm test', 'what is this?']);
});

test('200 sessions of a megabyte are listed without delay', { tags: 'long' }, async () => {
  const store = makeStore();
  await save(store, 'model', ['begin', { assistant: 'x'.repeat(1_000_000) }, 'end']);
  const text = await readFile(join(store.folder, 'model.jsonl'));
  await Promise.all(
    Array.from({ length: 199 }, (_, index) => writeFile(join(store.folder, `copy${index}.jsonl`), text)),
  );
  const spentMs = cpuClock();
  const list = await store.listSessions();
  expect(spentMs()).toBeLessThan(10_000);
  expect(list).toHaveLength(200);
  expect(list[0]).toMatchObject({ title: 'begin', messageCount: 3 });
});

test('deleting removes the log and its lock, and a missing one is not an error', async () => {
  const store = makeStore();
  await save(store, 'gone', ['hello']);
  await store.deleteSession('gone');
  await store.deleteSession('gone');
  expect(await store.listSessions()).toEqual([]);
  expect(await store.loadSession('gone')).toBeUndefined();
  expect(await readdir(join(store.folder, 'locks'))).toEqual([]);
});

/** A closed session with these messages. */
async function save(
  store: PersistentStore,
  id: string,
  said: readonly (string | { assistant: string } | { title: string })[],
): Promise<void> {
  const log = await store.createSession(id);
  for (const thing of said) {
    if (typeof thing === 'string') await log.saveMessage('user', thing);
    else if ('assistant' in thing) await log.saveMessage('assistant', thing.assistant);
    else
      await log.append([
        { type: 'system', subtype: 'title', message: { role: 'system', content: thing.title } },
      ]);
  }
  await log.close();
}

test('the session with the newest messages is found, not one created later without any', async () => {
  const store = makeStore();
  for (const [id, time] of [
    ['older', 1000],
    ['newest', 3000],
    ['silent', 5000],
  ] as const) {
    const log = await store.createSession(id);
    await log.append([
      { type: 'system', subtype: 'session_start', message: { role: 'system', content: '' } },
    ]);
    if (id !== 'silent') await log.saveMessage('user', `hello ${id}`);
    await log.close();
    await utimes(log.filePath, time, time);
  }
  expect((await store.latestSession())?.id).toBe('newest');
});

test('the latest session is found in long logs, whose first prompt and last message are far from the ends', async () => {
  const store = makeStore();
  const write = async (id: string, minute: number, titles: number): Promise<void> => {
    const log = await store.createSession(id);
    const note = { type: 'system', message: { role: 'system', content: 'x'.repeat(2000) } } as const;
    await log.append(Array.from({ length: 60 }, () => ({ ...note, subtype: 'notice' })));
    await log.saveMessage('user', `hello ${id}`);
    await log.append(Array.from({ length: titles }, () => ({ ...note, subtype: 'title' })));
    await log.close();
    // All lines get their time, and titles a later one.
    const lines = (await readFile(log.filePath, 'utf8')).trimEnd().split('\n');
    const timed = lines.map((line) => {
      const { crc: _, ...entry } = JSON.parse(line);
      const later = entry.subtype === 'title' ? 30 : 0;
      return JSON.stringify({ ...entry, timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute + later)) });
    });
    await writeFile(log.filePath, `${timed.join('\n')}\n`);
  };
  await write('renamed', 10, 60);
  await write('used', 20, 0);
  expect(await store.latestSession()).toEqual({
    id: 'used',
    updatedAt: new Date(Date.UTC(2026, 0, 1, 0, 20)),
  });
  expect((await store.listSessions()).map(({ id, updatedAt }) => [id, updatedAt.getUTCMinutes()])).toEqual([
    ['used', 20],
    ['renamed', 10],
  ]);
});

test('an id that is taken by an archive is not given to a new session', async () => {
  const store = makeStore();
  await mkdir(join(store.folder, 'archive'), { recursive: true });
  await writeFile(join(store.folder, 'archive', 'packed.jsonl.zst'), '');
  await expect(store.createSession('packed')).rejects.toThrow(SessionExistsError);
});

test('renaming an old session does not make it the one to resume', async () => {
  const store = makeStore();
  const at = (id: string, seq: number, minute: number, fields: object): string =>
    `${JSON.stringify({
      v: 1,
      seq,
      uuid: `${id}-${seq}`,
      parentUuid: seq === 0 ? null : `${id}-${seq - 1}`,
      sessionId: id,
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
      cwd: '/',
      version: '1',
      ...fields,
    })}\n`;
  const said = { type: 'user', subtype: 'prompt', message: { role: 'user', content: 'hello' } };
  const named = { type: 'system', subtype: 'title', message: { role: 'system', content: 'Named' } };
  await mkdir(store.folder, { recursive: true });
  await writeFile(join(store.folder, 'newer.jsonl'), at('newer', 0, 20, said));
  await utimes(
    join(store.folder, 'newer.jsonl'),
    Date.UTC(2026, 0, 1, 0, 20) / 1000,
    Date.UTC(2026, 0, 1, 0, 20) / 1000,
  );
  await writeFile(join(store.folder, 'older.jsonl'), at('older', 0, 10, said) + at('older', 1, 30, named));
  expect((await store.latestSession())?.id).toBe('newer');
  expect((await store.listSessions()).map(({ id, title }) => [id, title])).toEqual([
    ['newer', 'hello'],
    ['older', 'Named'],
  ]);
});

test('a fork becomes a session only once complete, even if the process is killed', async () => {
  const store = makeStore();
  const log = await store.createSession('original');
  await log.saveMessage('user', 'hello');
  const [entry] = log.entries();
  await log.close();
  const seen: unknown[] = [];
  async function* long(): AsyncGenerator<JSONLEntry> {
    for (let round = 0; round < 500; round++) if (entry !== undefined) yield entry;
    // As found by a program that starts after this one was killed here.
    const other = makeStore();
    seen.push(
      (await other.listSessions()).map(({ id }) => id),
      (await readdir(store.folder)).sort(),
    );
  }
  await store.forkSession(long(), undefined, 'copy');
  expect(seen).toEqual([['original'], ['blobs', 'locks', 'original.jsonl']]);
  expect((await store.listSessions()).map(({ id }) => id).sort()).toEqual(['copy', 'original']);
  expect(await readdir(join(store.folder, 'blobs/unfinished'))).toEqual([]);
  expect((await stat(join(store.folder, 'copy.jsonl'))).mode & 0o777).toBe(0o600);
  // A file that cannot be opened because it contains no messages is not an error.
  await store.forkSession([], undefined, 'empty');
  expect(await store.loadSession('empty')).toBeUndefined();
});

test('a failed fork leaves nothing behind', async () => {
  const store = makeStore();
  const log = await store.createSession('original');
  for (let turn = 0; turn < 5; turn++) await log.saveMessage('user', `turn ${turn}`);
  const entries = log.entries();
  await log.close();
  async function* full(): AsyncGenerator<JSONLEntry> {
    for (let round = 0; round < 100; round++) yield* entries;
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  await expect(store.forkSession(full(), undefined, 'copy')).rejects.toThrow('ENOSPC');
  expect(await readdir(join(store.folder, 'blobs/unfinished'))).toEqual([]);
  expect((await readdir(store.folder)).filter((name) => name.endsWith('.jsonl'))).toEqual(['original.jsonl']);
  expect(await store.forkSession(entries, undefined, 'copy')).toBe('copy');
  expect((await store.loadSession('copy'))?.entries).toHaveLength(entries.length);
});

test('a link in place of a log is not a session, and nothing is written through it', async () => {
  const store = makeStore();
  const log = await store.createSession('first');
  await log.saveMessage('user', 'hello');
  await log.close();
  const elsewhere = join(home, '.profile');
  await writeFile(elsewhere, 'umask 022\n');
  await symlink(elsewhere, join(store.folder, 'second.jsonl'));
  await symlink('/dev/zero', join(store.folder, 'third.jsonl'));
  expect((await store.listSessions()).map(({ id }) => id)).toEqual(['first']);
  expect((await store.latestSession())?.id).toBe('first');
  await expect(store.resolveSessionId('second')).rejects.toThrow('second');
  await expect(store.openSession('second')).rejects.toThrow('second');
  await expect(store.openReader('second')).rejects.toThrow('second');
  expect(await readFile(elsewhere, 'utf8')).toBe('umask 022\n');
});
