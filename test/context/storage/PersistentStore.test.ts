import { mkdir, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PersistentStore } from '../../../src/context/storage/index.ts';
import { entrySchema, type JSONLEntry } from '../../../src/protocol/entries.ts';

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
  (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => entrySchema.parse(JSON.parse(line)));

test('200 parallel saves are in order of the calls, and each names the one before', async () => {
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
