/**
 * Calls the encoder in small batches and caches its counts by fingerprint. After three failures in a row the encoder is
 * no longer used.
 */

import type { Worker } from 'node:worker_threads';
import { untilAborted } from '../../protocol/untilAborted.ts';
import { createThreadClient, type ThreadClient } from '../threadClient.ts';
import { fingerprint, TokenCache } from './estimate.ts';
import { cutBefore } from './exact/countExactly.ts';
import type { TokenEncoder, VocabularyName } from './exact/vocabulary.ts';
import type { CountRequest } from './exact/worker.ts';
import { yieldToEventLoop } from './measured.ts';

export class ExactCounts {
  readonly cache = new TokenCache();
  readonly #encoder: TokenEncoder | undefined;
  #failures = 0;

  constructor(encoder: TokenEncoder | undefined) {
    this.#encoder = encoder;
  }

  /** False without an encoder or after too many failures. */
  isAvailable(): boolean {
    return this.#encoder !== undefined && this.#failures < MAX_FAILURES;
  }

  /** Tokens of a text if it was counted before. */
  known(vocabulary: VocabularyName, text: string): number | undefined {
    if (this.cache.size === 0 || text.length > MAX_REMEMBERED) return undefined;
    return this.cache.get(keyOf(vocabulary, text));
  }

  /** Tokens of each text; undefined if aborted or if the encoder failed. */
  async count(
    vocabulary: VocabularyName,
    texts: readonly string[],
    signal?: AbortSignal,
  ): Promise<readonly number[] | undefined> {
    const counts = texts.map(() => 0);
    for (const batch of batches(texts)) {
      const answer = await this.#ask(
        vocabulary,
        batch.map(({ text }) => text),
        signal,
      );
      if (answer === undefined) return undefined;
      for (const [at, { index }] of batch.entries()) counts[index] = (counts[index] ?? 0) + (answer[at] ?? 0);
    }
    let read = 0;
    for (const [index, text] of texts.entries()) {
      if (text.length > MAX_REMEMBERED) continue;
      this.cache.set(keyOf(vocabulary, text), counts[index] ?? 0);
      read += text.length;
      if (read < MAX_REMEMBERED) continue;
      await yieldToEventLoop();
      read = 0;
    }
    return counts;
  }

  async #ask(
    vocabulary: VocabularyName,
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<readonly number[] | undefined> {
    if (this.#encoder === undefined || !this.isAvailable() || signal?.aborted === true) return undefined;
    try {
      const counts = await untilAborted(this.#encoder.count(vocabulary, texts), signal);
      if (counts !== undefined) this.#failures = 0;
      return counts;
    } catch {
      // Expected if the system is short of threads or memory; estimates are used instead.
      this.#failures++;
      return undefined;
    }
  }
}

const MAX_FAILURES = 3;
/** Characters per batch: sending it takes about a millisecond. */
const BATCH = 131_072;
/** Maximum characters of a cached text: its fingerprint also takes about a millisecond. */
const MAX_REMEMBERED = 262_144;

function keyOf(vocabulary: VocabularyName, text: string): string {
  return `${vocabulary}:${fingerprint(text)}`;
}

interface Piece {
  readonly index: number;
  readonly text: string;
}

/** Groups texts in order: small ones together, large ones split where that does not change the count. */
function* batches(texts: readonly string[]): Generator<readonly Piece[]> {
  let batch: Piece[] = [];
  let size = 0;
  for (const [index, text] of texts.entries()) {
    for (let start = 0; start < text.length; ) {
      const end = cutBefore(text, start, start + BATCH);
      if (size > 0 && size + end - start > BATCH) {
        yield batch;
        [batch, size] = [[], 0];
      }
      batch.push({ index, text: text.slice(start, end) });
      size += end - start;
      start = end;
    }
  }
  if (batch.length > 0) yield batch;
}

/**
 * Counts tokens in a worker thread, which `start` creates on first use; pending requests reject if it dies or is
 * closed.
 */
export class WorkerEncoder implements TokenEncoder {
  readonly #thread: ThreadClient<CountRequest>;

  constructor(start: () => Worker) {
    this.#thread = createThreadClient(start, 'the token counter');
  }

  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]> {
    return this.#thread.ask({ vocabulary, texts }) as Promise<readonly number[]>;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
