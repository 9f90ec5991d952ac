/** Decides what a repaired log consists of; of an undamaged line it holds only the place in the file. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { newId } from './ids.ts';
import { scanLog } from './scanLog.ts';
import { standIn } from './standIn.ts';

export interface LinePlace {
  readonly offset: number;
  readonly length: number;
  readonly isSealed: boolean;
}

/** One line of the repaired log: one of the file, or an entry that has to be written anew. */
export type Planned = {
  readonly seq: number;
  readonly uuid: string;
  readonly parentUuid: string | null;
} & (
  | { readonly line: LinePlace; readonly entry?: undefined }
  | { readonly entry: JSONLEntry; readonly line?: undefined }
);

export interface RepairCounts {
  readonly entries: number;
  /** Entries from damaged lines, put back in their places. */
  readonly restored: number;
  /** Entries that are lost; a line of subtype `unknown` stands for each. */
  readonly lost: number;
  /** Copies that were left out. */
  readonly duplicates: number;
  /** Entries that named another than the one before them. */
  readonly relinked: number;
  readonly wasSorted: boolean;
}

/** Lines that are made for lost entries; a gap beyond that stays one. */
const maxPlaceholders = 10_000;

const LOST = 'This entry could not be read when the log was repaired.';

/** `counts` is undefined when there is nothing to repair. Rejects when the file cannot be read. */
export async function planRepair(
  file: string,
): Promise<{ readonly plan: readonly Planned[]; readonly counts: RepairCounts | undefined }> {
  const found = new Map<string, Planned & { readonly isMended: boolean }>();
  let [damaged, duplicates] = [0, 0];
  let wasSorted = true;
  let last = -1;
  let sample: JSONLEntry | undefined;
  for await (const one of scanLog(file)) {
    if ('damage' in one) {
      damaged += 1;
      continue;
    }
    const { entry, line, isMended = false } = one;
    const { seq, uuid, parentUuid } = entry;
    const known = found.get(uuid);
    if (known !== undefined) duplicates += 1;
    // A copy that is as it was written is better than one that was put together, a whole line better than a part.
    const isBetter = known?.line === undefined && (line !== undefined || (known?.isMended && !isMended));
    if (known !== undefined && !isBetter) continue;
    wasSorted &&= seq > last;
    last = seq;
    sample ??= entry;
    const place = { seq, uuid, parentUuid, isMended };
    found.set(uuid, line === undefined ? { ...place, entry } : { ...place, line });
  }
  const sorted = [...withoutGuesses([...found.values()])].sort((a, b) => a.seq - b.seq);
  const plan = sample === undefined ? sorted : [...withPlaceholders(sorted, sample, found)];
  const relinked = countBroken(plan);
  const lost = plan.length - sorted.length;
  const isSound = damaged + duplicates + lost + relinked === 0 && wasSorted;
  const restored = sorted.filter(({ entry }) => entry !== undefined).length;
  const counts = { entries: plan.length, restored, lost, duplicates, relinked, wasSorted };
  return { plan, counts: isSound ? undefined : counts };
}

/** What was put together for a place that another entry has is a part of a copy, and no entry of its own. */
function* withoutGuesses<One extends { readonly seq: number; readonly isMended: boolean }>(
  found: readonly One[],
): Generator<One> {
  const taken = new Set(found.filter(({ isMended }) => !isMended).map(({ seq }) => seq));
  for (const one of found) {
    if (one.isMended && taken.has(one.seq)) continue;
    taken.add(one.seq);
    yield one;
  }
}

function* withPlaceholders(
  sorted: readonly Planned[],
  sample: JSONLEntry,
  found: ReadonlyMap<string, Planned>,
): Generator<Planned> {
  let room = maxPlaceholders;
  let next = 0;
  let previous: string | null = null;
  for (const planned of sorted) {
    for (; next < planned.seq && room > 0; next += 1, room -= 1) {
      const isLast = next === planned.seq - 1;
      // The entry behind it knows the name of the one that is lost.
      const named = isLast && planned.parentUuid !== null && !found.has(planned.parentUuid);
      const uuid = (named ? planned.parentUuid : null) ?? newId();
      const entry = standIn({ ...sample, seq: next, uuid, parentUuid: previous }, { lost: LOST });
      yield { seq: next, uuid, parentUuid: previous, entry };
      previous = uuid;
    }
    yield planned;
    previous = planned.uuid;
    next = planned.seq + 1;
  }
}

/** Entries of the file that do not name the one before them; a half compaction may be stepped over. */
function countBroken(plan: readonly Planned[]): number {
  let broken = 0;
  for (const [index, { parentUuid }] of plan.entries()) {
    const names = [plan[index - 1]?.uuid ?? null, plan[index - 2]?.uuid ?? null];
    if (!names.includes(parentUuid)) broken += 1;
  }
  return broken;
}
