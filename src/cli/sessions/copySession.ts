/** A new session of one project with the past of a session of another: its entries, and the originals they point to. */
import { copyFile } from 'node:fs/promises';
import { type BlobStore, type PersistentStore, pointersOf } from '../../context/index.ts';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** Returns the new id. Of any length: the entries are never all in memory. Rejects when the disk does. */
export function copySession(
  entries: AsyncIterable<JSONLEntry>,
  from: Pick<PersistentStore, 'blobs'>,
  to: PersistentStore,
): Promise<string> {
  return to.forkSession(carrying(entries, from.blobs, to.blobs));
}

/** The entries as they are; what one points to is there before it is. */
async function* carrying(
  entries: AsyncIterable<JSONLEntry>,
  from: BlobStore,
  to: BlobStore,
): AsyncGenerator<JSONLEntry> {
  const carried = new Set<string>();
  for await (const entry of entries) {
    for (const { hash, bytes } of pointersOf(entry)) {
      if (carried.has(hash)) continue;
      carried.add(hash);
      await carry({ hash, bytes }, from, to);
    }
    yield entry;
  }
}

/** An original that is gone is no reason to lose the conversation. */
async function carry(ref: BlobRef, from: BlobStore, to: BlobStore): Promise<void> {
  const file = to.newTemporaryFile();
  try {
    await copyFile(from.pathOf(ref.hash), file);
  } catch (error) {
    if (error instanceof TypeError || (error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  await to.adopt(file, ref);
}
