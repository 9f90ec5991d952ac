/**
 * Text as the index takes it. SQLite's own tokenizer splits at what is neither letter nor digit, which leaves
 * scripts without spaces in one piece: their runs are handed over as overlapping pairs of characters.
 */
import { createHash } from 'node:crypto';
import type { SearchHit } from '../../../protocol/sessions.ts';
import { headOf, tailOf } from '../../tokens/truncate.ts';
import { oneLine } from '../sessionSummary.ts';
import { withoutColours } from './searchable.ts';

/** Han, kana, hangul, Thai, Lao, Burmese, Khmer; astral Han as pairs of surrogates. */
const unspaced =
  '(?:[\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u3005\\u3040-\\u30ff\\u3130-\\u318f\\u31f0-\\u31ff' +
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uff9f]|[\\ud840-\\ud8bf][\\udc00-\\udfff])';
const hasUnspaced = new RegExp(unspaced);
const unspacedRuns = new RegExp(`${unspaced}+`, 'g');
const wholeUnspaced = new RegExp(`^${unspaced}+$`);

/** The text to be indexed. */
export function indexText(text: string): string {
  const shorter = withoutLongRuns(text);
  if (!hasUnspaced.test(shorter)) return shorter;
  return shorter.replace(unspacedRuns, (run) => ` ${pairsOf(run).join(' ')} `);
}

const longRun = 256;

/**
 * Without what no one searches for: base64 and its like, which would fill the index with words that occur once. A run
 * that is long enough stands at one of every 256th places, so only these are looked at.
 */
function withoutLongRuns(text: string): string {
  const parts: string[] = [];
  let kept = 0;
  for (let at = longRun - 1; at < text.length; at += longRun) {
    if (at < kept || !isRunCharacter(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > kept && isRunCharacter(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isRunCharacter(text.charCodeAt(end))) end += 1;
    if (end - start < longRun) continue;
    parts.push(text.slice(kept, start));
    kept = end;
  }
  return parts.length === 0 ? text : [...parts, text.slice(kept)].join(' ');
}

/** Letters, digits and + / = _ - */
function isRunCharacter(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 47 && code <= 57) ||
    code === 43 ||
    code === 61 ||
    code === 95 ||
    code === 45
  );
}

/** Overlapping pairs, and the last character alone, so that a search for one character is one for a beginning. */
export function pairsOf(run: string): readonly string[] {
  const pairs: string[] = [];
  let before = '';
  for (const character of run) {
    if (before !== '') pairs.push(before + character);
    before = character;
  }
  pairs.push(before);
  return pairs;
}

/** A word that stands in everything that a project's sessions said, and in nothing else. */
export function projectWord(project: string): string {
  return `zqp${createHash('sha256').update(project).digest('hex').slice(0, 16)}`;
}

/** The pieces of a word as the tokenizer would split it; a piece is either spaced script or unspaced. */
export function piecesOf(word: string): readonly string[] {
  const tokens = word.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
  return tokens.flatMap((token) =>
    token
      .replace(unspacedRuns, (run) => ` ${run} `)
      .split(' ')
      .filter((piece) => piece !== ''),
  );
}

export function isUnspaced(piece: string): boolean {
  return wholeUnspaced.test(piece);
}

/** Lower case and without accents, each UTF-16 unit where it was: a position in one is a position in the other. */
export function fold(text: string): string {
  if (!/[^\u0000-\u007f]/.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+|[^\u0000-\u007f\u3000-\ud7ff]/gu, (part) =>
    part <= '\u007f' ? part.toLowerCase() : foldCharacter(part),
  );
}

/** There are some thousands of characters that have case or accents; the others come and go. */
const folded = new Map<string, string>();
const maxFolded = 20_000;

function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  const plain = character.normalize('NFD');
  const base = /^.\p{M}+$/u.test(plain) ? ([...plain][0] ?? character) : character;
  const lower = base.toLowerCase();
  const same = lower.length === character.length ? lower : character;
  if (folded.size >= maxFolded) folded.clear();
  folded.set(character, same);
  return same;
}

// What the user typed to search for. Every text is a query; one that has no words finds nothing.

export interface Term {
  /** As the tokenizer splits it; more than one where they have to stand side by side. */
  readonly pieces: readonly string[];
  readonly isPrefix: boolean;
  /** Finds it in folded text; not global, so that it has no state. */
  readonly pattern: RegExp;
  /** True where the index can only say that the pieces occur: the text itself has to be looked at. */
  readonly needsLook: boolean;
}

