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
  readonly phrase: (text: string, max: number) => readonly Match[];
  /** The best lines first, at most `max`; none where the query is a single word. */
  readonly words: (text: string, max: number) => readonly Match[];
}

/** Letter case does not count. Runs of Chinese and the like are looked for by pairs of characters. */
export function createMatcher(query: string): Matcher {
  const phrase = headOf(query.trim(), MAX_QUERY_CHARACTERS);
  const words = wordsOf(phrase);
  const expression = new RegExp(literal(phrase), 'giu');
  const wordExpressions = words.map((word) => new RegExp(literal(word), 'giu'));
  return {
    overlap: phrase.length,
    phrase: (text, max) =>
      positions(text, phrase, expression, max).map((index) => ({ index, length: phrase.length, score: 1 })),
    words: (text, max) => (words.length < 2 ? [] : bestLines(text, words, wordExpressions, max)),
  };
}

const MAX_QUERY_CHARACTERS = 300;
const MAX_WORDS = 12;
/** Occurrences of one word that are looked at in one piece: "the" is on every line. */
const MAX_OCCURRENCES = 2000;
/** A line has to hold more than half of the words. */
const MIN_SHARE = 0.5;

function wordsOf(phrase: string): string[] {
  const words = new Set<string>();
  for (const [run] of phrase.toLowerCase().matchAll(/[\p{L}\p{N}_$]+(?:[./\\:@-][\p{L}\p{N}_$]+)*/gu)) {
    if (!/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(run)) {
      if (run.length > 1) words.add(run);
    } else for (let index = 0; index + 1 < run.length; index++) words.add(run.slice(index, index + 2));
  }
  return [...words].filter((word) => word.isWellFormed()).slice(0, MAX_WORDS);
}

/** Lower case is searched where it has the same length, which is nearly always, since that is much faster. */
function positions(text: string, needle: string, expression: RegExp, max: number): number[] {
  const found: number[] = [];
  if (needle === '' || max <= 0) return found;
  const lower = text.toLowerCase();
  const low = needle.toLowerCase();
  if (lower.length === text.length && low.length === needle.length) {
    for (
      let at = lower.indexOf(low);
      at !== -1 && found.length < max;
      at = lower.indexOf(low, at + low.length)
    )
      found.push(at);
    return found;
  }
  for (const match of text.matchAll(expression)) {
    found.push(match.index);
    if (found.length >= max) break;
  }
  return found;
}

function bestLines(
  text: string,
  words: readonly string[],
  expressions: readonly RegExp[],
  max: number,
): readonly Match[] {
  const lines = new Map<number, { mask: number; index: number }>();
  for (const [bit, word] of words.entries()) {
    const expression = expressions[bit];
    if (expression === undefined) continue;
    for (const index of positions(text, word, expression, MAX_OCCURRENCES)) {
      const start = lineStart(text, index);
      const line = lines.get(start);
      if (line === undefined) lines.set(start, { mask: 1 << bit, index });
      else line.mask |= 1 << bit;
    }
  }
  return [...lines.values()]
    .map(({ mask, index }) => ({ index, length: 1, score: (0.99 * bitsOf(mask)) / words.length }))
    .filter(({ score }) => score > MIN_SHARE)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, max);
}

/** A line without an end, as in minified code, counts as lines of this many characters. */
const MAX_LINE_CHARACTERS = 1000;

function lineStart(text: string, index: number): number {
  const floor = Math.max(0, index - MAX_LINE_CHARACTERS);
  const feed = text.slice(floor, index).lastIndexOf('\n');
  return feed === -1 ? Math.floor(index / MAX_LINE_CHARACTERS) * MAX_LINE_CHARACTERS : floor + feed + 1;
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
