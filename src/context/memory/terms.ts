/** From text to search terms: one rule for memories and another, matching one for what is looked up. */
import { stemmer } from 'stemmer';
import { STOP_WORDS } from './stopWords.ts';

/**
 * A word of a query. It is held by a text that has all terms of one of its alternatives: `PostgreSQL` is held
 * by "postgresql" and by "postgre sql", 数据库 by its two pairs of characters.
 */
export interface QueryWord {
  readonly key: string;
  readonly alternatives: readonly (readonly string[])[];
}

/** Longer runs are base64 and hashes. */
const MAX_TERM = 64;

/** Every term of a text, repeated as often as it occurs. */
export function documentTerms(text: string): string[] {
  const terms: string[] = [];
  for (const run of runsOf(text)) {
    if (isUnspaced(run)) terms.push(...pairsOf(run));
    else {
      terms.push(stem(run));
      const parts = partsOf(run);
      if (parts.length > 1) terms.push(...parts.map(stem));
    }
  }
  return terms;
}

/** The telling words of a text, each once: no stop words, no single letters or characters. */
export function queryWords(text: string, maxWords: number): QueryWord[] {
  const words = new Map<string, QueryWord>();
  const add = (key: string, ...alternatives: (readonly string[])[]): void => {
    if (!words.has(key)) words.set(key, { key, alternatives });
  };
  for (const run of runsOf(text)) {
    if (words.size >= maxWords) break;
    if (isUnspaced(run)) {
      for (const word of unspacedWords(run)) add(word, pairsOf(word));
    } else if (run.length > 1 && !STOP_WORDS.has(run.toLowerCase())) {
      const whole = stem(run);
      const parts = partsOf(run).map(stem);
      add(whole, [whole], ...(parts.length > 1 ? [parts] : []));
    }
  }
  return [...words.values()];
}

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const RUN = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}'’])+`, 'gu');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

function* runsOf(text: string): Generator<string> {
  for (const [match] of text.normalize('NFKC').matchAll(RUN)) {
    const run = match.replace(/^['’]+|['’]+$/g, '').replaceAll('’', "'");
    if (run !== '' && (run.length <= MAX_TERM || isUnspaced(run))) yield run;
  }
}

const isUnspaced = (run: string): boolean => STARTS_UNSPACED.test(run);

/** Neighbouring characters as pairs; a lone character as it is. */
function pairsOf(run: string): string[] {
  const characters = [...run.toLowerCase()];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words by the dictionary of the runtime; a run of one character is a word too, since it was written alone. */
function unspacedWords(run: string): string[] {
  if ([...run].length === 1) return [run];
  return [...segmenter.segment(run)]
    .map(({ segment }) => segment.toLowerCase())
    .filter((word) => [...word].length > 1 && !STOP_WORDS.has(word));
}

/** `getUserName` as get, User, Name; acronyms stay together. */
function partsOf(run: string): string[] {
  return run
    .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((part) => part.length > 1);
}

/** Lower case, and without English endings. */
function stem(word: string): string {
  const lower = word.toLowerCase().replace(/'s$/, '');
  return /^[a-z]{4,}$/.test(lower) ? stemmer(lower) : lower;
}