export interface Query {
  /** All of them have to occur. */
  readonly terms: readonly Term[];
  /** The same in the language of the index. */
  readonly match: string;
}

const maxTerms = 16;
const maxQueryCharacters = 1000;
const letter = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';
const gap = '[^\\p{L}\\p{N}\\p{Co}]';

/** Words are joined by AND; `"a phrase"` stands as it is, `begin*` is the beginning of a word. */
export function parseQuery(text: string): Query | undefined {
  const terms = [...withoutColours(text.slice(0, maxQueryCharacters)).matchAll(/"([^"]*)"?|([^\s"]+)/g)]
    .map(([, phrase, word = '']) =>
      phrase === undefined ? termOf(word, word.endsWith('*')) : termOf(phrase, false),
    )
    .filter((term) => term !== undefined)
    .slice(0, maxTerms);
  if (terms.length === 0) return undefined;
  return { terms, match: terms.map(matchOf).join(' AND ') };
}

/** Whether every term occurs. `folded` comes from `fold`. */
export function matches({ terms }: Query, folded: string): boolean {
  return terms.every(({ pattern }) => pattern.test(folded));
}

function termOf(text: string, isPrefix: boolean): Term | undefined {
  const pieces = piecesOf(fold(text.normalize('NFC')));
  const [first] = pieces;
  if (first === undefined) return undefined;
  const needsLook = pieces.length > 1 || (isUnspaced(first) && [...first].length > 2);
  return { pieces, isPrefix, needsLook, pattern: patternOf(pieces, isPrefix) };
}

function patternOf(pieces: readonly string[], isPrefix: boolean): RegExp {
  let source = '';
  pieces.forEach((piece, index) => {
    const before = pieces[index - 1];
    const touches = isUnspaced(piece) || (before !== undefined && isUnspaced(before));
    if (before !== undefined) source += `${gap}{${touches ? 0 : 1},8}`;
    else if (!isUnspaced(piece)) source += `(?<!${letter})`;
    source += piece;
  });
  const last = pieces.at(-1) ?? '';
  return new RegExp(isPrefix || isUnspaced(last) ? source : `${source}(?!${letter})`, 'u');
}

/** Pieces hold letters, marks and digits only, so nothing needs an escape. */
function matchOf({ pieces, isPrefix }: Term): string {
  return pieces
    .flatMap((piece, index) => {
      if (!isUnspaced(piece)) return [`"${piece}"${isPrefix && index === pieces.length - 1 ? '*' : ''}`];
      const pairs = pairsOf(piece);
      return pairs.length === 1 ? [`"${piece}"*`] : pairs.slice(0, -1).map((pair) => `"${pair}"`);
    })
    .join(' AND ');
}

// One line around what was found.

const before = 50;
const length = 180;
/** Text beyond this is not searched for the place that the index says is there. */
const maxTextCharacters = 4 * 2 ** 20;

/** `folded` is `fold(text)`. Empty marks where the words cannot be shown. */
export function snippetOf(
  query: Query,
  text: string,
  folded: string = fold(text.slice(0, maxTextCharacters)),
): Pick<SearchHit, 'snippet' | 'marks'> {
  const at = firstPlace(query, folded);
  const start = Math.max(0, at - before);
  const lead = tailOf(text.slice(0, at), at - start);
  const rest = headOf(text.slice(at, at + length), length - lead.length);
  const isCut = at + rest.length < text.length;
  const line = oneLine(`${lead}${rest}`).replace(/\s+/g, ' ').trim();
  const snippet = `${start > 0 ? '…' : ''}${line}${isCut ? '…' : ''}`;
  return { snippet, marks: marksOf(query, fold(snippet)) };
}

/** Where the first of the terms stands; where all stand close together is not looked for. */
function firstPlace({ terms }: Query, folded: string): number {
  const places = terms.map(({ pattern }) => folded.search(pattern)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
}

function marksOf({ terms }: Query, folded: string): SearchHit['marks'] {
  const found = terms
    .flatMap(({ pattern }) =>
      [...folded.matchAll(new RegExp(pattern, 'gu'))].map(({ index, 0: hit }): [number, number] => [
        index,
        index + hit.length,
      ]),
    )
    .sort(([a], [b]) => a - b);
  const marks: [number, number][] = [];
  for (const mark of found) {
    const last = marks.at(-1);
    if (last !== undefined && mark[0] <= last[1]) last[1] = Math.max(last[1], mark[1]);
    else marks.push(mark);
  }
  return marks;
}
