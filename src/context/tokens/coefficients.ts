/** Characters per token, by kind of character. */
export interface Coefficients {
  readonly han: number;
  readonly kana: number;
  readonly hangul: number;
  /** Emoji and everything else outside the basic plane, per code point. */
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
  /** Control characters, as in the colours of a terminal. */
  readonly control: number;
  /** The one blank between two words. */
  readonly blank: number;
  /** Longer runs of white space, line ends included. */
  readonly space: number;
  /** Tokens that such a run costs besides: one for its line ends, one for the indentation behind them. */
  readonly leastSpace: number;
  /** Unbroken runs that mix letters and digits, as in base64 and hashes. */
  readonly dense: number;
  /** Runs of one and the same letter, digit or mark. */
  readonly repeated: number;
  /** Tokens that a run of letters or digits costs at least. */
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

/** S1's figures: Chinese 1.8, ASCII 4. */
export const S1: Coefficients = { han: 1.8, ...scripts, ...ascii };
/** S5's figures: Chinese 1.5, ASCII 4. */
export const S5: Coefficients = { han: 1.5, ...scripts, ...ascii };
/**
 * The set that decides while nothing better is known: fitted so that it lies at or above what o200k_base
 * counts on source, prose, logs, listings, JSON, base64, hex and nine scripts (`npm run bench:tokens`), so
 * that a trigger fires early rather than late.
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
