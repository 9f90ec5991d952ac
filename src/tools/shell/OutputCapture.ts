/**
 * What a command prints: both ends in memory for the model and, when it is large, the whole in a blob.
 * The blob holds the same plain text, so that line numbers mean the same in both. It is read in stretches: each
 * `take` ends one, and what comes next has ends and a blob of its own, so that nothing is lost between two readings.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import { HeadTail } from './headTail.ts';
import { createOutputCleaner } from './outputCleaner.ts';
import type { ValueRedactor } from './valueRedactor.ts';

/** From this size on the whole is kept; about what one result may show. In characters. */
const BLOB_FROM = 50_000;
const MAX_BLOB_BYTES = 1024 ** 3;

export class OutputCapture {
  readonly #cleaner = createOutputCleaner();
  readonly #openBlob: (() => BlobSink) | undefined;
  readonly #redactor: ValueRedactor | undefined;
  #recent = new HeadTail();
  #blob: BlobSink | undefined;
  #blobBytes = 0;
  #isClosed = false;

  /** Without `openBlob` only both ends are kept. `redactor`: takes secrets out before anything is kept. */
  constructor(openBlob: (() => BlobSink) | undefined, redactor?: ValueRedactor) {
    this.#openBlob = openBlob;
    this.#redactor = redactor;
  }

  push(chunk: Uint8Array): void {
    this.#add(this.#redacted(this.#cleaner.push(chunk)));
  }

  /**
   * What came since the last call, an unfinished line included, and the whole of it where that is large. Rejects
   * when the disk does. Unless nothing more comes, the beginning of what may become a secret is left for the next call.
   */
  take({ isLast }: { readonly isLast: boolean }): {
    readonly text: string;
    readonly original: Promise<BlobRef | undefined>;
  } {
    const rest = this.#redacted(this.#cleaner.flush());
    this.#add(isLast ? rest + (this.#redactor?.flush() ?? '') : rest);
    const text = this.#recent.text();
    const blob = this.#blob;
    this.#recent = new HeadTail();
    this.#blob = undefined;
    this.#blobBytes = 0;
    return { text, original: blob?.finish() ?? Promise.resolve(undefined) };
  }

  /** Nobody will read what comes from here on, nor what was not taken. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#recent = new HeadTail();
    const blob = this.#blob;
    this.#blob = undefined;
    // What cannot be removed lies among the unfinished, which are cleared away.
    await blob?.discard().catch(() => undefined);
  }

  #redacted(text: string): string {
    return this.#redactor?.push(text) ?? text;
  }

  #add(text: string): void {
    if (text === '' || this.#isClosed) return;
    if (this.#openBlob !== undefined) this.#keepWhole(text);
    this.#recent.push(text);
  }

  #keepWhole(text: string): void {
    if (this.#blob === undefined) {
      if (this.#recent.length + text.length <= BLOB_FROM) return;
      this.#blob = this.#openBlob?.();
      this.#blob?.write(this.#recent.text());
    }
    this.#blobBytes += Buffer.byteLength(text);
    if (this.#blobBytes <= MAX_BLOB_BYTES) this.#blob?.write(text);
    else if (this.#blobBytes - Buffer.byteLength(text) <= MAX_BLOB_BYTES) {
      this.#blob?.write('\n[The output goes on; only its first 1 GB was kept.]\n');
    }
  }
}
