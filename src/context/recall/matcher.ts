/** Finds a query in a piece of text: the exact phrase, or lines that contain most of its words. Pure. */

import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { joinLines } from '../../protocol/text/trimming.ts';
import { headOf, tailOf, wellFormed } from '../tokens/truncate.ts';
import { characterStart, type Source } from './page.ts';

export interface Hit {
  readonly place: HitPosition;
  /**
   * Byte offset in the content of the place's pointer; slightly before the hit, so that reading from there shows it.
   */
  readonly offset: number;
  /** The hit and the text around it, on one line. */
  readonly snippet: string;
  readonly score: number;
  /** True if the place has more hits than are listed. */
  readonly more: boolean;
}

/** Maximum hits in the answer to a search. */
const MAX_HITS = 20;

/** The best hits so far, exact phrases first; at most `maxPerPlace` per place. */
export class HitList {
  readonly #maxPerPlace: number;
  readonly #phrases: Hit[] = [];
  #words: Hit[] = [];

  constructor(maxPerPlace: number) {
    this.#maxPerPlace = Math.min(maxPerPlace, MAX_HITS);
  }

  /** True if older hits can no longer be added. */
  get isFull(): boolean {
    return this.#phrases.length >= MAX_HITS;
  }

  get hasPhrase(): boolean {
    return this.#phrases.length > 0;
  }

  /** True if the place has its maximum number of phrase hits and is known to have more. */
  isDoneWith(place: HitPosition): boolean {
    return this.#phrases.some((hit) => hit.more && hit.place.id === place.id);
  }

  /** Number of additional hits of this kind in the same place that fit. */
  room(place: HitPosition, isPhrase: boolean): number {
    const list = isPhrase ? this.#phrases : this.#words;
    const own = list.filter((hit) => hit.place.id === place.id).length;
    return Math.max(0, this.#maxPerPlace - own);
  }

  add(hit: Hit): void {
    if (hit.score === 1) {
      if (!this.isFull) this.#phrases.push(hit);
    } else {
      // The sort is stable: of equal scores the newer hit, which was added first, stays.
      this.#words = [...this.#words, hit].sort((a, b) => b.score - a.score).slice(0, MAX_HITS);
    }
  }

  /** Marks that a place has more hits than its maximum. */
  markMore(place: HitPosition, isPhrase: boolean): void {
    const list = isPhrase ? this.#phrases : this.#words;
    const last = list.findLastIndex((hit) => hit.place.id === place.id);
    const hit = list[last];
    if (hit !== undefined) list[last] = { ...hit, more: true };
  }

  /** At most 20 hits; hits of words only if the phrase was found nowhere. */
  best(): readonly Hit[] {
    return this.#phrases.length > 0 ? this.#phrases : this.#words;
  }
}

/** The place of a hit. */
export interface HitPosition {
  readonly id: string;
  readonly what: string;
}

interface Match {
  /** Index in the text in UTF-16 units. */
  readonly index: number;
  readonly length: number;
  /** 1 for the phrase, otherwise below 1: the share of the query's words in the line. */
  readonly score: number;
}

interface Matcher {
  /** Minimum overlap of two pieces in characters, so that no phrase between them is missed. */
  readonly overlap: number;
  /** Prepares one piece of text. */
  readonly on: (text: string) => PieceMatcher;
}

interface PieceMatcher {
  readonly phrase: (max: number) => readonly Match[];
  /** The best lines first; none if the query is a single word. */
  readonly words: (max: number) => readonly Match[];
}

/** Creates a case-insensitive matcher. Runs of unspaced scripts such as Chinese are matched by pairs of characters. */
export function createMatcher(query: string): Matcher {
  const phrase = lowerOf(headOf(query.trim(), MAX_QUERY_CHARACTERS));
  const words = wordsOf(phrase);
  return {
    overlap: phrase.length,
    on: (text) => {
      const lower = lowerOf(text);
      return {
        phrase: (max) =>
          positions(lower, phrase, max, MIN_DISTANCE).map((index) => ({
            index,
            length: phrase.length,
            score: 1,
          })),
        words: (max) => (words.length < 2 ? [] : bestLines(lower, words, max)),
      };
    },
  };
}

const MAX_QUERY_CHARACTERS = 300;
const MAX_WORDS = 12;

/** Converts to lower case without changing the length: only `İ` has a longer lower-case form. */
function lowerOf(text: string): string {
  return text.replaceAll('İ', 'i').toLowerCase();
}

function wordsOf(phrase: string): string[] {
  const words = new Set<string>();
  for (const [run] of phrase.matchAll(/[\p{L}\p{N}_$]+(?:[./\\:@-][\p{L}\p{N}_$]+)*/gu)) {
    if (!/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(run)) {
      if (run.length > 1) words.add(run);
    } else for (let index = 0; index + 1 < run.length; index++) words.add(run.slice(index, index + 2));
  }
  return [...words].filter((word) => word.isWellFormed()).slice(0, MAX_WORDS);
}

/** Minimum distance in characters between two hits: the text around one shows others near it. */
const MIN_DISTANCE = 100;

function positions(lower: string, needle: string, max: number, distance = 0): number[] {
  const found: number[] = [];
  if (needle === '') return found;
  let at = lower.indexOf(needle);
  while (at !== -1 && found.length < max) {
    found.push(at);
    at = lower.indexOf(needle, at + Math.max(needle.length, distance));
  }
  return found;
}

/** Maximum occurrences of one word that are examined per piece: "the" is on every line. */
const MAX_OCCURRENCES = 500;

/**
 * Lines with more than half of the words. Each such line has one of the rarer words, so only those are searched for.
 */
function bestLines(lower: string, words: readonly string[], max: number): readonly Match[] {
  const least = Math.floor(words.length / 2) + 1;
  const rarest = words
    .map((word) => positions(lower, word, MAX_OCCURRENCES))
    .sort((a, b) => a.length - b.length)
    .slice(0, words.length - least + 1);
  const lines = new Map<number, Match>();
  for (const index of rarest.flat()) {
    const { start, end } = lineAround(lower, index);
    if (lines.has(start)) continue;
    const line = lower.slice(start, end);
    const held = words.filter((word) => line.includes(word)).length;
    lines.set(start, { index, length: 1, score: (0.99 * held) / words.length });
  }
  return [...lines.values()]
    .filter(({ score }) => score >= (0.99 * least) / words.length)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, max);
}

