/**
 * Evicts the beginning of a log from memory: everything before a compaction or a removal, except entries that requests
 * still contain or later steps need. The view, the next compaction, totals and the screen are the same with the
 * remaining entries as with all of them (test/fuzz/large.ts).
 */
import { entryKinds, type JSONLEntry, kindOf } from '../../protocol/entries.ts';
import { reductionRecords } from '../contextReport.ts';
import { boundedFacts, knownFacts } from '../facts/knownFacts.ts';
import { atomEntries, groupAtoms, isPrompt } from './atoms.ts';
import { lastCompaction, retainedBy } from './compactions.ts';
import {
  afterEvictedPrefix,
  type EvictedPrefix,
  evictedPrefixEntry,
  evictedPrefixOf,
  usageByModel,
} from './evictedPrefix.ts';
import { LogFacts } from './LogFacts.ts';
import { isCorrection, liveEntries, rewindTarget, undoneBy } from './liveEntries.ts';
import { noteHeads, Removals, reductionOf, replacedHeadsIn, withReplaced } from './reductions.ts';
import { viewOf } from './view.ts';

/** Maximum reductions that `/context` can list from the evicted part. */
const MAX_RECORDS = 100;

/**
 * Evicts the entries before the compaction with this boundary uuid, or those taken by the removal with this uuid and by
 * earlier ones. Returns the same entries if it is not in effect, has nothing before it, or is followed by a correction
 * that reaches back before it, since that would need the evicted entries. In the result, the second entry stands for
 * the evicted part.
 */
export function evictPrefix(entries: readonly JSONLEntry[], boundaryUuid: string): readonly JSONLEntry[] {
  const { entries: live, undone } = liveEntries(entries);
  const at = live.findIndex(({ uuid }) => uuid === boundaryUuid);
  const end = endOf(live, at);
  const header = live[0];
  if (at < 2 || undone.has(boundaryUuid) || end === undefined || header === undefined) return entries;
  const before = live.slice(0, at).filter(({ uuid, subtype }) => subtype !== 'past' && !undone.has(uuid));
  const isOfRemoval = end === live[at];
  const shown = isOfRemoval ? shownAfterRemoval([...before, end]) : retainedBy(live[at], before);
  if (shown === undefined) return entries;
  const needed = staying(before, live.slice(at), shown, undone);
  // After a compaction only retained entries are grouped into atoms; after a removal all entries are.
  const stay = isOfRemoval ? withWholeAtoms(needed, before) : withPlaces(needed, before);
  // Failures count even if they were rewound since.
  const [earlier, later] = splitAt(entries, boundaryUuid);
  for (const entry of failuresSince(earlier)) stay.add(entry);
  const past = evictedPrefixEntry(pastThrough(entries, live, end), header);
  // Entries that were already undone or rewound stay without effect: no later correction needs them.
  const [first, ...others] = earlier.filter((entry) => stay.has(entry));
  const left =
    first === header
      ? [header, past, ...others, ...later]
      : [past, ...(first ? [first] : []), ...others, ...later];
  return absentTarget(left) === undefined ? left : entries;
}

/** The last entry of the evicted part: a compaction's summary, or the removal itself. */
function endOf(live: readonly JSONLEntry[], at: number): JSONLEntry | undefined {
  const [boundary, next] = [live[at], live[at + 1]];
  if (boundary === undefined) return undefined;
  if (boundary.subtype === 'compact_boundary') return next?.isCompactSummary === true ? next : undefined;
  return isRemoval(boundary) ? boundary : undefined;
}

function splitAt(
  entries: readonly JSONLEntry[],
  uuid: string,
): readonly [before: readonly JSONLEntry[], from: readonly JSONLEntry[]] {
  const at = entries.findIndex((entry) => entry.uuid === uuid);
  return [entries.slice(0, at), entries.slice(at)];
}

/** Describes everything through this entry. */
function pastThrough(
  entries: readonly JSONLEntry[],
  live: readonly JSONLEntry[],
  { seq: throughSeq, uuid: throughUuid }: JSONLEntry,
): EvictedPrefix {
  const known = evictedPrefixOf(entries);
  const isPast = ({ seq }: { readonly seq: number }): boolean => seq <= throughSeq;
  const own = afterEvictedPrefix(entries).filter(isPast);
  const learned = new LogFacts(known?.learned);
  for (const entry of own) if (reductionOf(entry)?.isGuess !== true) learned.learn(entry);
  const liveOwn = afterEvictedPrefix(live).filter(isPast);
  learned.relearn(liveOwn, known?.learned);
  return {
    throughSeq,
    throughUuid,
    facts: boundedFacts(knownFacts(live.filter(isPast))),
    learned: learned.state(),
    spent: usageByModel(own, known?.spent),
    reductions: reductionRecords(entries).filter(isPast).slice(-MAX_RECORDS),
  };
}

