/** Data for `/context`: past reductions, the next one, and the cache hits. Derived from the log. */
import type {
  ContextItem,
  ContextMeasure,
  ContextReport,
  ReductionRecord,
} from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { isTextPart } from '../protocol/messages.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import { type ContextSettings, strategyTraits } from '../protocol/settings/contextSettings.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { type Atom, groupAtoms, isPrompt } from './history/atoms.ts';
import { lastCompaction, retainedBy } from './history/compactions.ts';
import { afterEvictedPrefix, evictedPrefixOf } from './history/evictedPrefix.ts';
import { liveEntries } from './history/liveEntries.ts';
import { reductionOf } from './history/reductions.ts';
import type { View } from './history/view.ts';
import { instructionPath } from './memory/instructions.ts';
import { compressionHistory } from './strategies/CompressionHistory.ts';
import { allocateBudget, type WindowBudget } from './tokens/budgets.ts';
import { headOf } from './tokens/truncate.ts';

interface ReportFacts
  extends Pick<
    ContextReport,
    'measure' | 'next' | 'marks' | 'draft' | 'breakerIsOpen' | 'warnings' | 'triggerNote'
  > {
  readonly model: ModelInfo;
}

/** All data for `/context`, from the log and the facts of the next request. */
export function contextReport(entries: readonly JSONLEntry[], facts: ReportFacts): ContextReport {
  const { model, ...known } = facts;
  const reductions = reductionRecords(entries);
  const usage = entries.findLast(({ type, message }) => type === 'assistant' && message.usage !== undefined)
    ?.message.usage;
  const cache =
    usage === undefined || usage.estimated === true
      ? {}
      : { cache: { cachedTokens: usage.cached_tokens ?? 0, inputTokens: usage.input_tokens } };
  const nextInputUsd = priceOfNext(
    known.measure,
    model,
    stillCached(entries, known.measure, usage?.input_tokens ?? 0),
  );
  return {
    ...known,
    reductions,
    compactions: compressionHistory(reductions.filter(({ kind }) => kind !== 'window')).records,
    ...cache,
    ...(nextInputUsd === undefined ? {} : { nextInputUsd }),
  };
}

/** All recorded reductions, oldest first. A compaction counts as one, including the clips written with it. */
export function reductionRecords(entries: readonly JSONLEntry[]): readonly ReductionRecord[] {
  const { undone } = liveEntries(entries);
  const own = afterEvictedPrefix(entries);
  const records = own.flatMap((entry, index) => {
    const record = recordOf(entry, own.slice(index + 2, index + 4));
    return record === undefined ? [] : [{ ...record, isUndone: undone.has(entry.uuid) }];
  });
  return [...(evictedPrefixOf(entries)?.reductions ?? []), ...records];
}

