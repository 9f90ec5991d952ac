/** Folders that only their owner can read, and whose names last. */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder and those above it, 0700; the new names are on the disk afterwards. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error) => {
    // On a read-only disk Node says of the whole path that it does not exist; of the first folder it says why.
    await mkdir(await firstMissing(folder), { mode: 0o700 });
    throw error;
  });
  if (first === undefined) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the names in a folder durable; where a folder cannot be synced, its files still are. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function firstMissing(folder: string): Promise<string> {
  const parent = dirname(folder);
  const isThere = parent === folder || (await stat(parent).then(Boolean, () => false));
  return isThere ? folder : firstMissing(parent);
}
