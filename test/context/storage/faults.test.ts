/** A session whose disk fails: what is reported, what is kept, and what is on the disk in the end. */
import { appendFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { BlobStore } from '../../../src/context/storage/BlobStore.ts';
import { JSONLStore } from '../../../src/context/storage/JSONLStore.ts';
import { readLog } from '../../../src/context/storage/logReader.ts';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';
import { SessionLog } from '../../../src/context/storage/SessionLog.ts';
import type { StorageProblem } from '../../../src/context/storage/sessionStore.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';
import { realLog } from './realLog.ts';

const prompt = (content: string): NewEntry => ({
  type: 'user',
  subtype: 'prompt',
  message: { role: 'user', content },
});
const said = (entries: readonly JSONLEntry[]): unknown[] => entries.map((entry) => entry.message.content);

/** A log that retries at once. */
async function makeLog(
  store: JSONLStore,
  wholeBytes?: number,
): Promise<{ log: SessionLog; problems: StorageProblem[] }> {
  const folder = dirname(store.getFilePath());
  const log = new SessionLog({
    sessionId: 's',
    store,
    blobs: new BlobStore(join(folder, 'blobs')),
    contents: { entries: [], damaged: [] },
    projectRoot: folder,
    programVersion: '1',
    now: () => new Date(),
    release: () => {},
    retryMs: 1,
    wholeBytes,
  });
  onTestFinished(() => log.close());
  const problems: StorageProblem[] = [];
  log.onProblem((problem) => problems.push(problem));
  return { log, problems };
}

const recovered = (problems: readonly StorageProblem[]) =>
  expect.poll(() => problems.at(-1)?.recovered).toBe(true);

test('pending lines are written once the disk works again, without another append', async () => {
  const folder = join(temporaryFolder(), 'sessions');
  await writeFile(folder, 'a file where the folder should be');
  const store = new JSONLStore(join(folder, 's.jsonl'));
  const { log, problems } = await makeLog(store);
  await log.append([prompt('a')]);
  await log.append([prompt('b')]);
  expect(problems).toEqual([
    { message: expect.stringMatching(/not being saved: (ENOTDIR|EEXIST): .*\. The conversation continues/) },
  ]);
  await rm(folder);
  await recovered(problems);
  expect(await readLog(log.filePath)).toEqual({ entries: log.entries(), damaged: [] });
});

/** A disk that loses everything after its last successful sync, and whose next syncs fail. */
class Forgetful extends JSONLStore {
  failures = 0;
  #durable = 0;
  override async sync(): Promise<void> {
    const file = this.getFilePath();
    if (this.failures === 0) {
      await super.sync();
      this.#durable = (await readFile(file)).length;
      return;
    }
    this.failures -= 1;
    await this.close();
    await truncate(file, this.#durable);
    throw new Error('EIO: the disk forgot what it was told.');
  }
}

test('after a failed sync, everything since the last one is written again and read once', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const store = new Forgetful(file);
  const { log, problems } = await makeLog(store);
  await log.append([prompt('safe')]);
  await log.sync();
  await log.append([prompt('a')]);
  await log.append([prompt('b')]);
  store.failures = 2;
  await log.sync();
  expect(problems[0]?.message).toContain('EIO');
  await log.append([prompt('c')]);
  await recovered(problems);
  expect(await readLog(file)).toEqual({ entries: log.entries(), damaged: [] });
  expect(said(log.entries())).toEqual(['safe', 'a', 'b', 'c']);
});

/** A disk whose first sync loses its data and reports it late, while the next ones succeed at once. */
class Late extends JSONLStore {
  #tell = (): void => undefined;
  readonly #told = new Promise<void>((done) => {
    this.#tell = done;
  });
  #durable = 0;
  #syncs = 0;
  /** Starts to fail. */
  fails = false;
  /** Lets the failing sync report. */
  report(): void {
    this.#tell();
  }
  get syncs(): number {
    return this.#syncs;
  }
  override async sync(): Promise<void> {
    const file = this.getFilePath();
    if (!this.fails) {
      await super.sync();
      this.#durable = (await readFile(file)).length;
      return;
    }
    this.#syncs += 1;
    if (this.#syncs > 1) return super.sync();
    await truncate(file, this.#durable);
    await this.#told;
    throw new Error('EIO: the disk forgot what it was told.');
  }
}

test('a successful sync during a failing one does not hide what that one lost', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const store = new Late(file);
  const { log, problems } = await makeLog(store);
  await log.append([prompt('safe')]);
  await log.sync();
  await log.append([prompt('a')]);
  store.fails = true;
  const first = log.sync();
  await expect.poll(() => store.syncs).toBe(1);
  await log.append([prompt('b')]);
  const second = log.sync();
  const third = log.sync();
  // Only a log that does not wait for the first would reach the second here.
  await Promise.race([second, delay(50)]);
  store.report();
  await Promise.all([first, second, third]);
  await log.append([prompt('c')]);
  await recovered(problems);
  expect(await readLog(file)).toEqual({ entries: log.entries(), damaged: [] });
  expect(said(log.entries())).toEqual(['safe', 'a', 'b', 'c']);
  // The second and the third share one, and so may the retry of the failed one.
  expect(store.syncs).toBeLessThanOrEqual(3);
});

