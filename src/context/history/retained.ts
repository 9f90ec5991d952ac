/**
 * What a compaction retains, as its entry names it: an id for each entry would be longer than the rest of the line,
 * so neighbours are named together, by their positions: `#12-#40`.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isUserSide } from './atoms.ts';
import { isReshaping } from './reductions.ts';

/** Uuids of everything that requests show of the entries before a boundary, as messages or in its summary message. */
export function retainedBy(
  boundary: JSONLEntry | undefined,
  entries: readonly JSONLEntry[],
): ReadonlySet<string> {
  const quoted = boundary?.compactMetadata?.userMessages ?? [];
  return new Set([...keptBy(boundary, entries), ...quoted.map(({ uuid }) => uuid)]);
}

/** Uuids of what a boundary keeps as messages of their own; `entries` are those before it. */
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

/** The same as an entry names it. `entries` is the log; ids that are none of its entries' (notes) stay as they are. */
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
    // What no request shows may lie between.
    else if (!isSilent(entry)) close();
  }
  close();
  return [...names, ...rest];
}

/** True for what is never shown to the model and shapes nothing that is. */
function isSilent(entry: JSONLEntry): boolean {
  return entry.type === 'system' && !isUserSide(entry) && !isReshaping(entry);
}
