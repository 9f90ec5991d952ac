/**
 * Reports on compactions: the outcome, the preview (`/compact --preview`), and the changes of the last one (`/compact
 * --diff`).
 */
import type { CompactionDiff, CompactionPreview, ContextItem, Loss } from '../../protocol/contextReport.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { CompactionReport } from '../../protocol/events.ts';
import { contentText } from '../../protocol/messages.ts';
import { reductionRecords } from '../contextReport.ts';
import { evidenceTexts } from '../facts/entryText.ts';
import { knownFacts } from '../facts/knownFacts.ts';
import { atomEntries, isPrompt } from '../history/atoms.ts';
import { lastCompaction, retainedBy } from '../history/compactions.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { headOf } from '../tokens/truncate.ts';
import type { CompactionOutcome } from './job.ts';

type Facts = Pick<CompactionReport, 'trigger' | 'preTokens' | 'postTokens' | 'durationMs'>;

/** Builds the report of an outcome for the user. */
export function reportOf(outcome: CompactionOutcome, facts: Facts): CompactionReport {
  switch (outcome.type) {
    case 'cancelled':
      return {
        ...facts,
        outcome: 'cancelled',
        files: [],
        message: 'Compaction was stopped; nothing has changed.',
      };
    case 'refused':
      return { ...facts, outcome: 'refused', files: [], message: outcome.message };
    case 'clipped':
      return {
        ...facts,
        outcome: 'done',
        files: [],
        message: 'Large tool results were shortened; the originals are kept.',
      };
    case 'compacted': {
      const files = outcome.metadata.filesIncluded ?? [];
      if (outcome.fallback === undefined) return { ...facts, outcome: 'done', files };
      const why = outcome.fallback.replace(/\.$/, '');
      const message = `The summary could not be written: ${why}. It was rebuilt from the log instead; /uncompact undoes it.`;
      return { ...facts, outcome: 'fallback', files, message };
    }
  }
}

/** Report for a compaction that the user requested and that was refused. */
export function refusedReport(tokens: number, message: string): CompactionReport {
  return {
    outcome: 'refused',
    trigger: 'manual',
    preTokens: tokens,
    postTokens: tokens,
    files: [],
    durationMs: 0,
    message,
  };
}

interface PreviewFacts {
  readonly entries: readonly JSONLEntry[];
  /** The conversation's current items. */
  readonly items: readonly ContextItem[];
  readonly preTokens: number;
}

/** Builds the preview from an outcome that was not written. */
export function previewOf(outcome: CompactionOutcome, facts: PreviewFacts): CompactionPreview {
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
    const message = 'Nothing can be summarized, but large tool results would be shortened.';
    return { ...nothing, outcome: 'refused', message };
  }
  const { kept, userMessages } = outcome.plan;
  const copied = userMessages.map(({ entry }) => entry);
  const heads = new Set([...kept.map(({ head }) => head), ...copied].map(({ uuid }) => uuid));
  const staying = new Set([...kept.flatMap(atomEntries), ...copied]);
  const dropped = entries.filter(
    (entry) => entry.seq <= (outcome.lastMessageSeq ?? -1) && !staying.has(entry),
  );
  return {
    outcome: 'ready',
    preTokens,
    postTokens: outcome.metadata.postTokens ?? preTokens,
    summary: outcome.summary,
    files: outcome.metadata.filesIncluded ?? [],
    kept: items.filter(({ uuid }) => heads.has(uuid)),
    losses: lossesOf(`${outcome.summary}\n${entriesText([...staying])}`, dropped),
    unverified: outcome.unverified,
    ...(outcome.fallback === undefined
      ? {}
      : {
          message: `The model could not write a summary (${outcome.fallback}); this one is counted from the log.`,
        }),
  };
}

/** The changes made by the last compaction in effect; undefined if there is none. */
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
  const wasGone = summarizedIn(entries.slice(0, entries.indexOf(boundary)));
  const dropped = before.filter(({ uuid }) => !retained.has(uuid));
  const kept = before.filter(({ uuid }) => retained.has(uuid));
  return {
    record,
    summary: content,
    dropped: items.filter((item) => item.seq < boundary.seq && !retained.has(item.uuid) && !wasGone(item)),
    kept: items.filter(({ uuid }) => retained.has(uuid)),
    losses: lossesOf(`${content}\n${entriesText(kept)}`, dropped),
  };
}

/** Returns a test for items that the last compaction of this log left out. */
function summarizedIn(entries: readonly JSONLEntry[]): (item: ContextItem) => boolean {
  const live = liveEntries(entries);
  const boundary = live.entries[lastCompaction(live.entries, live.undone)];
  const retained = retainedBy(boundary, live.entries);
  return ({ uuid, seq }) => boundary !== undefined && seq < boundary.seq && !retained.has(uuid);
}

const MAX_LOSSES = 50;
const MAX_QUOTE = 200;

/**
 * Lists dropped facts that the request no longer contains: user messages that did not fit, and changed files that are
 * not named. Newest first, at most 50.
 */
function lossesOf(said: string, dropped: readonly JSONLEntry[]): Loss[] {
  const messages = dropped.filter(isPrompt).flatMap(({ message, seq }): Loss[] => {
    const text = contentText(message.content).trim();
    return text === '' || said.includes(text)
      ? []
      : [{ kind: 'message', text: headOf(text, MAX_QUOTE), seq }];
  });
  const root = dropped[0]?.cwd ?? '';
  const paths = knownFacts(dropped).files.flatMap(({ path, seq }): Loss[] => {
    const name = root !== '' && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
    return said.includes(name) ? [] : [{ kind: 'path', text: path, seq }];
  });
  return [...messages.reverse(), ...paths.reverse()].slice(0, MAX_LOSSES);
}

function entriesText(entries: readonly JSONLEntry[]): string {
  return entries.flatMap((entry) => [...evidenceTexts(entry)]).join('\n');
}
