/**
 * Adds the estimated tokens of `text[start, end)` to `into`, by class. A single pass over the code units without
 * allocations, safe for any text, at about 100 MB/s.
 */
export function countByClass(
  text: string,
  set: Coefficients,
  into: ClassTokens,
  start = 0,
  end = text.length,
): void {
  let index = start;
  while (index < end) {
    const code = text.charCodeAt(index);
    const kind = code < 0x80 ? (KINDS[code] ?? 0) : WIDE;
    if (kind === LETTER || kind === DIGIT) index = weighRun(text, index, end, set, into);
    else if (kind === SPACE) index = weighSpace(text, index, end, set, into);
    else if (kind === WIDE) index = weighWide(text, index, end, set, into);
    else index = weighMark(text, index, end, set, into);
  }
}

function weighWide(text: string, start: number, limit: number, set: Coefficients, into: ClassTokens): number {
  let end = start;
  let han = 0;
  for (; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code < 0x80) break;
    if (isHan(code)) han++;
    else {
      add(into, wideClass(code), 1 / wideCoefficient(code, set));
      if (code >= 0xd800 && code <= 0xdbff) end++;
    }
  }
  add(into, HAN, han / set.han);
  return Math.min(end, limit);
}

/** Length from which a run of one character has its own coefficient. */
const REPEATED_RUN = 8;

function weighMark(text: string, start: number, limit: number, set: Coefficients, into: ClassTokens): number {
  const code = text.charCodeAt(start);
  let end = start + 1;
  while (end < limit && text.charCodeAt(end) === code) end++;
  const perToken = KINDS[code] === CONTROL ? set.control : set.symbol;
  const length = end - start;
  add(into, MARK, length / (length < REPEATED_RUN ? perToken : set.repeated));
  return end;
}

const SYMBOL = 0;
const LETTER = 1;
const DIGIT = 2;
const SPACE = 3;
const CONTROL = 4;
const WIDE = 5;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 32 || (code >= 9 && code <= 13)) return SPACE;
  if (code < 32 || code === 127) return CONTROL;
  if (code >= 48 && code <= 57) return DIGIT;
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) ? LETTER : SYMBOL;
});

function add(into: ClassTokens, at: number, tokens: number): void {
  into[at] = (into[at] ?? 0) + tokens;
}

/** Length from which a run that mixes letters and digits is treated as base64 or a hash rather than a name. */
const MIXED_RUN = 7;
/** Length from which every run is. */
const LONG_RUN = 64;
/** Longer runs are judged in pieces of this length, so that a sample gives the same result as the whole. */
const LONGEST_RUN = 1024;

function weighRun(text: string, start: number, limit: number, set: Coefficients, into: ClassTokens): number {
  const first = text.charCodeAt(start);
  let digits = 0;
  let others = 0;
  let end = start;
  const last = Math.min(limit, start + LONGEST_RUN);
  for (; end < last; end++) {
    const code = text.charCodeAt(end);
    if (code >= 48 && code <= 57) digits++;
    else if (!((code >= 97 && code <= 122) || (code >= 65 && code <= 90))) break;
    if (code !== first) others++;
  }
  const length = end - start;
  const isMixed = digits > 1 && digits < length - 1;
  if (others === 0 && length >= REPEATED_RUN) add(into, DENSE, length / set.repeated);
  else if (length >= LONG_RUN || (length >= MIXED_RUN && isMixed)) add(into, DENSE, length / set.dense);
  else {
    const ofDigits = digits / set.digit;
    const ofLetters = (length - digits) / set.word;
    const least = Math.max(0, set.leastRun - ofDigits - ofLetters);
    add(into, MARK, digits === length ? ofDigits + least : ofDigits);
    if (digits < length) add(into, WORD, ofLetters + least);
  }
  return end;
}

function weighSpace(
  text: string,
  start: number,
  limit: number,
  set: Coefficients,
  into: ClassTokens,
): number {
  let end = start;
  let lineEnd = -1;
  for (; end < limit; end++) {
    const code = text.charCodeAt(end);
    if (code >= 0x80 || KINDS[code] !== SPACE) break;
    if (code === 10 || code === 13) lineEnd = end;
  }
  const length = end - start;
  if (length === 1 && lineEnd < 0) add(into, MARK, 1 / set.blank);
  else {
    const parts = (lineEnd >= 0 ? 1 : 0) + (end - lineEnd > 2 || lineEnd < 0 ? 1 : 0);
    add(into, MARK, parts * set.leastSpace + length / set.space);
  }
  return end;
}

function isHan(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf);
}

function isHangul(code: number): boolean {
  return (code >= 0xac00 && code <= 0xd7af) || (code >= 0x1100 && code <= 0x11ff);
}

