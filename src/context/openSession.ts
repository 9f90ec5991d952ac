import type { JSONLEntry } from '../protocol/entries.ts';
import { recordedDraft, ThreadSummary } from './memory/ThreadSummary.ts';
import { OfferedTools } from './OfferedTools.ts';
import { Projection } from './Projection.ts';
import { SessionContext } from './SessionContext.ts';
import { CacheStore, type SessionLog } from './storage/index.ts';
import type { ContextManagerDeps } from './types.ts';

/**
 * The context of a log that was opened. `onEntry` hears of each entry once it is on disk. Whatever is begun in a
 * session ends up in it, also when another one is open by then.
 */
export async function openSession(
  log: SessionLog,
  deps: ContextManagerDeps,
  onEntry: (entry: JSONLEntry) => void,
): Promise<SessionContext> {
  const projection = new Projection(log, deps);
  await projection.load();
  const thread = new ThreadSummary(new CacheStore(deps.settings.cache.maxEntries));
  const draft = recordedDraft(log.entries());
  if (draft !== undefined) thread.set(draft);
  return new SessionContext({
    log,
    projection,
    deps,
    async append(drafts) {
      const entries = await log.append(drafts);
      for (const entry of entries) {
        projection.learn(entry);
        onEntry(entry);
      }
      return entries;
    },
    thread,
    offered: new OfferedTools(log.entries()),
  });
}
