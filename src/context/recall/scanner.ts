/** Runs a matcher over texts and sources of any size: in pieces, giving way between them, within a time. */
import { setImmediate as giveWay } from 'node:timers/promises';
import { headOf, tailOf, wellFormed } from '../tokens/wellFormed.ts';
import type { HitList, Place } from './hitList.ts';
import type { Match, Matcher } from './matcher.ts';
import { characterStart } from './page.ts';
import type { Source } from './source.ts';

/** A piece takes a few milliseconds. */
const PIECE_BYTES = 256 * 1024;
const MAX_MS = 5000;
const AROUND_CHARACTERS = 100;

export class Scanner {
  /** Searched so far. */
  bytes = 0;
  readonly #matcher: Matcher;
  readonly #signal: AbortSignal;
  readonly #startedMs = performance.now();
  #sinceBreak = 0;

  constructor(matcher: Matcher, signal: AbortSignal) {
    this.#matcher = matcher;
    this.#signal = signal;
  }

  /** Why the search ends early; undefined while it need not. */
  get stopReason(): string | undefined {
    if (this.#signal.aborted) return 'Stopped';
    return performance.now() - this.#startedMs > MAX_MS ? `Stopped at ${MAX_MS / 1000} s` : undefined;
  }

  get isOver(): boolean {
    return this.stopReason !== undefined;
  }

  async scanText(text: string, place: Place, hits: HitList): Promise<void> {
    const pieceCharacters = PIECE_BYTES / 2;
    let bytesBefore = 0;
    for (let at = 0; at < text.length && !this.isOver && !hits.isDoneWith(place); ) {
      const piece = wellFormed(headOf(text.slice(at, at + pieceCharacters + 1), pieceCharacters));
      const isLast = at + piece.length >= text.length;
      const next = isLast ? piece.length : this.#nextStart(piece);
      this.#scanPiece(piece, next, bytesBefore, place, hits);
      bytesBefore += Buffer.byteLength(piece.slice(0, next));
      at += next;
      await this.#account(piece.length);
    }
  }

  /**
   * From byte `from` on; a source that cannot be read any further is searched as far as it goes. Returns the
   * byte that it came to.
   */
  async scanSource(source: Source, place: Place, hits: HitList, from = 0): Promise<number> {
    let at = from;
    while (at < source.bytes && !this.isOver && !hits.isDoneWith(place)) {
      const bytes = await source.read(at, at + PIECE_BYTES).catch(() => Buffer.alloc(0));
      if (bytes.length === 0) return at;
      const isLast = at + bytes.length >= source.bytes;
      const whole = isLast ? bytes.length : wholeCharacters(bytes);
      const piece = bytes.toString('utf8', 0, whole);
      const next = isLast ? piece.length : this.#nextStart(piece);
      this.#scanPiece(piece, next, at, place, hits);
      at += isLast ? whole : Buffer.byteLength(piece.slice(0, next));
      await this.#account(whole);
    }
    return at;
  }

  /** Index from which the next piece begins: at a line where there is one near the end, else with an overlap. */
  #nextStart(piece: string): number {
    const newest = piece.length - this.#matcher.overlap;
    const line = piece.lastIndexOf('\n', newest) + 1;
    if (line > piece.length / 2) return line;
    return Math.max(1, headOf(piece, newest).length);
  }

  /** What begins at `next` or later belongs to the piece after it. */
  #scanPiece(piece: string, next: number, bytesBefore: number, place: Place, hits: HitList): void {
    const matcher = this.#matcher.on(piece);
    for (const isPhrase of [true, false]) {
      // Lines of words count only where the phrase is nowhere.
      if (!isPhrase && hits.hasPhrase) return;
      const room = hits.room(place, isPhrase);
      const matches = (isPhrase ? matcher.phrase(room + 1) : matcher.words(room + 1)).filter(
        ({ index }) => index < next,
      );
      for (const match of matches.slice(0, room))
        hits.add({ place, ...around(piece, match, bytesBefore), more: false });
      if (matches.length > room) hits.markMore(place, isPhrase);
    }
  }

  async #account(size: number): Promise<void> {
    this.bytes += size;
    this.#sinceBreak += size;
    if (this.#sinceBreak < PIECE_BYTES) return;
    this.#sinceBreak = 0;
    await giveWay();
  }
}

/** The match with 100 characters on each side, and the byte at which that begins. */
function around(
  piece: string,
  { index, length, score }: Match,
  bytesBefore: number,
): { readonly offset: number; readonly snippet: string; readonly score: number } {
  const before = tailOf(piece.slice(0, index), AROUND_CHARACTERS);
  const rest = piece.slice(index);
  const after = headOf(rest, length + AROUND_CHARACTERS);
  const start = index - before.length;
  const text = `${start > 0 ? '…' : ''}${before}${after}${after.length < rest.length ? '…' : ''}`;
  return {
    offset: bytesBefore + Buffer.byteLength(piece.slice(0, start)),
    snippet: text.replace(/\s*\n\s*/g, ' ⏎ ').replace(/\p{Cc}/gu, ' '),
    score,
  };
}

/** Bytes up to the last complete character. */
function wholeCharacters(bytes: Buffer): number {
  const start = characterStart(bytes, bytes.length - 1);
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start > 0 && start + length > bytes.length ? start : bytes.length;
}
