import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { renameSession } from '../../../src/cli/sessions/renameSession.ts';
import { PersistentStore } from '../../../src/context/index.ts';

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

// Linux has a device that is always full; elsewhere nothing so simple stands in for it.
test.skipIf(!existsSync('/dev/full'))('a title that the disk does not take is no title', async () => {
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
