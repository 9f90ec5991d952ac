/**
 * Collects a command's output: both ends in memory for the model and, if it is large, all of it in a blob. The blob
 * contains the same plain text, so line numbers agree. Each `take` returns the output since the previous one; later
 * output has its own ends and blob, so nothing is lost between two reads.
 */

import type { BlobRef } from '../../protocol/entries/fields.ts';
import { withoutEscapes } from '../../protocol/text/escapes.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import type { BlobSink } from '../../protocol/tools.ts';
import type { TextRedactor } from '../redaction.ts';

/** Above this number of characters all output is stored; about as much as one result may show. */
const MIN_BLOB_CHARACTERS = 50_000;
const MAX_BLOB_BYTES = 1024 ** 3;

/** Output since the last `take`. Call `keep` or `discard`. */
interface TakenOutput {
  readonly text: string;
  /** Stores all of it as a blob if it is large. Rejects if the disk write fails. */
  keep(): Promise<BlobRef | undefined>;
  /** Deletes what is stored of it. Never rejects. */
  discard(): Promise<void>;
}

export class OutputCapture {
  readonly #cleaner = createOutputCleaner();
  readonly #openBlob: (() => BlobSink) | undefined;
  readonly #redactor: TextRedactor | undefined;
  #recent = new HeadTail();
  #blob: BlobSink | undefined;
  #blobBytes = 0;
  #isClosed = false;

  /** Without `openBlob`, keeps only both ends. `redactor` removes secrets before anything is kept. */
  constructor(openBlob: (() => BlobSink) | undefined, redactor?: TextRedactor) {
    this.#openBlob = openBlob;
    this.#redactor = redactor;
  }

  push(chunk: Uint8Array): void {
    this.#add(this.#redacted(this.#cleaner.push(chunk)));
  }

  /**
   * Returns the output since the last call, including an unfinished line. Unless `isLast`, text that may be the beginning
   * of a secret stays for the next call.
   */
  take({ isLast }: { readonly isLast: boolean }): TakenOutput {
    const rest = this.#redacted(this.#cleaner.flush());
    const held = isLast ? this.#redactor?.flush() : this.#redactor?.release();
    this.#add(rest + (held ?? ''));
    const text = this.#recent.text();
    const blob = this.#blob;
    this.#recent = new HeadTail();
    this.#blob = undefined;
    this.#blobBytes = 0;
    return {
      text,
      keep: async () => blob?.finish(),
      discard: async () => discarded(blob),
    };
  }

  /** Discards the remaining output and all that follows. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#recent = new HeadTail();
    const blob = this.#blob;
    this.#blob = undefined;
    await discarded(blob);
  }

  #redacted(text: string): string {
    return this.#redactor?.write(text) ?? text;
  }

  #add(text: string): void {
    if (text === '' || this.#isClosed) return;
    if (this.#openBlob !== undefined) this.#keepWhole(text);
    this.#recent.push(text);
  }

  #keepWhole(text: string): void {
    if (this.#blob === undefined) {
      if (this.#recent.length + text.length <= MIN_BLOB_CHARACTERS) return;
      this.#blob = this.#openBlob?.();
      this.#blob?.write(this.#recent.text());
    }
    this.#blobBytes += Buffer.byteLength(text);
    if (this.#blobBytes <= MAX_BLOB_BYTES) this.#blob?.write(text);
    else if (this.#blobBytes - Buffer.byteLength(text) <= MAX_BLOB_BYTES) {
      this.#blob?.write('\n[The output continues; only its first 1 GiB was kept.]\n');
    }
  }
}

/** A blob that cannot be removed now is cleaned up later with other unfinished ones. */
async function discarded(blob: BlobSink | undefined): Promise<void> {
  await blob?.discard().catch(() => undefined);
}

// The beginning and end of a text of any length, in bounded memory.

/** Characters kept at the beginning, and again at the end. */
const KEPT_CHARACTERS = 512 * 1024;

export class HeadTail {
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #total = 0;

