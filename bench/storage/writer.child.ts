/**
 * Appends to a session until it is killed; says "seq uuid" of each entry once its append has resolved. Writes are
 * short at random, as a system may make them, so that a kill finds lines half written.
 */
import { writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { PersistentStore } from '../../src/context/storage/PersistentStore.ts';
import { createRandom } from '../context/random.ts';
import { batch, text } from './entries.ts';

const [dataRoot = '', projectRoot = '', sessionId = '', seed = '1'] = process.argv.slice(2);
const random = createRandom(Number(seed));
await writeInChunks();
const store = new PersistentStore({ dataRoot, projectRoot, programVersion: '0.0.0' });
const log = await store.openSession(sessionId);
const large = text(random, 300_000);
// Made beforehand: a kill is to find the program writing, not thinking.
const batches = Array.from({ length: 40 }, () => batch(random, seed, 20_000));
writeSync(1, 'open\n');
for (;;) {
  // A large line is one that a kill can tear.
  const drafts = [...random.pick(batches)];
  if (random.next() < 0.1)
    drafts.push({ type: 'user', subtype: 'prompt', message: { role: 'user', content: large } });
  const appending = Array.from({ length: random.between(1, 4) }, async () => {
    const added = await (random.next() < 0.1
      ? log.saveCompaction('A summary. '.repeat(50), { trigger: 'manual', preTokens: 1 })
      : log.append(drafts));
    writeSync(1, added.map(({ seq, uuid }) => `${seq} ${uuid}\n`).join(''));
  });
  await Promise.all(appending);
  if (random.next() < 0.1) await log.sync();
}

async function writeInChunks(): Promise<void> {
  const probe = await open(process.execPath, 'r');
  const handles: FileHandle = Object.getPrototypeOf(probe);
  await probe.close();
  const write = handles.write;
  const short = async function (this: FileHandle, buffer: Buffer, offset: number, length: number) {
    const part = random.next() < 0.3 ? length : random.between(1, length + 1);
    if (part < length) await wait(2 * random.next());
    return Reflect.apply(write, this, [buffer, offset, part]);
  };
  Object.assign(handles, { write: short });
}