/** A longer line, as in minified code, is treated as lines of this many characters. */
const MAX_LINE_CHARACTERS = 1000;

function lineAround(text: string, index: number): { readonly start: number; readonly end: number } {
  const floor = Math.max(0, index - MAX_LINE_CHARACTERS);
  const feed = text.slice(floor, index).lastIndexOf('\n');
  const start =
    feed === -1 ? Math.floor(index / MAX_LINE_CHARACTERS) * MAX_LINE_CHARACTERS : floor + feed + 1;
  const rest = text.slice(start, start + 2 * MAX_LINE_CHARACTERS).indexOf('\n', index - start);
  return { start, end: rest === -1 ? start + 2 * MAX_LINE_CHARACTERS : start + rest };
}

// Runs a matcher over texts and sources of any size in pieces, yielding between them, within a time limit.

/** Bytes per piece; a piece takes a few milliseconds. */
const PIECE_BYTES = 256 * 1024;
const MAX_MS = 5000;
const AROUND_CHARACTERS = 100;

export class Scanner {
  /** Bytes searched so far. */
  bytes = 0;
  readonly #matcher: Matcher;
  readonly #signal: AbortSignal;
  readonly #startedMs = performance.now();
  #bytesSinceYield = 0;

  readonly #masked: (piece: string) => string;

  /** `masked`: replaces text that must not be shown even in part, without changing the length. */
  constructor(matcher: Matcher, signal: AbortSignal, masked: (piece: string) => string) {
    this.#matcher = matcher;
    this.#signal = signal;
    this.#masked = masked;
  }

  /** Reason to end the search early; undefined if there is none. */
  get stopReason(): string | undefined {
    if (this.#signal.aborted) return 'Stopped';
    return performance.now() - this.#startedMs > MAX_MS ? `Stopped at ${MAX_MS / 1000} s` : undefined;
  }

  get isOver(): boolean {
    return this.stopReason !== undefined;
  }

  async scanText(text: string, place: HitPosition, hits: HitList): Promise<void> {
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
   * Searches a source from byte `from` on, as far as it can be read. Returns the byte offset that the search reached.
   */
  async scanSource(source: Source, place: HitPosition, hits: HitList, from = 0): Promise<number> {
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

  /** Index at which the next piece begins: at a line start near the end, otherwise with an overlap. */
  #nextStart(piece: string): number {
    const newest = piece.length - this.#matcher.overlap;
    const line = piece.lastIndexOf('\n', newest) + 1;
    if (line > piece.length / 2) return line;
    return Math.max(1, headOf(piece, newest).length);
  }

  /** Matches that begin at `next` or later belong to the next piece. */
  #scanPiece(piece: string, next: number, bytesBefore: number, place: HitPosition, hits: HitList): void {
    const matcher = this.#matcher.on(piece);
    for (const isPhrase of [true, false]) {
      // Words are searched for only if the phrase was not found.
      if (!isPhrase && hits.hasPhrase) return;
      const room = hits.room(place, isPhrase);
      const matches = (isPhrase ? matcher.phrase(room + 1) : matcher.words(room + 1)).filter(
        ({ index }) => index < next,
      );
      for (const match of matches.slice(0, room))
        hits.add({ place, ...around(piece, match, bytesBefore, this.#masked), more: false });
      if (matches.length > room) hits.markMore(place, isPhrase);
    }
  }

  async #account(size: number): Promise<void> {
    this.bytes += size;
    this.#bytesSinceYield += size;
    if (this.#bytesSinceYield < PIECE_BYTES) return;
    this.#bytesSinceYield = 0;
    await yieldToEventLoop();
  }
}

/** The match with 100 characters on each side, and the byte offset of that text. */
function around(
  piece: string,
  { index, length, score }: Match,
  bytesBefore: number,
  masked: (piece: string) => string,
): { readonly offset: number; readonly snippet: string; readonly score: number } {
  const shown = masked(piece);
  const before = tailOf(shown.slice(0, index), AROUND_CHARACTERS);
  const rest = shown.slice(index);
  const after = headOf(rest, length + AROUND_CHARACTERS);
  const start = index - before.length;
  const text = `${start > 0 ? '…' : ''}${before}${after}${after.length < rest.length ? '…' : ''}`;
  return {
    offset: bytesBefore + Buffer.byteLength(piece.slice(0, start)),
    snippet: joinLines(text, ' ⏎ ').replace(/\p{Cc}/gu, ' '),
    score,
  };
}

/** Number of bytes up to the last complete character. */
function wholeCharacters(bytes: Buffer): number {
  const start = characterStart(bytes, bytes.length - 1);
  const lead = bytes[start] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return start > 0 && start + length > bytes.length ? start : bytes.length;
}
