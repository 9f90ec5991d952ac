/** Copies a session of another project into a new session: its entries, and the blobs they refer to. */
import { copyFile } from 'node:fs/promises';
import { type BlobStore, type PersistentStore, pointersOf } from '../../context/index.ts';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** Returns the new id. Streams, so the entries are never all in memory. Rejects on file system errors. */
export function copySession(
  entries: AsyncIterable<JSONLEntry>,
  from: Pick<PersistentStore, 'blobs'>,
  to: PersistentStore,
): Promise<string> {
  return to.forkSession(carrying(entries, from.blobs, to.blobs));
}

/** Yields the entries unchanged; copies each entry's blobs before yielding it. */
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

/** A missing blob must not prevent copying the conversation. */
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
