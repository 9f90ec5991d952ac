/** Appends to a session until it is killed; prints each acknowledged seq. */
import { writeSync } from 'node:fs';
import { PersistentStore } from '../../../src/context/storage/PersistentStore.ts';

const [dataRoot = '', projectRoot = '', sessionId = ''] = process.argv.slice(2);
const store = new PersistentStore({ dataRoot, projectRoot, programVersion: '0.0.0' });
const log = await store.openSession(sessionId);
writeSync(1, `open ${log.entries().length}\n`);
for (let index = 0; ; index += 1) {
  const size = 10 + ((index * 7919) % 60_000);
  const saving =
    index % 5 === 4
      ? log.saveCompaction('s'.repeat(size), { trigger: 'manual', preTokens: index })
      : log.append([
          { type: 'assistant', message: { role: 'assistant', content: 'x'.repeat(size) } },
          { type: 'user', subtype: 'prompt', message: { role: 'user', content: `prompt ${index}` } },
        ]);
  const added = await saving;
  writeSync(1, `${added.at(-1)?.seq}\n`);
}
