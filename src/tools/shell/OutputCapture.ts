/**
 * Collects a command's output: both ends in memory for the model and, if it is large, all of it in a blob. The blob
 * contains the same plain text, so line numbers agree. Each `take` returns the output since the previous one; later
 * output has its own ends and blob, so nothing is lost between two reads.
 */
import type { BlobRef } from '../../protocol/entries/fields.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import { HeadTail } from './headTail.ts';
import { createOutputCleaner } from './outputCleaner.ts';
import type { ValueRedactor } from './valueRedactor.ts';

/** Characters from which all output is stored; about as much as one result may show. */
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

  /** Without `openBlob`, keeps only both ends. `redactor` removes secrets before anything is kept. */
  constructor(openBlob: (() => BlobSink) | undefined, redactor?: ValueRedactor) {
    this.#openBlob = openBlob;
    this.#redactor = redactor;
  }

  push(chunk: Uint8Array): void {
    this.#add(this.#redacted(this.#cleaner.push(chunk)));
  }

  /**
   * Returns the output since the last call, including an unfinished line, and all of it as a blob if it is large.
   * Rejects if the disk write fails. Unless `isLast`, text that may be the beginning of a secret stays for the next
   * call.
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

  /** Discards the remaining and all further output. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#recent = new HeadTail();
    const blob = this.#blob;
    this.#blob = undefined;
    // A blob that cannot be removed stays among the unfinished ones, which are cleaned up later.
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
      this.#blob?.write('\n[The output continues; only its first 1 GB was kept.]\n');
    }
  }
}
