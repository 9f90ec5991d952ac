/** One open session: its log, its projection and the function to append. Shared by all components of the engine. */
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import { recordedDraft, ThreadSummary } from './compaction/ThreadSummary.ts';
import { Projection } from './request/Projection.ts';
import { RequestRecorder } from './request/requestRecord.ts';
import { CacheStore } from './storage/CacheStore.ts';
import type { OpenLog } from './storage/sessionStore.ts';
import type { ContextManagerDeps } from './types.ts';

export interface Session {
  readonly log: OpenLog;
  readonly projection: Projection;
  readonly deps: ContextManagerDeps;
  /** Appends entries as one batch; updates the projection and calls the listeners once they are on disk. */
  readonly append: (entries: readonly NewEntry[]) => Promise<readonly JSONLEntry[]>;
  readonly thread: ThreadSummary;
  readonly recorder: RequestRecorder;
}

/**
 * Opens the session of a log. `onEntry` is called with each entry once it is on disk. Work that was started in a
 * session is recorded in its log, even if another session is open by then.
 */
export async function openSession(
  log: OpenLog,
  deps: ContextManagerDeps,
  onEntry: (entry: JSONLEntry) => void,
): Promise<Session> {
  const projection = new Projection(log, deps);
  await projection.load();
  const thread = new ThreadSummary(new CacheStore(deps.settings.cache.maxEntries));
  const draft = recordedDraft(log.entries());
  if (draft !== undefined) thread.set(draft);
  const append: Session['append'] = async (added) => {
    const entries = await log.append(added);
    for (const entry of entries) {
      projection.learn(entry);
      onEntry(entry);
    }
    return entries;
  };
  return { log, projection, deps, append, thread, recorder: new RequestRecorder(log, projection, append) };
}