/** The entries before a compaction or removal that must stay in memory. */
function staying(
  before: readonly JSONLEntry[],
  since: readonly JSONLEntry[],
  shownThen: ReadonlySet<string>,
  undone: ReadonlySet<string>,
): Set<JSONLEntry> {
  const stay = new Set<JSONLEntry>();
  const shown = new Set(shownThen);
  for (const entry of since)
    if (!undone.has(entry.uuid)) for (const uuid of reductionOf(entry)?.restored ?? []) shown.add(uuid);
  for (const entry of before) if (shown.has(entry.uuid) || kindOf(entry)?.stays === 'all') stay.add(entry);
  for (const entry of newestOfEach(before)) stay.add(entry);
  for (const entry of lastReply(before)) stay.add(entry);
  for (const entry of replacedByNotes(before, shown)) stay.add(entry);
  const ids = new Set([...stay].map(({ uuid }) => uuid));
  const reductions = before.filter((entry) => concerns(entry, ids, shown));
  for (const entry of reductions) stay.add(entry);
  return stay;
}

/** Also keeps the heads whose place a note takes, since a note appears where its first removed entry was. */
function withPlaces(needed: ReadonlySet<JSONLEntry>, before: readonly JSONLEntry[]): Set<JSONLEntry> {
  const places = new Set([...needed].flatMap((entry) => [...noteHeads(entry).keys()]));
  return new Set([...needed, ...before.filter(({ uuid }) => places.has(uuid))]);
}

/** The newest of each kind of which only the newest applies, and the first prompt, which is the title. */
function newestOfEach(before: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const newest = newestOnly.map((is) => before.findLast(is));
  return [before.find(isPrompt), ...newest].flatMap((entry) => entry ?? []);
}

const newestOnly: readonly ((entry: JSONLEntry) => boolean)[] = [
  isPrompt,
  ...Object.values(entryKinds).flatMap((kind) =>
    kind.stays === 'newest' ? [(entry: JSONLEntry) => entry.subtype === kind.subtype] : [],
  ),
  // A title set by the user overrides a newer generated one, and after plan mode the previous mode returns.
  ({ subtype, data }) => subtype === 'title' && data?.source === 'user',
  ({ subtype, data }) => subtype === 'mode' && data?.mode !== 'plan',
  ({ toolResult }) => toolResult?.todos !== undefined,
];

/** The last reply with all its calls and results: a call without a result would look interrupted. */
function lastReply(before: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const from = before.findLastIndex(({ type }) => type === 'assistant');
  const [atom] = from === -1 ? [] : groupAtoms(before.slice(from));
  return atom === undefined ? [] : atomEntries(atom);
}

/** Failed summaries since the last successful one, which count towards the circuit breaker. */
function failuresSince(before: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const from = before.findLastIndex(
    ({ subtype, compactMetadata }) =>
      subtype === 'model' || (subtype === 'compact_boundary' && compactMetadata?.success !== false),
  );
  return before.slice(from + 1).filter(({ subtype }) => subtype === 'summary_failed');
}

/**
 * Entries behind the notes that requests still contain. A later note that removes one of these becomes the only pointer
 * to the entries behind it, so it needs the reductions that give their number, and the first and the last message.
 */
function replacedByNotes(before: readonly JSONLEntry[], shown: ReadonlySet<string>): readonly JSONLEntry[] {
  const headsByNote = replacedHeadsIn(before);
  const taken = new Set(before.flatMap((entry) => reductionOf(entry)?.removed ?? []));
  const standing = [...headsByNote.keys()].filter((note) => shown.has(note) && !taken.has(note));
  const ends = standing.flatMap((note) => {
    const all = withReplaced([note], headsByNote);
    const messages = before.filter(({ uuid }) => all.has(uuid) && !headsByNote.has(uuid));
    return [...messages.slice(0, 1), ...messages.slice(-1)];
  });
  const all = withReplaced(standing, headsByNote);
  const isBehind = (entry: JSONLEntry): boolean =>
    [...noteHeads(entry).values()].some(({ uuid }) => all.has(uuid));
  return [...withWholeAtoms(new Set(ends), before), ...before.filter(isBehind)];
}

/** True for pins and reductions of an entry that stays. */
function concerns(entry: JSONLEntry, ids: ReadonlySet<string>, shown: ReadonlySet<string>): boolean {
  if (entry.subtype === 'pin') return typeof entry.data?.uuid === 'string' && ids.has(entry.data.uuid);
  const reduction = reductionOf(entry);
  if (reduction === undefined) return false;
  if (shown.has(entry.uuid) || reduction.notes?.some((_, index) => shown.has(`${entry.uuid}:${index}`)))
    return true;
  const named = [
    ...(reduction.removed ?? []),
    ...(reduction.restored ?? []),
    ...(reduction.replacements ?? []).map(({ uuid }) => uuid),
  ];
  return named.some((uuid) => ids.has(uuid));
}

