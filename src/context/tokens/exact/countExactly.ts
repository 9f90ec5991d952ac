import type { Vocabulary } from './vocabulary.ts';

/**
 * Tokens of a text with this vocabulary; special tokens are counted as plain text. Exact except for runs of more than
 * 32,768 characters without a boundary, which are split.
 */
export function countExactly(vocabulary: Vocabulary, text: string): number {
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const end = cutBefore(text, start, start + WINDOW);
    tokens += countWindow(vocabulary, start === 0 && end === text.length ? text : text.slice(start, end));
    start = end;
  }
  return tokens;
}

/** Maximum characters per pass: the regular expression would overflow the stack on a longer run. */
const WINDOW = 32_768;
/** UTF-8 buffer for one pass: a UTF-16 unit has at most three bytes. */
const bytes = new Uint8Array(3 * WINDOW);

function countWindow(vocabulary: Vocabulary, text: string): number {
  const { pattern } = vocabulary;
  let tokens = 0;
  let start = 0;
  pattern.lastIndex = 0;
  while (pattern.test(text)) {
    const end = pattern.lastIndex;
    tokens += countBytePairs(vocabulary, bytes, writeUtf8(text, start, end));
    start = end;
  }
  return tokens;
}

/** Writes `text[start, end)` to `bytes`, a lone surrogate as U+FFFD; returns the number of bytes. */
function writeUtf8(text: string, start: number, end: number): number {
  let at = 0;
  for (let index = start; index < end; index++) {
    let code = text.charCodeAt(index);
    if (code < 0x80) {
      bytes[at++] = code;
      continue;
    }
    if (code >= 0xd800 && code <= 0xdfff) {
      const low = index + 1 < end ? text.charCodeAt(index + 1) : 0;
      if (code < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        index++;
      } else code = 0xfffd;
    }
    if (code < 0x800) bytes[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[at++] = 0xe0 | (code >> 12);
      else {
        bytes[at++] = 0xf0 | (code >> 18);
        bytes[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      bytes[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    bytes[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/**
 * A position at or before `limit` where the text can be split without changing the tokens on either side: after an
 * ASCII letter or digit followed by another class, or between a character and a space. If the last 4,096 characters
 * have none (an unbroken run), returns `limit`, which may add a token or two, but never splits a surrogate pair.
 * Returns `text.length` if that is at most `limit`.
 */
export function cutBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length;
  const least = Math.max(start + 1, limit - REACH);
  for (let at = limit; at >= least; at--) if (isBoundary(text, at)) return at;
  const isInsidePair = isHigh(text.charCodeAt(limit - 1)) && limit - 1 > start;
  return isInsidePair ? limit - 1 : limit;
}

const REACH = 4096;

function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (after === 32) return before > 32 && before < 0x80;
  if (after >= 0x80 || after === 39) return false;
  const kind = kindOf(before);
  return kind !== 0 && kind !== kindOf(after);
}

/** 1 = ASCII letter, 2 = ASCII digit, 0 = anything else. */
function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 1;
  return code >= 48 && code <= 57 ? 2 : 0;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/**
 * Number of tokens in one piece of `length` bytes, at least one. Merges the pair with the lowest rank, the leftmost
 * first, until no two adjacent parts form a token. Scans all pairs of a short piece, and uses a heap for a long one, so
 * that a run of any length takes O(n log n).
 */
function countBytePairs(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  if (length < 2 || vocabulary.rank(bytes, 0, length) >= 0) return 1;
  return length <= SHORT ? countByScan(vocabulary, bytes, length) : countByHeap(vocabulary, bytes, length);
}

/** Pieces up to this many bytes are faster to scan than to keep in a heap. */
const SHORT = 64;
const NONE = 0x7fff_ffff;
const scanStarts = new Int32Array(SHORT + 2);
const scanRanks = new Int32Array(SHORT + 2);

function countByScan(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  const rankAt = (part: number): number => {
    if (part + 2 > parts) return NONE;
    const rank = vocabulary.rank(bytes, scanStarts[part] ?? 0, scanStarts[part + 2] ?? 0);
    return rank < 0 ? NONE : rank;
  };
  // Part p has the bytes from start p to start p + 1; its rank is that of the token it would form with the next part.
  let parts = length;
  for (let part = 0; part <= length; part++) scanStarts[part] = part;
  for (let part = 0; part < length; part++) scanRanks[part] = rankAt(part);
  for (;;) {
    let [best, lowest] = [-1, NONE];
    for (let part = 0; part < parts - 1; part++) {
      const rank = scanRanks[part] ?? NONE;
      if (rank < lowest) [best, lowest] = [part, rank];
    }
    if (best < 0) return parts;
    scanStarts.copyWithin(best + 1, best + 2, parts + 1);
    scanRanks.copyWithin(best + 1, best + 2, parts);
    parts--;
    scanRanks[best] = rankAt(best);
    if (best > 0) scanRanks[best - 1] = rankAt(best - 1);
  }
}

function countByHeap(vocabulary: Vocabulary, bytes: Uint8Array, length: number): number {
  // Parts are identified by the offset of their first byte.
  const next = new Int32Array(length + 1);
  const previous = new Int32Array(length + 1);
  const ranks = new Int32Array(length).fill(-1);
  const heap = new RankHeap(length);
  const offer = (part: number): void => {
    const other = next[part] ?? length;
    const rank = other >= length ? -1 : vocabulary.rank(bytes, part, next[other] ?? length);
    ranks[part] = rank;
    if (rank >= 0) heap.push(rank, part);
  };
  for (let part = 0; part <= length; part++) {
    next[part] = Math.min(part + 1, length);
    previous[part] = part - 1;
  }
  for (let part = 0; part < length - 1; part++) offer(part);
  let parts = length;
  for (let found = heap.pop(); found !== undefined; found = heap.pop()) {
    const { rank, part } = found;
    // Skip entries that are outdated because one of the two parts was merged since.
    if (ranks[part] !== rank) continue;
    const gone = next[part] ?? length;
    const after = next[gone] ?? length;
    next[part] = after;
    previous[after] = part;
    ranks[gone] = -1;
    parts--;
    offer(part);
    const before = previous[part] ?? -1;
    if (before >= 0) offer(before);
  }
  return parts;
}

/** A heap of (rank, part): the lowest rank first, of equal ranks the leftmost part. */
class RankHeap {
  /** Rank and part combined in one number, with the rank in the higher digits; exact below 2^53. */
  #keys: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(Math.max(16, capacity));
  }

  push(rank: number, part: number): void {
    if (this.#size === this.#keys.length) {
      const larger = new Float64Array(this.#keys.length * 2);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    const keys = this.#keys;
    const key = rank * PARTS + part;
    let slot = this.#size++;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[slot] = above;
      slot = parent;
    }
    keys[slot] = key;
  }

  pop(): { readonly rank: number; readonly part: number } | undefined {
    if (this.#size === 0) return undefined;
    const keys = this.#keys;
    const top = keys[0] ?? 0;
    const last = keys[--this.#size] ?? 0;
    let slot = 0;
    for (;;) {
      let child = 2 * slot + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child++;
      const below = keys[child] ?? 0;
      if (below >= last) break;
      keys[slot] = below;
      slot = child;
    }
    keys[slot] = last;
    return { rank: Math.floor(top / PARTS), part: top % PARTS };
  }
}

const PARTS = 2 ** 24;
