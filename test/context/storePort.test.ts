/** Both stores pass the same suite: the files of the program, and the one in memory. */
import { MemorySessionStore, PersistentStore } from '../../src/context/index.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { storeSuite } from './storePort.ts';

storeSuite('sessions in files', async () => {
  const folder = temporaryFolder();
  return new PersistentStore({ dataRoot: `${folder}/data`, projectRoot: folder, programVersion: '1.0.0' });
});

storeSuite('sessions in files, each opened as one too large for memory', async () => {
  const folder = temporaryFolder();
  const place = { dataRoot: `${folder}/data`, projectRoot: folder, programVersion: '1.0.0' };
  return new PersistentStore({ ...place, wholeBytes: 0 });
});

storeSuite('sessions in memory', async () => new MemorySessionStore({ programVersion: '1.0.0' }));
