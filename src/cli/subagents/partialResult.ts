/** What a subagent had found when the program stopped: the result of its call when the session is resumed. */
import { existsSync } from 'node:fs';
import { addProgress, noProgress, type Progress, stoppedResult } from '../../agent/subagents/result.ts';
import type { OpenCallResult, PersistentStore } from '../../context/index.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** Logs to read, newest first: open calls are among the last. */
const MAX_LOGS = 50;

/** Reads the log of the subagent that this call started; undefined if it had started none. */
export async function partialResult(
  callId: string,
  store: PersistentStore,
): Promise<OpenCallResult | undefined> {
  const ids = (await store.sessionIds()).toSorted((a, b) => numberOf(b) - numberOf(a)).slice(0, MAX_LOGS);
  for (const id of ids) {
    const entries = (await store.loadSession(id))?.entries ?? [];
    const owner = owningCall(entries);
    if (owner?.callId !== callId) continue;
    return stoppedResult(...stoppedParts(id, owner, entries));
  }
  return undefined;
}

/** What it had done, and its worktree if that is still there. */
function stoppedParts(
  id: string,
  { agent, description, worktree }: LogOwner,
  entries: readonly JSONLEntry[],
): Parameters<typeof stoppedResult> {
  const progress = progressOf(entries);
  const left = worktree !== undefined && existsSync(worktree.path) ? worktree : undefined;
  return [{ id, agent, description, log: undefined, progress, durationMs: 0 }, left];
}

/** The text for the model. `end`: how it had ended before the program stopped; absent if it was running. */
export function stoppedText(
  id: string,
  owner: LogOwner,
  entries: readonly JSONLEntry[],
  end: string | undefined,
): string {
  const [ended, worktree] = stoppedParts(id, owner, entries);
  return stoppedResult(ended, worktree, end).output;
}

const numberOf = (id: string): number => Number(/\d+$/.exec(id)?.[0] ?? 0);

interface LogOwner {
  readonly callId: string;
  readonly agent: string;
  readonly description: string;
  readonly worktree?: { readonly path: string; readonly branch: string };
}

/** The call that a subagent's log belongs to, from its header. */
export function owningCall(entries: readonly JSONLEntry[]): LogOwner | undefined {
  const header = entries.find(({ subtype }) => subtype === 'session_start');
  const configuration: unknown = header?.subtype === 'session_start' ? header.data?.configuration : undefined;
  const { subagent } = (configuration ?? {}) as { readonly subagent?: Partial<Record<string, unknown>> };
  if (typeof subagent?.callId !== 'string') return undefined;
  const { path, branch } = (subagent.worktree ?? {}) as {
    readonly path?: unknown;
    readonly branch?: unknown;
  };
  const worktree = typeof path === 'string' && typeof branch === 'string' ? { path, branch } : undefined;
  return {
    ...(worktree && { worktree }),
    callId: subagent.callId,
    agent: typeof subagent.agent === 'string' ? subagent.agent : 'subagent',
    description: typeof subagent.description === 'string' ? subagent.description : '',
  };
}

/** Folds a log as the events of the subagent would have been. */
function progressOf(entries: readonly JSONLEntry[]): Progress {
  const progress = entries.reduce((known, entry) => addProgress(known, { type: 'entry', entry }), noProgress);
  return { ...progress, step: entries.filter(({ type }) => type === 'assistant').length };
}
