import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openSessions } from '../../../src/cli/sessionCommand/sessions.ts';
import { PersistentStore } from '../../../src/context/index.ts';
import { messageEntry } from '../../../src/context/storage/newEntries.ts';

test('a subcommand lists and searches without starting a thread', async () => {
  const base = await mkdtemp(join(tmpdir(), 'clawdcode-sessions-'));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const dataRoot = join(base, 'data');
  const log = await new PersistentStore({
    dataRoot,
    projectRoot: base,
    programVersion: '1',
  }).createSession();
  await log.append([messageEntry('user', 'count the needles')]);
  await log.close();
  let threads = 0;
  const onThread = (): void => {
    threads += 1;
  };
  subscribe('worker_threads', onThread);
  onTestFinished(() => void unsubscribe('worker_threads', onThread));
  const packageRoot = join(import.meta.dirname, '../../..');
  const place = { cwd: base, root: base, home: base, dataRoot, packageRoot, version: '1', env: {} };
  const sessions = await openSessions(place);
  onTestFinished(() => sessions.close());
  expect((await sessions.list({})).sessions.map(({ id }) => id)).toEqual([log.sessionId]);
  const found = await sessions.search('needles', { limit: 5, onWait: () => undefined });
  expect(found.map(({ session }) => session.id)).toEqual([log.sessionId]);
  expect(threads).toBe(0);
});