// Finds the entries to keep after a removal: those that requests still contain, and the places of notes.

/** True for a reduction that removed messages to make room. */
export function isRemoval(entry: JSONLEntry): boolean {
  const reduction = reductionOf(entry);
  return reduction?.kind === 'remove' && (reduction.removed ?? []).length > 0;
}

/**
 * The removal up to which the log can be evicted, if no compaction came later: the last but one, so that the last one
 * can be undone at once. Undefined if there is none that is not evicted yet.
 */
export function removalToEvict(entries: readonly JSONLEntry[]): JSONLEntry | undefined {
  const { entries: live, undone } = liveEntries(entries);
  const through = evictedPrefixOf(entries)?.throughSeq ?? -1;
  const from = lastCompaction(live, undone) + 2;
  return live
    .slice(from)
    .filter((entry) => entry.seq > through && !undone.has(entry.uuid) && isRemoval(entry))
    .at(-2);
}

/**
 * Uuids to keep of a log that ends with a removal and has no undone entries. Undefined if a call has lost its reply (a
 * damaged line), because then its atom depends on neighboring entries.
 */
function shownAfterRemoval(entries: readonly JSONLEntry[]): ReadonlySet<string> | undefined {
  const atoms = groupAtoms(entries);
  if (atoms.some(({ head }) => head.type === 'tool_use')) return undefined;
  const view = viewOf(entries);
  const shown = new Set(view.atoms.flatMap((atom) => atomEntries(atom).map(({ uuid }) => uuid)));
  // The summary with its boundary.
  const summary = view.summary === undefined ? 0 : entries.indexOf(view.summary);
  if (summary > 0) for (const { uuid } of entries.slice(summary - 1, summary + 1)) shown.add(uuid);
  // The user messages that the summary quotes.
  for (const { uuid } of entries[summary - 1]?.compactMetadata?.userMessages ?? []) shown.add(uuid);
  const removals = new Removals();
  for (const entry of entries) {
    const reduction = reductionOf(entry);
    if (reduction === undefined) continue;
    removals.learn(entry, reduction);
    // A later note covers earlier ones, and each names the one before it.
    if ((reduction.removed ?? []).length > 0) shown.add(entry.uuid);
  }
  for (const { uuid } of removals.places(atoms)) shown.add(uuid);
  return shown;
}

/** Adds all other entries of the atoms that these entries belong to. */
function withWholeAtoms(entries: ReadonlySet<JSONLEntry>, log: readonly JSONLEntry[]): Set<JSONLEntry> {
  const whole = new Set(entries);
  for (const atom of groupAtoms(log)) {
    const own = atomEntries(atom);
    if (own.some((entry) => whole.has(entry))) for (const entry of own) whole.add(entry);
  }
  return whole;
}

// Checks whether the entries in memory are enough: a correction that reaches back before them needs more of the log.

/** A correction or restoration, and the entry that it names. */
export interface Target {
  readonly uuid: string;
  readonly by: JSONLEntry;
}

/** The first correction or reduction that needs an entry that is not in memory. */
export function absentTarget(entries: readonly JSONLEntry[]): Target | undefined {
  const past = evictedPrefixOf(entries);
  if (past === undefined) return undefined;
  const { throughSeq: through, throughUuid } = past;
  const later = entries.filter((entry) => entry.seq > through);
  if (!later.some((entry) => isCorrection(entry) || entry.subtype === 'reduction')) return undefined;
  const known = new Set(entries.map(({ uuid }) => uuid));
  const own = new Set(later.map(({ uuid }) => uuid));
  const gone = goneBefore(entries, past);
  for (const by of later) {
    // A rewind to the last evicted entry needs none of the evicted entries.
    const target = isCorrection(by) && rewindTarget(by) !== throughUuid ? rewindTarget(by) : undefined;
    const corrected = isCorrection(by) ? [...undoneBy(by), target ?? ''] : [];
    const uuid =
      corrected.find((one) => one !== '' && !own.has(one)) ??
      reductionOf(by)?.restored?.find((one) => !known.has(one)) ??
      namedBy(by).find((one) => gone.has(one));
    if (uuid !== undefined) return { uuid, by };
  }
  return undefined;
}

/**
 * Entries that were already removed when a removal was evicted: dropping or restoring them moves notes, which needs all
 * entries.
 */
function goneBefore(
  entries: readonly JSONLEntry[],
  { throughSeq, throughUuid }: EvictedPrefix,
): ReadonlySet<string> {
  const past = entries.filter(({ seq }) => seq <= throughSeq);
  const isOfRemoval = past.some((entry) => entry.uuid === throughUuid && isRemoval(entry));
  return new Set(isOfRemoval ? past.flatMap((entry) => reductionOf(entry)?.removed ?? []) : []);
}

function namedBy(entry: JSONLEntry): readonly string[] {
  const { removed = [], restored = [] } = reductionOf(entry) ?? {};
  return [...removed, ...restored];
}
