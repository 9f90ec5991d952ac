/** What a removal leaves to be held in memory: what requests still show, and where the notes of what is gone stand. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { atomEntries, groupAtoms } from './atoms.ts';
import { liveEntries } from './live.ts';
import { pastOf } from './past.ts';
import { reductionOf } from './reductions.ts';
import { Removals } from './removals.ts';
import { lastCompaction, viewOf } from './view.ts';

/** True for what took messages out of the conversation to make room. */
export function isRemoval(entry: JSONLEntry): boolean {
  const reduction = reductionOf(entry);
  return reduction?.kind === 'remove' && (reduction.removed ?? []).length > 0;
}

/**
 * The removal behind which memory may begin, where no compaction made an end since: the one before the last, so that
 * the last can be taken back at once. Undefined where there is none yet that is not left already.
 */
export function removalToLeave(entries: readonly JSONLEntry[]): JSONLEntry | undefined {
  const { entries: live, undone } = liveEntries(entries);
  const through = pastOf(entries)?.throughSeq ?? -1;
  const from = lastCompaction(live, undone) + 2;
  return live
    .slice(from)
    .filter((entry) => entry.seq > through && !undone.has(entry.uuid) && isRemoval(entry))
    .at(-2);
}

/**
 * Uuids of what is needed of a log that ends with a removal, none of it undone; undefined where a call without its
 * reply (a damaged line) needs its neighbours to be what it is.
 */
export function shownAt(entries: readonly JSONLEntry[]): ReadonlySet<string> | undefined {
  const atoms = groupAtoms(entries);
  if (atoms.some(({ head }) => head.type === 'tool_use')) return undefined;
  const view = viewOf(entries);
  const shown = new Set(view.atoms.flatMap((atom) => atomEntries(atom).map(({ uuid }) => uuid)));
  // With its boundary.
  const summary = view.summary === undefined ? 0 : entries.indexOf(view.summary);
  if (summary > 0) for (const { uuid } of entries.slice(summary - 1, summary + 1)) shown.add(uuid);
  // With the user's messages that it quotes.
  for (const { uuid } of entries[summary - 1]?.compactMetadata?.userMessages ?? []) shown.add(uuid);
  const removals = new Removals();
  for (const entry of entries) {
    const reduction = reductionOf(entry);
    if (reduction === undefined) continue;
    removals.learn(entry, reduction);
    // A later note speaks for earlier ones: each names the one before it.
    if ((reduction.removed ?? []).length > 0) shown.add(entry.uuid);
  }
  for (const { uuid } of removals.places(atoms)) shown.add(uuid);
  return shown;
}

/** The same entries with all others of the atoms that any of them belongs to. */
export function withWholeAtoms(
  entries: ReadonlySet<JSONLEntry>,
  log: readonly JSONLEntry[],
): Set<JSONLEntry> {
  const whole = new Set(entries);
  for (const atom of groupAtoms(log)) {
    const own = atomEntries(atom);
    if (own.some((entry) => whole.has(entry))) for (const entry of own) whole.add(entry);
  }
  return whole;
}
