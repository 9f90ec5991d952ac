import { titleDraft } from '../agent/sessionFacts.ts';
import type { PersistentStore } from '../context/index.ts';

/**
 * Names a session that nobody has open. Rejects with the store's errors: not found, locked. Where its shell was left
 * stays as it is.
 */
export async function renameSession(store: PersistentStore, id: string, title: string): Promise<void> {
  const log = await store.openSession(id);
  try {
    const last = log.entries().at(-1);
    if (last !== undefined) log.setCwd(last.cwd);
    await log.append([titleDraft(title)]);
    await log.sync();
  } finally {
    await log.close();
  }
}