  push(text: string): void {
    if (text === '') return;
    this.#total += text.length;
    const room = KEPT_CHARACTERS - this.#head.length;
    this.#head += text.slice(0, Math.max(0, room));
    const rest = text.slice(Math.max(0, room));
    if (rest === '') return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    while (this.#tailLength - (this.#tail[0]?.length ?? 0) >= KEPT_CHARACTERS) {
      this.#tailLength -= this.#tail.shift()?.length ?? 0;
    }
  }

  /** Characters pushed so far. */
  get length(): number {
    return this.#total;
  }

  /** The full text, or both ends, with a line between them that says how much is missing. */
  text(): string {
    const tail = this.#tail.join('');
    if (this.#head.length + tail.length === this.#total) return this.#head + tail;
    const kept = wholeCharacters(tail.slice(-KEPT_CHARACTERS));
    const missing = this.#total - this.#head.length - kept.length;
    const head = /[\ud800-\udbff]$/.test(this.#head) ? this.#head.slice(0, -1) : this.#head;
    return `${head}\n[… ${grouped(missing)} characters left out …]\n${kept}`;
  }
}

/** Starts at the next line if it is near; never in the middle of a surrogate pair. */
function wholeCharacters(tail: string): string {
  const feed = tail.indexOf('\n');
  if (feed !== -1 && feed < 4096) return tail.slice(feed + 1);
  return /^[\udc00-\udfff]/.test(tail) ? tail.slice(1) : tail;
}

// Converts terminal output of programs to plain text as it arrives.

/** An unfinished line longer than this is passed on as is. */
const MAX_HELD = 64 * 1024;
/** Escape sequences are short; a longer tail is not the beginning of one. */
const MAX_SEQUENCE = 256;

interface OutputCleaner {
  /** Returns complete lines; holds an unfinished line until it is complete. */
  push(chunk: Uint8Array): string;
  /** Returns the held text as is: a prompt without a line feed, or the end of the output. */
  flush(): string;
}

/**
 * Decodes UTF-8 across chunk boundaries, removes escape sequences, and keeps only the last version of a line that was
 * rewritten with carriage returns (a progress bar).
 */
export function createOutputCleaner(): OutputCleaner {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  return {
    push(chunk) {
      const text = held + decoder.decode(chunk, { stream: true });
      const end = text.lastIndexOf('\n') + 1;
      held = text.slice(end);
      if (held.length <= MAX_HELD) return cleaned(text.slice(0, end));
      // No line feed for a long time: keep only the last version of a progress bar, pass on anything else.
      const rewritten = held.lastIndexOf('\r', held.length - 2);
      const safe = Math.max(rewritten + 1, 0);
      const passed = held.length - safe > MAX_HELD ? held.length - unfinishedSequence(held) : safe;
      const whole = text.slice(0, end) + (passed > safe ? held.slice(safe, passed) : '');
      held = held.slice(passed);
      return cleaned(whole);
    },
    flush() {
      const rest = cleaned(held);
      held = '';
      return rest;
    },
  };
}

/** The same for the screen: immediately, with every version of a rewritten line on its own line. */
export function createLiveCleaner(): (chunk: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8');
  let held = '';
  return (chunk) => {
    const text = held + decoder.decode(chunk, { stream: true });
    const keep = text.endsWith('\r') ? 1 : unfinishedSequence(text);
    held = text.slice(text.length - keep);
    return withoutEscapes(text.slice(0, text.length - keep)).replace(/\r+\n?/g, '\n');
  };
}

function cleaned(text: string): string {
  const plain = withoutEscapes(text);
  if (!plain.includes('\r')) return plain;
  return plain
    .split('\n')
    .map((line) => {
      if (!line.includes('\r')) return line;
      return line.split('\r').findLast((version) => version !== '') ?? '';
    })
    .join('\n');
}

/** Length of an incomplete escape sequence at the end of the text. */
function unfinishedSequence(text: string): number {
  const tail = text.slice(-MAX_SEQUENCE);
  const start = tail.lastIndexOf('\x1b');
  if (start === -1) return 0;
  const sequence = tail.slice(start);
  const ended = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^[\]])/.test(sequence);
  return ended ? 0 : sequence.length;
}
