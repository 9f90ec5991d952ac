/** Reads a session's log from end to end, in bounded memory, and says everything that is not as it should be. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { yieldToOthers } from '../tokens/yieldToOthers.ts';
import { BlobStore } from './BlobStore.ts';
import { checkBlobs, type Pointer, pointersOf } from './checkBlobs.ts';
import { type DamagedLine, gapsBetween } from './damage.ts';
import { scanLog } from './scanLog.ts';
import type { BrokenLink, UnansweredCall, VerifyReport } from './verifyReport.ts';

export interface VerifyOptions {
  /** Also reads what lies beside the log and compares it with its name. */
  readonly deep?: boolean;
  /** Items that each list of the report holds. */
  readonly maxListed?: number;
}

/** Rejects only when the file itself cannot be read. */
export async function verifySession(
  file: string,
  { deep = false, maxListed = 1000 }: VerifyOptions = {},
): Promise<VerifyReport> {
  const { size } = await stat(file);
  const chain = new Chain();
  const damaged: DamagedLine[] = [];
  let read = 0;
  for await (const found of scanLog(file)) {
    if ('damage' in found) damaged.push(found.damage);
    else chain.add(found.entry);
    read += 1;
    if (read % 64 === 0) await yieldToOthers();
  }
  damaged.sort((a, b) => a.offset - b.offset);
  const blobs = new BlobStore(join(dirname(file), 'blobs'));
  const blobProblems = await checkBlobs(chain.pointers, blobs, deep);
  const lists = { damaged, ...chain.lists(), blobProblems };
  const { gaps, brokenLinks } = lists;
  const shortened = Object.entries(lists).map(([name, list]) => [name, list.slice(0, maxListed)]);
  return {
    file,
    bytes: size,
    entries: chain.entries,
    counts: chain.counts,
    isSorted: chain.isSorted,
    blobs: chain.pointers.size,
    ...(Object.fromEntries(shortened) as typeof lists),
    isShortened: Object.values(lists).some(({ length }) => length > maxListed),
    isDamaged: damaged.length + gaps.length + brokenLinks.length > 0 || !chain.isSorted,
  };
}

/** Follows the entries from one to the next. Of each it keeps its id and position only. */
class Chain {
  entries = 0;
  isSorted = true;
  readonly counts: Record<string, number> = {};
  readonly pointers = new Map<string, Pointer>();
  readonly #seqs: number[] = [];
  readonly #uuids = new Set<string>();
  readonly #duplicates: string[] = [];
  readonly #oddLinks: BrokenLink[] = [];
  readonly #open = new Map<string, UnansweredCall>();
  #last: JSONLEntry | undefined;
  /** A boundary whose summary a crash cut off does not count: what follows names the entry before it. */
  #beforeBoundary: string | undefined;

  add(entry: JSONLEntry): void {
    const { uuid, seq, parentUuid } = entry;
    if (this.#uuids.has(uuid)) {
      this.#duplicates.push(uuid);
      return;
    }
    this.#uuids.add(uuid);
    this.#seqs.push(seq);
    this.entries += 1;
    const kind = entry.subtype ?? entry.type;
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    for (const pointer of pointersOf(entry))
      if (!this.pointers.has(pointer.hash)) this.pointers.set(pointer.hash, pointer);
    if (this.#last !== undefined && seq <= this.#last.seq) this.isSorted = false;
    if (parentUuid !== (this.#last?.uuid ?? null) && parentUuid !== this.#beforeBoundary)
      this.#oddLinks.push({ seq, parentUuid });
    this.#beforeBoundary = entry.subtype === 'compact_boundary' ? this.#last?.uuid : undefined;
    this.#last = entry;
    if (entry.tool !== undefined)
      this.#open.set(entry.tool.id, { seq, callId: entry.tool.id, tool: entry.tool.name });
    if (entry.toolResult !== undefined) this.#open.delete(entry.toolResult.id);
  }

  lists() {
    const seqs = this.isSorted ? this.#seqs : this.#seqs.sort((a, b) => a - b);
    const last = seqs.at(-1);
    return {
      gaps: last === undefined ? [] : gapsBetween(-1, last + 1, seqs),
      duplicates: this.#duplicates,
      // Where lines were moved, only a name that leads nowhere is broken.
      brokenLinks: this.#oddLinks.filter(
        ({ parentUuid }) => this.isSorted || (parentUuid !== null && !this.#uuids.has(parentUuid)),
      ),
      unansweredCalls: [...this.#open.values()],
    };
  }
}
