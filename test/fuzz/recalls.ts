/** Checks that everything that a reduction removed from the request can be recalled byte for byte. */

import { retainedBy } from '../../src/context/history/compactions.ts';
import { reductionOf } from '../../src/context/history/reductions.ts';
import { wellFormed } from '../../src/context/tokens/truncate.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { demand } from './check.ts';
import type { Counts } from './counts.ts';
import type { World } from './World.ts';

/** Reads samples of what each new reduction covers with Recall, as the model would. */
export async function checkRecalls(world: World, counts: Counts): Promise<void> {
  const entries = world.entries();
  const fresh = entries.slice(world.recalledUpTo);
  world.recalledUpTo = entries.length;
  for (const [index, entry] of fresh.entries()) {
    const covered = coveredBy(entry, entries);
    if (covered.length === 0) continue;
    counts.reductions++;
    const known = covered.filter(({ uuid }) => world.raw.has(uuid));
    const sample = known[(entry.seq * 7 + index) % known.length];
    if (sample !== undefined) await checkRecall(world, sample, counts);
  }
}

/** Entries with a known original that this reduction hides or shortens. */
function coveredBy(entry: JSONLEntry, entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  if (entry.subtype === 'compact_boundary') {
    const before = entries.slice(0, entry.seq);
    const kept = retainedBy(entry, before);
    return before.filter(({ uuid }) => !kept.has(uuid));
  }
  const reduction = reductionOf(entry);
  if (reduction === undefined) return [];
  const named = new Set([
    ...(reduction.removed ?? []),
    ...(reduction.replacements ?? []).map(({ uuid }) => uuid),
  ]);
  return entries.filter(({ uuid }) => named.has(uuid));
}

const MOST_BYTES = 200_000;

async function checkRecall(world: World, entry: JSONLEntry, counts: Counts): Promise<void> {
  const raw = world.raw.get(entry.uuid);
  if (raw === undefined || raw.length > MOST_BYTES) return;
  const wanted = Buffer.from(wellFormed(raw));
  const back = await recallAll(world, `#${entry.seq}`);
  counts.recalled++;
  const own = back.subarray(0, wanted.length);
  // If a result contains less than its call, the call follows it.
  const isWhole = own.equals(wanted) && /^(?:$|\n?\[#\d+ call\] )/.test(String(back.subarray(wanted.length)));
  if (!isWhole) counts.lossy++;
  demand(
    isWhole,
    'What was reduced comes back by Recall.',
    () => `#${entry.seq}: ${back.length} of ${wanted.length} bytes`,
  );
}

/** All pages of a pointer, joined. */
export async function recallAll(world: World, id: string): Promise<Buffer> {
  const { signal } = new AbortController();
  const pages: Buffer[] = [];
  for (let offset = 0, page = 0; page < 10_000; page++) {
    const { found, text } = await world.context.recall({ id, offset, limit: 40_000 }, signal);
    demand(found, 'A pointer leads somewhere.', () => `${id}: ${text.slice(0, 200)}`);
    const end = text.indexOf(']\n');
    const header = text.slice(0, end);
    const body = Buffer.from(text.slice(end + 2));
    pages.push(body);
    const more = /; more: offset (\d+)\./.exec(header)?.[1];
    if (more === undefined) break;
    demand(Number(more) > offset, 'Recall goes on from page to page.', () => header.slice(0, 300));
    offset = Number(more);
  }
  return Buffer.concat(pages);
}

/** One page from byte `offset`, without its header. */
export async function recallPart(world: World, id: string, offset: number): Promise<Buffer> {
  const { found, text } = await world.context.recall({ id, offset }, new AbortController().signal);
  demand(found, 'A pointer leads somewhere.', () => `${id}: ${text.slice(0, 200)}`);
  return Buffer.from(text.slice(text.indexOf(']\n') + 2));
}
