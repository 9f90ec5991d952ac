/** Finds a query in a piece of text: the phrase itself, else lines that hold most of its words. Pure. */
import { headOf } from '../tokens/wellFormed.ts';

export interface Match {
  /** Index into the text, in UTF-16 units. */
  readonly index: number;
  readonly length: number;
  /** 1 for the phrase, else the share of the query's words that the line holds, below 1. */
  readonly score: number;
}

export interface Matcher {
  /** Characters that two pieces have to overlap by, so that no phrase is missed between them. */
  readonly overlap: number;
  /** Takes in one piece of text. */
  readonly on: (text: string) => PieceMatcher;
}

export interface PieceMatcher {
  readonly phrase: (max: number) => readonly Match[];
  /** The best lines first; none where the query is a single word. */
  readonly words: (max: number) => readonly Match[];
}

/** Letter case does not count. Runs of Chinese and the like are looked for by pairs of characters. */
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

/** In lower case, at the same length: only one character has a longer form there. */
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

/** What is around one hit shows the others near it. In characters. */
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

/** Occurrences of one word that are looked at in one piece: "the" is on every line. */
const MAX_OCCURRENCES = 500;

/** Lines with more than half of the words. Each has one of the rarer words, so those lead to all of them. */
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

/** A line without an end, as in minified code, counts as lines of this many characters. */
const MAX_LINE_CHARACTERS = 1000;

function lineAround(text: string, index: number): { readonly start: number; readonly end: number } {
  const floor = Math.max(0, index - MAX_LINE_CHARACTERS);
  const feed = text.slice(floor, index).lastIndexOf('\n');
  const start =
    feed === -1 ? Math.floor(index / MAX_LINE_CHARACTERS) * MAX_LINE_CHARACTERS : floor + feed + 1;
  const rest = text.slice(start, start + 2 * MAX_LINE_CHARACTERS).indexOf('\n', index - start);
  return { start, end: rest === -1 ? start + 2 * MAX_LINE_CHARACTERS : start + rest };
}
