/**
 * A byte pair encoding vocabulary in flat arrays: the bytes of all tokens in a row, and an open hash table for them.
 * Takes about 6 MB for 200,000 tokens, compared with 150 MB for maps of strings.
 */
export interface Vocabulary {
  /** Splits a text into pieces that are encoded separately. */
  readonly pattern: RegExp;
  /** Rank of the token with the bytes `bytes[start, end)`; -1 if there is none. */
  rank(bytes: Uint8Array, start: number, end: number): number;
}

/**
 * Format of `js-tiktoken/ranks/*`: each line has a mark, the first rank, and the tokens from that rank on in base64.
 */
interface RankFile {
  readonly pat_str: string;
  readonly bpe_ranks: string;
}

export function readVocabulary({ pat_str, bpe_ranks }: RankFile): Vocabulary {
  const tokens = readTokens(bpe_ranks);
  const size = 2 ** Math.ceil(Math.log2(tokens.count * 2));
  const table = new Int32Array(size);
  const mask = size - 1;
  for (let index = 0; index < tokens.count; index++) {
    const start = tokens.starts[index] ?? 0;
    let slot = hash(tokens.bytes, start, tokens.starts[index + 1] ?? 0) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = index + 1;
  }
  const { starts, ranks, longest } = tokens;
  return {
    pattern: new RegExp(pat_str, 'ug'),
    rank(bytes, start, end) {
      const length = end - start;
      if (length > longest) return -1;
      let slot = hash(bytes, start, end) & mask;
      for (let found = table[slot] ?? 0; found !== 0; found = table[slot] ?? 0) {
        const from = starts[found - 1] ?? 0;
        if ((starts[found] ?? 0) - from === length && isSame(tokens.bytes, from, bytes, start, length)) {
          return ranks[found - 1] ?? -1;
        }
        slot = (slot + 1) & mask;
      }
      return -1;
    },
  };
}

interface Tokens {
  readonly count: number;
  /** The bytes of all tokens; token `i` is at `[starts[i], starts[i + 1])`. */
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ranks: Int32Array;
  /** Bytes of the longest token. */
  readonly longest: number;
}

/** Reads the file character by character: splitting it would create 200,000 strings. */
function readTokens(file: string): Tokens {
  let words = 1;
  for (let index = 0; index < file.length; index++) if (file.charCodeAt(index) === BLANK) words++;
  const bytes = new Uint8Array(file.length);
  const starts = new Uint32Array(words + 1);
  const ranks = new Int32Array(words);
  let [count, length, longest, position] = [0, 0, 0, 0];
  while (position < file.length) {
    const lineEnd = endOf(file, '\n', position);
    const mark = endOf(file, ' ', position);
    const offsetEnd = Math.min(lineEnd, endOf(file, ' ', mark + 1));
    let rank = Number.parseInt(file.slice(mark + 1, offsetEnd), 10);
    position = offsetEnd + 1;
    while (position < lineEnd) {
      const end = Math.min(lineEnd, endOf(file, ' ', position));
      ranks[count] = rank++;
      const start = length;
      length = decodeBase64(file, position, end, bytes, length);
      longest = Math.max(longest, length - start);
      starts[++count] = length;
      position = end + 1;
    }
    position = lineEnd + 1;
  }
  return {
    count,
    bytes: bytes.slice(0, length),
    starts: starts.slice(0, count + 1),
    ranks: ranks.slice(0, count),
    longest,
  };
}

const BLANK = 32;

function endOf(file: string, mark: string, from: number): number {
  const found = file.indexOf(mark, from);
  return found === -1 ? file.length : found;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 64; digit++) DIGITS[ALPHABET.charCodeAt(digit)] = digit;
const PADDING = 61;

function decodeBase64(file: string, start: number, end: number, into: Uint8Array, at: number): number {
  let [bits, held] = [0, 0];
  let next = at;
  for (let index = start; index < end; index++) {
    const code = file.charCodeAt(index);
    if (code === PADDING) break;
    held = ((held << 6) | (DIGITS[code] ?? 0)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    into[next++] = (held >> bits) & 0xff;
  }
  return next;
}

/** FNV-1a. */
function hash(bytes: Uint8Array, start: number, end: number): number {
  let sum = 0x811c9dc5;
  for (let index = start; index < end; index++) sum = Math.imul(sum ^ (bytes[index] ?? 0), 0x01000193);
  return sum ^ (sum >>> 15);
}

function isSame(a: Uint8Array, aStart: number, b: Uint8Array, bStart: number, length: number): boolean {
  for (let index = 0; index < length; index++) if (a[aStart + index] !== b[bStart + index]) return false;
  return true;
}

/** Loads a public vocabulary. Takes about 100 ms and 10 MB, so call it only off the main thread. */
export async function loadVocabulary(name: VocabularyName): Promise<Vocabulary> {
  const { default: file } =
    name === 'o200k_base'
      ? await import('js-tiktoken/ranks/o200k_base')
      : await import('js-tiktoken/ranks/cl100k_base');
  return readVocabulary(file);
}

/** Public vocabularies, whose tokens can be counted exactly. */
export const vocabularies = ['o200k_base', 'cl100k_base'] as const;
export type VocabularyName = (typeof vocabularies)[number];

/**
 * Port to an exact tokenizer outside the main thread. May reject (no memory, no thread): the counter then uses
 * estimates.
 */
export interface TokenEncoder {
  /** Tokens of each text, in order; special tokens are counted as plain text. */
  count(vocabulary: VocabularyName, texts: readonly string[]): Promise<readonly number[]>;
  close(): Promise<void> | void;
}