test('a large session keeps in memory what a disk may still lose', async () => {
  const file = join(temporaryFolder(), 's.jsonl');
  const store = new Forgetful(file);
  const { log, problems } = await makeLog(store, 0);
  const compacted = async (what: string): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await log.append([prompt(`${what} ${turn}`)]);
    await log.saveCompaction(`summary of ${what}`, { trigger: 'manual', preTokens: 9 });
  };
  for (const what of ['one', 'two']) await compacted(what);
  await log.sync();
  for (const what of ['three', 'four', 'five', 'six']) await compacted(what);
  expect(log.entries().some(({ subtype }) => subtype === 'past')).toBe(true);
  store.failures = 1;
  await log.sync();
  await recovered(problems);
  const { entries, damaged } = await readLog(file);
  expect(damaged).toEqual([]);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index));
  expect(entries).toHaveLength(6 * 7);
});

test.each<[string, (file: string) => Promise<unknown>]>([
  ['deleted', (file) => rm(file)],
  ['deleted with its folder', (file) => rm(dirname(file), { recursive: true })],
  [
    'replaced by an empty folder',
    async (file) => {
      await rm(dirname(file), { recursive: true });
      await mkdir(dirname(file));
    },
  ],
  ['moved away', (file) => rename(file, `${file}.moved`)],
  [
    'replaced by an older copy',
    async (file) => {
      const [first] = (await readFile(file, 'utf8')).split('\n');
      await writeFile(`${file}.copy`, `${first}\n`);
      await rename(`${file}.copy`, file);
    },
  ],
  ['truncated to nothing', (file) => truncate(file, 0)],
])(
  'a session that is %s while the program runs is complete again at the end of the turn',
  async (_what, vanish) => {
    const { store } = await realLog(temporaryFolder());
    const log = await store.openSession('real');
    onTestFinished(() => log.close());
    const before = await readLog(log.filePath);
    await vanish(log.filePath);
    const [added] = await log.append([prompt('afterwards')]);
    await log.sync();
    const { entries, damaged } = await readLog(log.filePath);
    expect(damaged).toEqual([]);
    expect(entries).toEqual([...before.entries, added]);
  },
);

test('a file that vanishes after the last append is noticed when the session is closed', async () => {
  const { store } = await realLog(temporaryFolder());
  const log = await store.openSession('real');
  const [added] = await log.append([prompt('the last')]);
  await rm(log.filePath);
  await log.sync();
  await log.close();
  expect((await readLog(log.filePath)).entries.at(-1)).toEqual(added);
});

test('deleting a session also removes the copies of its damaged parts', async () => {
  const { store, file } = await realLog(temporaryFolder());
  await appendFile(file, 'something secret that is no entry');
  await (await store.openSession('real')).close();
  const kept = join(store.folder, 'quarantine', 'real');
  expect(await readdir(kept)).toHaveLength(2);
  await store.deleteSession('real');
  await expect(readdir(kept)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(store.openSession('real')).rejects.toMatchObject({ name: 'SessionNotFoundError' });
});

test('a reader needs no lock, sees existing entries, and cannot write', async () => {
  const { store, entries } = await realLog(temporaryFolder());
  const writer = await store.openSession('real');
  onTestFinished(() => writer.close());
  // As if the writer were in the middle of a line.
  await writeFile(writer.filePath, `${await readFile(writer.filePath, 'utf8')}{"v":1,"seq":27,"uu`);
  const before = await readFile(writer.filePath);
  const reader = await store.openReader('real');
  expect(reader).toMatchObject({ isReadOnly: true, damaged: [] });
  expect(reader.entries()).toEqual(entries);
  await expect(reader.append([prompt('x')])).rejects.toMatchObject({ name: 'SessionReadOnlyError' });
  await reader.sync();
  await reader.close();
  expect(await readFile(writer.filePath)).toEqual(before);
  await expect(store.openSession('real')).rejects.toMatchObject({ name: 'SessionLockedError' });
  await expect(store.openReader('absent')).rejects.toMatchObject({ name: 'SessionNotFoundError' });
});

test('a session that is open elsewhere can be forked', async () => {
  const folder = temporaryFolder();
  const { store, entries } = await realLog(folder);
  const writer = await store.openSession('real');
  onTestFinished(() => writer.close());
  const other = new PersistentStore({
    dataRoot: join(folder, 'data'),
    projectRoot: join(folder, 'project'),
    programVersion: '1',
  });
  const reader = await other.openReader('real');
  const id = await other.forkSession(reader.entries());
  const fork = await readLog(join(other.folder, `${id}.jsonl`));
  expect(said(fork.entries)).toEqual(said(entries));
  expect(fork.damaged).toEqual([]);
});
