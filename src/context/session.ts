/** One open session: its log, what is projected from it, and the way to append. Shared by everything that works on it. */
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import { recordedDraft, ThreadSummary } from './memory/ThreadSummary.ts';
import { Projection } from './request/Projection.ts';
import { RequestRecorder } from './request/requestRecord.ts';
import { CacheStore } from './storage/CacheStore.ts';
import type { OpenLog } from './storage/sessionStore.ts';
import type { ContextManagerDeps } from './types.ts';

export interface Session {
  readonly log: OpenLog;
  readonly projection: Projection;
  readonly deps: ContextManagerDeps;
  /** Writes entries as one batch; the projection and the listeners learn of each once it is on disk. */
  readonly append: (entries: readonly NewEntry[]) => Promise<readonly JSONLEntry[]>;
  readonly thread: ThreadSummary;
  readonly recorder: RequestRecorder;
}

/**
 * The session of an opened log. `onEntry` is called with each entry once it is on disk. What was started in a session
 * ends up in its log, even when another session is open by then.
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
