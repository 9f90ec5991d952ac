/**
 * Stores and reads texts that are too large for a request. Uses the session's blob store, so that an offloaded document
 * and the original of a cut output are handled alike and survive a restart.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { findTarget, MIN_HASH_DIGITS } from '../recall/find.ts';
import { readPage } from '../recall/page.ts';
import { seenIn } from '../recall/seenLog.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { memoryIdOf } from './ObservationTruncator.ts';

interface StoredText {
  /** Id for `Recall`: the first twelve hex digits of the content's SHA-256. */
  readonly memoryId: string;
  readonly original: BlobRef;
}

export class WorkingMemory {
  readonly #blobs: Blobs;
  readonly #entries: () => readonly JSONLEntry[];

  /** `entries` of the session: only blobs that they refer to can be read. */
  constructor(blobs: Blobs, entries: () => readonly JSONLEntry[] = () => []) {
    this.#blobs = blobs;
    this.#entries = entries;
  }

  /** Undefined on a disk error. The same text is stored once. */
  async store(text: string): Promise<StoredText | undefined> {
    const original = await this.#blobs.put(text).catch(() => undefined);
    return original === undefined ? undefined : { memoryId: memoryIdOf(original.hash), original };
  }

  /** Reads at most `limit` bytes from byte `offset` on, in complete characters; undefined for an unknown id. */
  async read(memoryId: string, offset: number, limit: number): Promise<string | undefined> {
    if (memoryId.length < MIN_HASH_DIGITS) return undefined;
    const pointer = { type: 'hash', prefix: memoryId.toLowerCase() } as const;
    const found = await findTarget(pointer, seenIn(this.#entries()), this.#blobs);
    if ('advice' in found) return undefined;
    const limits = { maxBytes: limit, maxLines: Number.MAX_SAFE_INTEGER };
    return (await readPage(found.source, offset, limits)).text;
  }
}