function isSyllables(code: number): boolean {
  return (code >= 0x0900 && code <= 0x10ff) || (code >= 0x1780 && code <= 0x17ff);
}

function wideCoefficient(code: number, set: Coefficients): number {
  if (code < 0x0900) return set.alphabet;
  if (isHan(code)) return set.han;
  if (code >= 0x3040 && code <= 0x30ff) return set.kana;
  if (isHangul(code)) return set.hangul;
  if (isSyllables(code)) return set.syllables;
  return code >= 0xd800 && code <= 0xdfff ? set.astral : set.wide;
}

function wideClass(code: number): number {
  if (code >= 0xd800 && code <= 0xdfff) return ASTRAL;
  if ((code >= 0x3040 && code <= 0x30ff) || isHangul(code)) return KANA;
  const isFullWidth = (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xffef);
  return isHan(code) || isFullWidth ? HAN : ALPHABET;
}

/**
 * Character classes that a tokenizer may count differently from our estimate; each has its own factor, learned from
 * reported usage. `fixed` is for exact counts and framing.
 */
export const CLASSES = ['fixed', 'word', 'mark', 'han', 'kana', 'alphabet', 'astral', 'dense'] as const;

/** Tokens per class, in the order of `CLASSES`, before calibration. */
export type ClassTokens = Float64Array;

export const FIXED = 0;
const WORD = 1;
/** Digits, punctuation, white space. */
const MARK = 2;
const HAN = 3;
/** Kana and hangul. */
const KANA = 4;
/** All other scripts. */
const ALPHABET = 5;
/** Emoji and other characters outside the basic plane. */
const ASTRAL = 6;
/** Unbroken runs that mix letters and digits. */
const DENSE = 7;

export function noTokens(): ClassTokens {
  return new Float64Array(CLASSES.length);
}

export function sumOf(tokens: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < tokens.length; index++) sum += tokens[index] ?? 0;
  return sum;
}

export function addTo(sum: ClassTokens, tokens: ClassTokens): void {
  for (let index = 0; index < sum.length; index++) sum[index] = (sum[index] ?? 0) + (tokens[index] ?? 0);
}

/** Characters per token, by kind of character. */
export interface Coefficients {
  readonly han: number;
  readonly kana: number;
  readonly hangul: number;
  /** Emoji and other characters outside the basic plane, per code point. */
  readonly astral: number;
  /** Latin with accents, Greek, Cyrillic, Hebrew, Arabic. */
  readonly alphabet: number;
  /** The scripts of India and South-East Asia. */
  readonly syllables: number;
  /** Full-width forms, CJK punctuation, box drawing and all other scripts. */
  readonly wide: number;
  /** ASCII letters. */
  readonly word: number;
  readonly digit: number;
  /** ASCII punctuation. */
  readonly symbol: number;
  /** Control characters, such as in terminal color codes. */
  readonly control: number;
  /** A single space between two words. */
  readonly blank: number;
  /** Longer runs of white space, including newlines. */
  readonly space: number;
  /** Additional tokens of such a run: one for its newlines, one for the indentation after them. */
  readonly leastSpace: number;
  /** Unbroken runs that mix letters and digits, as in base64 and hashes. */
  readonly dense: number;
  /** Runs of the same letter, digit or symbol. */
  readonly repeated: number;
  /** Minimum tokens of a run of letters or digits. */
  readonly leastRun: number;
}

const ascii = {
  word: 4,
  digit: 4,
  symbol: 4,
  control: 4,
  blank: 4,
  space: 4,
  leastSpace: 0,
  dense: 4,
  repeated: 4,
  leastRun: 0,
};
const scripts = { kana: 1.3, hangul: 1.3, astral: 0.5, alphabet: 2.5, syllables: 1.2, wide: 1.2 };

/** Chinese 1.8, ASCII 4. */
export const S1: Coefficients = { han: 1.8, ...scripts, ...ascii };
/** Chinese 1.5, ASCII 4. */
export const S5: Coefficients = { han: 1.5, ...scripts, ...ascii };
/**
 * The default set, a high estimate: fitted to be at or above the o200k_base count for source code, prose, logs,
 * listings, JSON, base64, hex and nine scripts (`npm run bench:tokens`), so that a trigger fires early rather than
 * late.
 */
export const HIGH: Coefficients = {
  han: 1.1,
  kana: 1.3,
  hangul: 1.3,
  astral: 0.4,
  alphabet: 2.2,
  syllables: 2,
  wide: 1,
  word: 5,
  digit: 1.9,
  symbol: 1.35,
  control: 0.55,
  blank: 20,
  space: 40,
  leastSpace: 0.9,
  dense: 1.3,
  repeated: 7,
  leastRun: 1,
};