function recordOf(
  entry: JSONLEntry,
  afterSummary: readonly JSONLEntry[],
): Omit<ReductionRecord, 'isUndone'> | undefined {
  const place = { uuid: entry.uuid, seq: entry.seq, timestamp: Date.parse(entry.timestamp) || 0 };
  const { compactMetadata } = entry;
  if (entry.subtype === 'compact_boundary' && compactMetadata !== undefined) {
    const { trigger, preTokens, postTokens, durationMs, strategy, success } = compactMetadata;
    const usage = afterSummary.find(({ subtype }) => subtype === 'usage')?.message.usage;
    return {
      ...place,
      kind: success === false ? 'fallback' : 'summary',
      reason: trigger === 'manual' ? '/compact' : 'the window filled up',
      preTokens,
      ...(strategy === undefined ? {} : { strategy }),
      ...(postTokens === undefined ? {} : { postTokens }),
      ...(durationMs === undefined ? {} : { durationMs }),
      covers: entry.seq,
      ...(usage === undefined
        ? {}
        : { usage: { inputTokens: usage.input_tokens, outputTokens: usage.output_tokens } }),
    };
  }
  const reduction = reductionOf(entry);
  // Reductions made by a compaction are included in its figures.
  if (reduction === undefined || reduction.reason === 'compaction') return undefined;
  const { kind, reason, strategy, preTokens, postTokens, durationMs } = reduction;
  const { replacements = [], removed = [], restored = [] } = reduction;
  return {
    ...place,
    kind,
    reason,
    preTokens,
    covers: replacements.length + removed.length + restored.length,
    ...(strategy === undefined ? {} : { strategy }),
    ...(postTokens === undefined ? {} : { postTokens }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

/**
 * Tokens that the provider may still have cached: the last request or, after a later reduction, only its unchanged
 * prefix.
 */
function stillCached(entries: readonly JSONLEntry[], { parts }: ContextMeasure, sentBefore: number): number {
  const last = entries.findLastIndex(({ type }) => type === 'assistant');
  const isChanged = entries
    .slice(last + 1)
    .some(({ subtype }) => subtype === 'compact_boundary' || subtype === 'reduction' || subtype === 'undo');
  const head = new Set(['tools', 'system', 'instructions']);
  return isChanged
    ? parts.reduce((sum, { name, tokens }) => sum + (head.has(name) ? tokens : 0), 0)
    : sentBefore;
}

/**
 * Input price of the next request in US dollars, if the cache still holds the last one; undefined if the price is
 * unknown.
 */
function priceOfNext(measure: ContextMeasure, { price }: ModelInfo, sentBefore: number): number | undefined {
  if (price === undefined) return undefined;
  const cached = Math.min(sentBefore, measure.usedTokens);
  return (cached * price.cachedInput + (measure.usedTokens - cached) * price.input) / 1e6;
}

// The conversation as a list of items to pin, drop and restore: one per atom, oldest first.

/** Maximum characters of a title. */
const TITLE = 80;

/** `sizeOf`: tokens of an atom as it would be sent. */
export function contextItems(
  entries: readonly JSONLEntry[],
  view: View,
  sizeOf: (atom: Atom) => number,
): readonly ContextItem[] {
  const shown = new Map(view.atoms.map((atom) => [atom.head.uuid, atom]));
  const pinnedFiles = new Set(view.instructions.map(({ uuid }) => uuid));
  const masked = maskedHeads(view);
  const live = liveEntries(entries);
  const boundary = live.entries[lastCompaction(live.entries, live.undone)];
  const retained = retainedBy(boundary, live.entries);
  const quoted = new Set(view.userMessages.map(({ entry }) => entry.uuid));
  const isSummarized = ({ seq, uuid }: JSONLEntry): boolean =>
    boundary !== undefined && seq < boundary.seq && (quoted.has(uuid) || !retained.has(uuid));
  return groupAtoms(live.entries).map((atom) => {
    const isShown = shown.has(atom.head.uuid) || pinnedFiles.has(atom.head.uuid);
    const isMasked = atom.calls.some(
      ({ result }) => result !== undefined && view.replacements.has(result.uuid),
    );
    const hidden = masked.has(atom.head.uuid) ? 'masked' : isSummarized(atom.head) ? 'summarized' : 'removed';
    return {
      ...itemOf(atom),
      tokens: Math.ceil(sizeOf(shown.get(atom.head.uuid) ?? atom)),
      state: isShown ? (isMasked ? 'masked' : 'sent') : hidden,
      isPinned: view.pinned.has(atom.head.uuid),
    };
  });
}

/** Heads of the atoms that a ledger in the view lists. */
function maskedHeads({ atoms }: View): ReadonlySet<string> {
  const notes = atoms.map(({ head }) => reductionOf(head)).filter((one) => one?.kind === 'mask');
  return new Set(notes.flatMap((note) => note?.removed ?? []));
}

function itemOf(atom: Atom): Pick<ContextItem, 'uuid' | 'seq' | 'kind' | 'title'> {
  const { head } = atom;
  return { uuid: head.uuid, seq: head.seq, kind: kindOf(atom), title: titleOf(atom) };
}

function kindOf({ kind, head }: Atom): ContextItem['kind'] {
  if (kind === 'reply') return 'reply';
  if (head.subtype === 'instructions') return 'instructions';
  return isPrompt(head) ? 'prompt' : 'note';
}

function titleOf({ head, calls }: Atom): string {
  const called = calls.map(({ call, result }) => {
    const title = result?.toolResult?.display?.title ?? '';
    return [call.tool?.name ?? '', title].filter((part) => part !== '').join(' ');
  });
  const text = head.subtype === 'instructions' ? instructionPath(head) : wordsOf(head.message.content);
  // Reads only the beginning: an item may be a megabyte long, and there may be ten thousand items.
  const said = headOf(text, 4 * TITLE)
    .replace(/\s+/g, ' ')
    .trim();
  return headOf([said, ...called].filter((part) => part !== '').join(' · '), TITLE);
}

/** The text of a message, without its images. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  return parts.map((part) => (isTextPart(part) ? part.text : '')).join(' ');
}

// Describes the next reduction, when it starts, and the budget warnings. Pure.

export type Forecast = Pick<
  ContextReport,
  'measure' | 'next' | 'marks' | 'draft' | 'breakerIsOpen' | 'warnings' | 'triggerNote'
>;

/** Explains why compaction starts earlier than at `compact.threshold`; undefined if it does not. */
export function triggerNote(
  { trigger, window, replyReserve, summaryReserve }: WindowBudget,
  { compact, compressionThreshold }: ContextSettings,
): string | undefined {
  if (trigger >= Math.floor(compact.threshold * window)) return undefined;
  const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
  const why =
    trigger === compressionThreshold
      ? 'context.compressionThreshold is set'
      : `${grouped(replyReserve)} tokens are reserved for the reply and ${grouped(summaryReserve)} for a summary`;
  return `Compaction starts at ${percent(trigger / window)} instead of ${percent(compact.threshold)}: ${why}.`;
}

/** The next automatic reduction and the token count at which it starts. */
export function nextStep(
  settings: ContextSettings,
  {
    maskAt,
    maskBatch,
    trigger,
    removeAt,
  }: WindowBudget & { readonly maskAt: number; readonly maskBatch: number },
  usedTokens: number,
): ContextReport['next'] {
  const { strategy, compact } = settings;
  if (strategy === 'off' || !compact.auto)
    return { action: 'nothing automatic; run /compact', atTokens: trigger };
  // Above its mark, masking runs as soon as it frees a batch: at the latest after that many more tokens.
  const ledgerAt = usedTokens < maskAt ? maskAt : usedTokens + maskBatch;
  const shortens = 'steps of earlier turns are shortened';
  if (strategyTraits[strategy].masks && ledgerAt < trigger)
    return {
      action: strategy === 'economy' ? 'earlier turns are summarized or shortened' : shortens,
      atTokens: ledgerAt,
    };
  if (strategy === 'mask-only') return { action: shortens, atTokens: removeAt };
  if (strategyTraits[strategy].summarizes) {
    if (usedTokens < trigger) return { action: 'a summary replaces the older messages', atTokens: trigger };
    return { action: 'older messages are shortened or removed if no summary is ready', atTokens: removeAt };
  }
  return { action: `older messages are removed (${strategy})`, atTokens: trigger };
}

/** Token counts at which the enabled reductions start; the limit always applies. */
export function thresholdsOf(
  { strategy, compact }: ContextSettings,
  { maskAt, removeAt, limit }: WindowBudget & { readonly maskAt: number },
): NonNullable<ContextReport['marks']> {
  if (strategy === 'off' || !compact.auto) return { limit };
  return { ...(strategyTraits[strategy].masks ? { maskAt } : {}), removeAt, limit };
}

/** Warnings for the user about the budget; empty if there are none. */
export function budgetWarnings(measure: ContextMeasure, { budget }: ContextSettings): readonly string[] {
  const sizes = new Map(measure.parts.map(({ name, tokens }) => [name, tokens]));
  const of = (...names: string[]): number => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const caps = allocateBudget(measure.windowTokens, budget);
  const warnings: string[] = [];
  const head = of('tools', 'system');
  if (head > caps.systemPrompt)
    warnings.push(
      `Tools and system prompt take ${grouped(head)} tokens, more than their share of ${grouped(caps.systemPrompt)} (context.budget.systemPrompt). They are sent in full.`,
    );
  const fixed = head + of('instructions');
  if (fixed > NEARLY_ALL * measure.triggerTokens)
    warnings.push(
      `Tools, system prompt and instructions take ${grouped(fixed)} of ${grouped(measure.triggerTokens)} tokens: little is left for the work. Shorten the instructions or choose a larger window.`,
    );
  return warnings;
}

/** Maximum share of the trigger for parts that cannot shrink, before the user is warned. */
const NEARLY_ALL = 0.7;
