/** Holds a session open until it is killed. */
import { writeSync } from 'node:fs';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';

const [dataRoot = '', projectRoot = '', sessionId = ''] = process.argv.slice(2);
const store = new PersistentStore({ dataRoot, projectRoot, programVersion: '0' });
await store.openSession(sessionId);
writeSync(1, 'open\n');
setInterval(() => {}, 1000);
