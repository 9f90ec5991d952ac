/** What `/compact --preview` and `/compact --diff` tell: what stays, what goes, and what would no longer be said. */
import type { CompactionDiff, CompactionPreview, ContextItem } from '../../protocol/contextReport.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { reductionRecords } from '../contextReport.ts';
import { entryTexts } from '../facts/entryText.ts';
import { type Atom, atomEntries } from '../history/atoms.ts';
import { liveEntries } from '../history/live.ts';
import { retainedBy } from '../history/retained.ts';
import { lastCompaction } from '../history/view.ts';
import type { CompactionOutcome } from './job.ts';
import { lossesOf } from './losses.ts';
import { verifySummary } from './verifySummary.ts';

interface PreviewFacts {
  readonly entries: readonly JSONLEntry[];
  /** The conversation as it is. */
  readonly items: readonly ContextItem[];
  readonly preTokens: number;
}

/** From an outcome that was not written to what the user is shown of it. */
export async function previewOf(outcome: CompactionOutcome, facts: PreviewFacts): Promise<CompactionPreview> {
  const { entries, items, preTokens } = facts;
  const nothing = {
    preTokens,
    postTokens: preTokens,
    summary: '',
    files: [],
    kept: [],
    losses: [],
    unverified: [],
  };
  if (outcome.type === 'cancelled')
    return { ...nothing, outcome: 'cancelled', message: 'The preview was stopped.' };
  if (outcome.type === 'refused') return { ...nothing, outcome: 'refused', message: outcome.message };
  if (outcome.type === 'clipped') {
    const message = 'Nothing can be summarised, but large tool results would be shortened.';
    return { ...nothing, outcome: 'refused', message };
  }
  const kept = new Set(outcome.kept.map(({ head }) => head.uuid));
  const split = splitEntries(entries, outcome.kept, outcome.lastMessageSeq ?? -1);
  return {
    outcome: 'ready',
    preTokens,
    postTokens: outcome.metadata.postTokens ?? preTokens,
    summary: outcome.summary,
    files: outcome.metadata.filesIncluded ?? [],
    kept: items.filter(({ uuid }) => kept.has(uuid)),
    losses: lossesOf(outcome.summary, split.keptText, split.dropped),
    unverified: (await verifySummary(outcome.text, entries)).unverified,
    ...(outcome.fallback === undefined
      ? {}
      : {
          message: `The model could not write a summary (${outcome.fallback}); this one is counted together.`,
        }),
  };
}

/** What the last compaction that counts did; undefined when there is none. */
export function lastDiff(
  entries: readonly JSONLEntry[],
  items: readonly ContextItem[],
): CompactionDiff | undefined {
  const live = liveEntries(entries);
  const at = lastCompaction(live.entries, live.undone);
  const boundary = live.entries[at];
  const content = live.entries[at + 1]?.message.content;
  const record = reductionRecords(entries).find(({ uuid }) => uuid === boundary?.uuid);
  if (boundary === undefined || record === undefined || typeof content !== 'string') return undefined;
  const before = live.entries.slice(0, at);
  const retained = retainedBy(boundary, before);
  const wasGone = summarisedIn(entries.slice(0, entries.indexOf(boundary)));
  const dropped = before.filter(({ uuid }) => !retained.has(uuid));
  const kept = before.filter(({ uuid }) => retained.has(uuid));
  return {
    record,
    summary: content,
    dropped: items.filter((item) => item.seq < boundary.seq && !retained.has(item.uuid) && !wasGone(item)),
    kept: items.filter(({ uuid }) => retained.has(uuid)),
    losses: lossesOf(content, textOf(kept), dropped),
  };
}

/** What the last compaction of a log had left out. */
function summarisedIn(entries: readonly JSONLEntry[]): (item: ContextItem) => boolean {
  const live = liveEntries(entries);
  const boundary = live.entries[lastCompaction(live.entries, live.undone)];
  const retained = retainedBy(boundary, live.entries);
  return ({ uuid, seq }) => boundary !== undefined && seq < boundary.seq && !retained.has(uuid);
}

function splitEntries(
  entries: readonly JSONLEntry[],
  keptAtoms: readonly Atom[],
  lastMessageSeq: number,
): { readonly dropped: readonly JSONLEntry[]; readonly keptText: string } {
  const kept = new Set(keptAtoms.flatMap(atomEntries));
  return {
    dropped: entries.filter((entry) => entry.seq <= lastMessageSeq && !kept.has(entry)),
    keptText: textOf([...kept]),
  };
}

function textOf(entries: readonly JSONLEntry[]): string {
  return entries.flatMap((entry) => [...entryTexts(entry)]).join('\n');
}
