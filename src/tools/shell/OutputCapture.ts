/**
 * What a command prints: both ends in memory for the model and, when it is large, the whole in a blob.
 * The blob holds the same plain text, so that line numbers mean the same in both.
 */
import type { BlobRef } from '../../protocol/entries.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import { HeadTail } from './headTail.ts';
import { createOutputCleaner } from './outputCleaner.ts';

/** From this size on the whole is kept; about what one result may show. In characters. */
const BLOB_FROM = 50_000;
const MAX_BLOB_BYTES = 1024 ** 3;

export class OutputCapture {
  readonly #cleaner = createOutputCleaner();
  readonly #openBlob: (() => BlobSink) | undefined;
  #recent = new HeadTail();
  #blob: BlobSink | undefined;
  #blobBytes = 0;
  #blobClosed: boolean;

  /** Without `openBlob` only both ends are kept. */
  constructor(openBlob: (() => BlobSink) | undefined) {
    this.#openBlob = openBlob;
    this.#blobClosed = openBlob === undefined;
  }

  push(chunk: Uint8Array): void {
    this.#add(this.#cleaner.push(chunk));
  }

  /** What came since the last call, an unfinished line included. */
  take(): string {
    this.#add(this.#cleaner.flush());
    const text = this.#recent.text();
    this.#recent = new HeadTail();
    return text;
  }

  /** Ends the blob, if there is one, with what came so far; nothing goes to it afterwards. */
  async finishBlob(): Promise<BlobRef | undefined> {
    this.#add(this.#cleaner.flush());
    const blob = this.#blob;
    this.#blob = undefined;
    this.#blobClosed = true;
    return blob?.finish();
  }

  #add(text: string): void {
    if (text === '') return;
    if (!this.#blobClosed) this.#keepWhole(text);
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
