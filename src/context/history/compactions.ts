/**
 * Compactions in a log: each is a boundary directly followed by its summary. Finds the one in effect and the entries it
 * retains, and handles boundaries that lost their summary in a crash.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isUserSide } from './atoms.ts';
import { isReshaping } from './reductions.ts';

/**
 * Index of the last boundary that has a summary and was not undone; a boundary without a summary never took effect. -1
 * if there is none.
 */
export function lastCompaction(entries: readonly JSONLEntry[], undone: ReadonlySet<string>): number {
  for (let index = entries.length - 2; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.subtype !== 'compact_boundary' || undone.has(entry.uuid)) continue;
    if (entries[index + 1]?.isCompactSummary === true) return index;
  }
  return -1;
}

/** Uuids of the entries before a boundary that requests still contain, as messages or quoted in the summary message. */
export function retainedBy(
  boundary: JSONLEntry | undefined,
  entries: readonly JSONLEntry[],
): ReadonlySet<string> {
  const quoted = boundary?.compactMetadata?.userMessages ?? [];
  return new Set([...keptBy(boundary, entries), ...quoted.map(({ uuid }) => uuid)]);
}

/** Uuids of the entries that a boundary keeps as messages; `entries` are those before it. */
export function keptBy(
  boundary: JSONLEntry | undefined,
  entries: readonly JSONLEntry[],
): ReadonlySet<string> {
  const uuids = new Set<string>();
  const ranges: (readonly [number, number])[] = [];
  for (const name of boundary?.compactMetadata?.retained ?? []) {
    const range = /^#(\d+)-#(\d+)$/.exec(name);
    if (range === null) uuids.add(name);
    else ranges.push([Number(range[1]), Number(range[2])]);
  }
  if (ranges.length === 0) return uuids;
  for (const { seq, uuid } of entries)
    if (ranges.some(([from, to]) => seq >= from && seq <= to)) uuids.add(uuid);
  return uuids;
}

/**
 * Shortens uuids for a boundary: adjacent entries become a range of seqs (`#12-#40`), since listing each uuid would
 * take more space than the rest of the line. `entries` is the log; uuids of notes, which are not entries of it, are
 * kept unchanged.
 */
export function namesOf(uuids: readonly string[], entries: readonly JSONLEntry[]): string[] {
  const rest = new Set(uuids);
  const names: string[] = [];
  let run: JSONLEntry[] = [];
  const close = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) return;
    names.push(first === last ? first.uuid : `#${first.seq}-#${last.seq}`);
    run = [];
  };
  let before = Number.NaN;
  for (const entry of entries) {
    const isNext = entry.seq === before + 1;
    before = entry.seq;
    if (!isNext) close();
    if (rest.delete(entry.uuid)) run.push(entry);
    // Entries that no request contains do not interrupt a range.
    else if (!isSilent(entry)) close();
  }
  close();
  return [...names, ...rest];
}

/** True for entries that the model never sees and that do not change its view. */
function isSilent(entry: JSONLEntry): boolean {
  return entry.type === 'system' && !isUserSide(entry) && !isReshaping(entry);
}

/** The entries without boundaries that lost their summary in a crash: those compactions never took effect. */
export function withoutPartialCompactions(entries: readonly JSONLEntry[]): JSONLEntry[] {
  return entries.filter(
    (entry, index) => entry.subtype !== 'compact_boundary' || entries[index + 1]?.isCompactSummary === true,
  );
}

/** Reads the entry directly after a range of a log; undefined at the end of the log. */
type ReadNext = () => Promise<JSONLEntry | undefined>;

/** Like `withoutPartialCompactions`, for a range that is read entry by entry. */
export async function* completeCompactions(
  entries: AsyncIterable<JSONLEntry>,
  readBehind: ReadNext,
): AsyncGenerator<JSONLEntry> {
  let boundary: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (boundary !== undefined && entry.isCompactSummary === true) yield boundary;
    boundary = entry.subtype === 'compact_boundary' ? entry : undefined;
    if (boundary === undefined) yield entry;
  }
  if (boundary !== undefined && (await readBehind())?.isCompactSummary === true) yield boundary;
}

/** The same for a range that is read backwards. */
export async function* completeCompactionsBackwards(
  entries: AsyncIterable<JSONLEntry>,
  readBehind: ReadNext,
): AsyncGenerator<JSONLEntry> {
  let later: JSONLEntry | undefined;
  for await (const entry of entries) {
    if (entry.subtype !== 'compact_boundary') yield entry;
    else if ((later ?? (await readBehind()))?.isCompactSummary === true) yield entry;
    later = entry;
  }
}
