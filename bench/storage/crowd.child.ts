/** Opens a session again and again, writes a little and closes it; says how often it was refused, and how fast. */
import { setTimeout as wait } from 'node:timers/promises';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import { SessionLockedError } from '../../src/context/storage/sessionStore.ts';

const [dataRoot = '', projectRoot = '', sessionId = '', turns = '3', name = ''] = process.argv.slice(2);
const store = new PersistentStore({ dataRoot, projectRoot, programVersion: '0' });
let refused = 0;
let unnamed = 0;
const errors: string[] = [];
for (let done = 0, tries = 0; done < Number(turns) && tries < 20_000; tries += 1) {
  try {
    const log = await store.openSession(sessionId);
    const tag = `${name}/${done}`;
    for (let count = 0; count < 5; count += 1)
      await log.append([
        {
          type: 'user',
          subtype: 'prompt',
          message: { role: 'user', content: `${tag} ${count}`, tag },
        },
        { type: 'assistant', message: { role: 'assistant', content: 'x'.repeat(3000), tag } },
      ]);
    await log.close();
    done += 1;
    await wait(Math.random() * 20);
  } catch (error) {
    if (!(error instanceof SessionLockedError)) errors.push(String(error));
    else if (error.holder === undefined) unnamed += 1;
    refused += 1;
    await wait(Math.random() * 30);
  }
}
console.log(JSON.stringify({ refused, unnamed, errors }));
