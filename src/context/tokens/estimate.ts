/**
 * Token estimates without a tokenizer: characters are counted per class, each class with its own number of
 * characters per token. One pass over the code units, no arrays, safe on any text.
 */

/** Characters per token, by class. */
export interface Coefficients {
  readonly han: number;
  readonly kana: number;
  readonly hangul: number;
  /** Emoji and everything else outside the basic plane, per code point. */
  readonly astral: number;
  /** Latin with accents, Greek, Cyrillic, Hebrew, Arabic. */
  readonly alphabet: number;
  /** Full-width forms, CJK punctuation, box drawing and all other scripts. */
  readonly wide: number;
  /** ASCII letters. */
  readonly word: number;
  readonly digit: number;
  /** ASCII punctuation. */
  readonly symbol: number;
  /** The one blank between two words. */
  readonly blank: number;
  /** Longer runs of white space, line ends included. */
  readonly space: number;
  /** Unbroken runs that mix letters and digits, as in base64 and hashes. */
  readonly dense: number;
  /** Tokens that a run of letters or digits costs at least. */
  readonly leastRun: number;
}

const ascii = { word: 4, digit: 4, symbol: 4, blank: 4, space: 4, dense: 4, leastRun: 0 };
const scripts = { kana: 1.3, hangul: 1.3, astral: 0.5, alphabet: 2.5, wide: 1.2 };

/** S1's figures: Chinese 1.8, ASCII 4. */
export const S1: Coefficients = { han: 1.8, ...scripts, ...ascii };
/** S5's figures: Chinese 1.5, ASCII 4. */
export const S5: Coefficients = { han: 1.5, ...scripts, ...ascii };
/**
 * The set that decides while nothing better is known: fitted so that it lies at or above what o200k_base
 * counts on source, prose, logs, listings, JSON, base64, hex and eight scripts, so that a trigger fires
 * early rather than late.
 */
export const HIGH: Coefficients = {
  han: 1.1,
  kana: 1.4,
  hangul: 1.3,
  astral: 0.4,
  alphabet: 2,
  wide: 1,
  word: 5,
  digit: 1.9,
  symbol: 1.35,
  blank: 20,
  space: 5,
  dense: 1.3,
  leastRun: 1,
};

/** Estimated tokens of a text, rounded up; 0 for the empty one. */
export function estimateTokens(text: string, set: Coefficients = S1): number {
  return text === '' ? 0 : Math.ceil(weigh(text, set) - 1e-9);
}

/** Share of Chinese characters, 0 to 1. */
export function getChineseRatio(text: string): number {
  let han = 0;
  for (let index = 0; index < text.length; index++) if (isHan(text.charCodeAt(index))) han++;
  return text.length === 0 ? 0 : han / text.length;
}

function weigh(text: string, set: Coefficients): number {
  let tokens = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (isWordCode(code)) {
      const end = endOfWord(text, index);
      tokens += weighWord(text, index, end, set);
      index = end;
    } else if (isSpace(code)) {
      const start = index;
      while (index < text.length && isSpace(text.charCodeAt(index))) index++;
      const length = index - start;
      tokens += length / (length === 1 && code === 32 ? set.blank : set.space);
    } else if (code < 0x80) {
      tokens += 1 / set.symbol;
      index++;
    } else {
      tokens += 1 / wideCoefficient(code, set);
      index += code >= 0xd800 && code <= 0xdbff ? 2 : 1;
    }
  }
  return tokens;
}

/** Length from which a run that mixes letters and digits is base64 or a hash rather than a name. */
const MIXED_RUN = 7;
/** Length from which any run is. */
const LONG_RUN = 64;

function weighWord(text: string, start: number, end: number, set: Coefficients): number {
  let digits = 0;
  for (let index = start; index < end; index++) if (text.charCodeAt(index) <= 57) digits++;
  const length = end - start;
  const mixed = digits > 1 && digits < length - 1;
  if (length >= LONG_RUN || (length >= MIXED_RUN && mixed)) return length / set.dense;
  return Math.max(set.leastRun, digits / set.digit + (length - digits) / set.word);
}

function endOfWord(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return end;
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}

function isHan(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0x3400 && code <= 0x4dbf);
}

function wideCoefficient(code: number, set: Coefficients): number {
  if (code < 0x0700) return set.alphabet;
  if (isHan(code)) return set.han;
  if (code >= 0x3040 && code <= 0x30ff) return set.kana;
  if ((code >= 0xac00 && code <= 0xd7af) || (code >= 0x1100 && code <= 0x11ff)) return set.hangul;
  if (code >= 0xd800 && code <= 0xdfff) return set.astral;
  return set.wide;
}
