/** What the parts that look after one open session share. Types only, so that each of them can be read alone. */
import type { EntryDraft, JSONLEntry } from '../protocol/entries.ts';
import type { ThreadSummary } from './memory/ThreadSummary.ts';
import type { OfferedTools } from './OfferedTools.ts';
import type { Projection } from './Projection.ts';
import type { SessionLog } from './storage/index.ts';
import type { ContextManagerDeps } from './types.ts';

export type Append = (drafts: readonly EntryDraft[]) => Promise<readonly JSONLEntry[]>;

/** What the parts that reduce one session's context share. */
export interface SessionParts {
  readonly log: SessionLog;
  readonly projection: Projection;
  readonly deps: ContextManagerDeps;
  readonly append: Append;
  readonly thread: ThreadSummary;
  readonly offered: OfferedTools;
}
