/** Creates private folders and makes new names durable. */
import { mkdir, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Creates the folder and missing parents with mode 0700, and syncs the new names to disk. */
export async function makeFolder(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 }).catch(async (error) => {
    // On a read-only disk, Node reports ENOENT for the whole path; creating the first missing folder gives the real
    // reason.
    await mkdir(await firstMissing(folder), { mode: 0o700 });
    throw error;
  });
  if (first === undefined) return;
  for (let made = folder; made.startsWith(first); made = dirname(made)) await syncFolder(dirname(made));
}

/** Makes the names in a folder durable. Ignores file systems that cannot sync a folder. */
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
