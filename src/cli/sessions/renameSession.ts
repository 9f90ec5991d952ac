import { titleEntry } from '../../agent/sessionFacts.ts';
import type { PersistentStore, StorageProblem } from '../../context/index.ts';
import { StorageFailure } from './sessionErrors.ts';

/**
 * Sets the title of a session that is not open. Rejects with the store's errors (not found, locked), and with
 * `StorageFailure` on file system errors. Keeps the shell's last directory.
 */
export async function renameSession(
  store: Pick<PersistentStore, 'openSession'>,
  id: string,
  title: string,
): Promise<void> {
  const log = await store.openSession(id);
  const problems: StorageProblem[] = [];
  try {
    log.onProblem((problem) => problems.push(problem));
    // A missing lock does not prevent writing.
    problems.length = 0;
    const last = log.entries().at(-1);
    if (last !== undefined) log.setCwd(last.cwd);
    await log.append([titleEntry(title)]);
    await log.sync();
  } finally {
    await log.close();
  }
  const problem = problems.at(-1);
  if (problem !== undefined && problem.recovered !== true)
    throw new StorageFailure(`The title was not saved. Check the disk that holds ${log.filePath}.`);
}
