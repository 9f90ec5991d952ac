/**
 * Background subagents whose end was not reported to the model before the program stopped: their results are only in
 * their logs.
 */

import { isBackgroundResult } from '../../agent/subagents/result.ts';
import { subagentNote } from '../../agent/tasks.ts';
import type { PersistentStore } from '../../context/index.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { owningCall, stoppedText } from './partialResult.ts';

interface UnreportedSubagents {
  /** For the model, one for each. */
  readonly notes: readonly NewEntry[];
  /** For the user; empty if there are none. */
  readonly notices: readonly string[];
}

/** Newest first, so that a session with many keeps those that matter. */
const MAX_TOLD = 20;

/** `entries`: those that the model still sees. */
export async function unreportedSubagents(
  entries: readonly JSONLEntry[],
  store: Pick<PersistentStore, 'loadSession'>,
): Promise<UnreportedSubagents> {
  const found = await Promise.all(
    unreportedIds(entries).map(async (id) => {
      const log = (await store.loadSession(id).catch(() => undefined))?.entries ?? [];
      const owner = owningCall(log);
      // A copy of a session has none of the logs: the original may still run.
      return owner === undefined ? [] : [{ id, owner, log, end: endOf(id, entries) }];
    }),
  );
  const told = found.flat();
  const notes = told.map(({ id, owner, log, end }) => subagentNote(id, stoppedText(id, owner, log, end)));
  const names = told.map(({ id, owner }) => `${id} (${owner.agent}: ${owner.description})`).join(', ');
  const [which, it] = told.length === 1 ? ['A background subagent', 'it'] : ['Background subagents', 'they'];
  const notice = `${which} stopped with the program: ${names}. The model is told what ${it} had found.`;
  return { notes, notices: told.length === 0 ? [] : [notice] };
}

/** Ids of background subagents without a note about their end, in the order in which they were started. */
function unreportedIds(entries: readonly JSONLEntry[]): readonly string[] {
  const told = new Set(
    entries.flatMap((entry) =>
      entry.subtype === 'nudge' && entry.data?.about === 'task' ? (entry.data.id ?? []) : [],
    ),
  );
  const started = entries.flatMap(({ toolResult }) =>
    isBackgroundResult(toolResult?.display) ? (toolResult?.display?.agent?.id ?? []) : [],
  );
  return [...new Set(started)].filter((id) => !told.has(id)).slice(-MAX_TOLD);
}

/** How it had ended, if it had: "Background task a1 ended (done) after 3 s." */
function endOf(id: string, entries: readonly JSONLEntry[]): string | undefined {
  const end = entries.findLast((entry) => entry.subtype === 'task' && entry.data?.id === id);
  return typeof end?.message.content === 'string' ? end.message.content : undefined;
}
