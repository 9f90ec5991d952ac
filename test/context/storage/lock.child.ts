/** Takes a lock, reports it, and sleeps until it is killed. */
import { writeSync } from 'node:fs';
import { acquireSessionLock } from '../../../src/context/storage/SessionLock.ts';

const result = await acquireSessionLock(process.argv[2] ?? '');
writeSync(1, `${JSON.stringify(result.ok)}\n`);
setInterval(() => {}, 1000);
