/**
 * Prepares text for the index. SQLite's tokenizer splits at everything except letters and digits, which leaves scripts
 * without spaces in one piece: their runs are indexed as overlapping pairs of characters.
 */
import { createHash } from 'node:crypto';
import { closeSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { shellCommand } from '../../../protocol/entries/readEntry.ts';
import { type JSONLEntry, kindOf } from '../../../protocol/entries.ts';
import { contentText } from '../../../protocol/messages.ts';
import type { SearchHit } from '../../../protocol/sessions.ts';
import { withoutEscapes } from '../../../protocol/text/escapes.ts';
import { headOf, tailOf } from '../../tokens/truncate.ts';
import { oneLine } from '../sessionSummary.ts';
import { openStoredNow } from '../storedFiles.ts';

/** Han, kana, hangul, Thai, Lao, Burmese, Khmer; astral Han as pairs of surrogates. */
const unspaced =
  '(?:[\\u0e00-\\u0eff\\u1000-\\u109f\\u1100-\\u11ff\\u1780-\\u17ff\\u3005\\u3040-\\u30ff\\u3130-\\u318f\\u31f0-\\u31ff' +
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uff9f]|[\\ud840-\\ud8bf][\\udc00-\\udfff])';
const hasUnspaced = new RegExp(unspaced);
const unspacedRuns = new RegExp(`${unspaced}+`, 'g');
const wholeUnspaced = new RegExp(`^${unspaced}+$`);

/** The text to index. */
export function indexText(text: string): string {
  const shorter = withoutLongRuns(text);
  if (!hasUnspaced.test(shorter)) return shorter;
  return shorter.replace(unspacedRuns, (run) => ` ${pairsOf(run).join(' ')} `);
}

const longRun = 256;

/**
 * Removes base64 and similar runs, which would fill the index with words that occur once. A run of this length covers
 * at least one of every 256 positions, so only these are checked.
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

/** Overlapping pairs, and the last character on its own: a search for one character is a prefix search. */
function pairsOf(run: string): readonly string[] {
  const pairs: string[] = [];
  let before = '';
  for (const character of run) {
    if (before !== '') pairs.push(before + character);
    before = character;
  }
  pairs.push(before);
  return pairs;
}

/** A word added to all texts of a project's sessions, and to no others. */
export function projectWord(project: string): string {
  return `zqp${createHash('sha256').update(project).digest('hex').slice(0, 16)}`;
}

/** The pieces of a word as the tokenizer splits it; each piece is in either a spaced or an unspaced script. */
function piecesOf(word: string): readonly string[] {
  const tokens = word.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
  return tokens.flatMap((token) =>
    token
      .replace(unspacedRuns, (run) => ` ${run} `)
      .split(' ')
      .filter((piece) => piece !== ''),
  );
}

function isUnspaced(piece: string): boolean {
  return wholeUnspaced.test(piece);
}

/** Lower case and without accents, with the same length: positions in both texts correspond. */
export function fold(text: string): string {
  if (!/[^\u0000-\u007f]/.test(text)) return text.toLowerCase();
  return text.replace(/[A-Z]+|[^\u0000-\u007f\u3000-\ud7ff]/gu, (part) =>
    part <= '\u007f' ? part.toLowerCase() : foldCharacter(part),
  );
}

/** Cache for the several thousand characters with case or accents; others are rare. */
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

// Parses what the user typed into the search. Every text is a valid query; one without words finds nothing.

interface Term {
  /** As the tokenizer splits it; several pieces must be adjacent. */
  readonly pieces: readonly string[];
  readonly isPrefix: boolean;
  /** Matches the term in folded text; not global, so that it has no state. */
  readonly pattern: RegExp;
  /** True if the index can only tell that the pieces occur, so that the text has to be checked. */
  readonly needsCheck: boolean;
}

export interface Query {
  /** All of them must occur. */
  readonly terms: readonly Term[];
  /** The query in the syntax of the index. */
  readonly match: string;
}

const maxTerms = 16;
const maxQueryCharacters = 1000;
const letter = '[\\p{L}\\p{N}\\p{M}\\p{Co}]';
const gap = '[^\\p{L}\\p{N}\\p{Co}]';

/** All words must occur; `"a phrase"` matches exactly, `prefix*` matches the beginning of a word. */
export function parseQuery(text: string): Query | undefined {
  const terms = [...withoutEscapes(text.slice(0, maxQueryCharacters)).matchAll(/"([^"]*)"?|([^\s"]+)/g)]
    .map(([, phrase, word = '']) =>
      phrase === undefined ? termOf(word, word.endsWith('*')) : termOf(phrase, false),
    )
    .filter((term) => term !== undefined)
    .slice(0, maxTerms);
  if (terms.length === 0) return undefined;
  return { terms, match: terms.map(matchOf).join(' AND ') };
}

/** True if every term occurs. `folded` is the result of `fold`. */
export function matches({ terms }: Query, folded: string): boolean {
  return terms.every(({ pattern }) => pattern.test(folded));
}

function termOf(text: string, isPrefix: boolean): Term | undefined {
  const pieces = piecesOf(fold(text.normalize('NFC')));
  const [first] = pieces;
  if (first === undefined) return undefined;
  const needsCheck = pieces.length > 1 || (isUnspaced(first) && [...first].length > 2);
  return { pieces, isPrefix, needsCheck, pattern: patternOf(pieces, isPrefix) };
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

/** Pieces contain only letters, marks and digits, so nothing needs to be escaped. */
function matchOf({ pieces, isPrefix }: Term): string {
  return pieces
    .flatMap((piece, index) => {
      if (!isUnspaced(piece)) return [`"${piece}"${isPrefix && index === pieces.length - 1 ? '*' : ''}`];
      const pairs = pairsOf(piece);
      return pairs.length === 1 ? [`"${piece}"*`] : pairs.slice(0, -1).map((pair) => `"${pair}"`);
    })
    .join(' AND ');
}

// The line of text around a hit.

const before = 50;
const length = 180;
/** Only this much of a text is searched for the place of the hit. */
const maxTextCharacters = 4 * 2 ** 20;

/** `folded` is `fold(text)`. `marks` is empty if the words are not in the snippet. */
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

/** Position of the first term that occurs; does not look for a place where all terms are close together. */
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

// The searchable text of an entry, and its author.

interface IndexedText {
  /** "you", "model", "summary", "note", or the tool's name. */
  readonly who: string;
  readonly text: string;
}

/** Undefined for entries without text of the conversation: boundaries, measurements, the system prompt. */
export function indexedText(entry: JSONLEntry): IndexedText | undefined {
  const { who, parts } = partsOf(entry);
  // Color codes would otherwise become part of the words after them.
  const text = withoutEscapes(parts.filter((part) => part !== '').join('\n'));
  return text.trim() === '' ? undefined : { who, text };
}

function partsOf(entry: JSONLEntry): { readonly who: string; readonly parts: readonly string[] } {
  const { message, tool, toolResult } = entry;
  const words = contentText(message.content);
  switch (entry.type) {
    case 'assistant':
      return { who: 'model', parts: [words, message.reasoning?.text ?? ''] };
    case 'tool_use':
      return { who: tool?.name ?? 'tool', parts: [leavesOf(tool?.input), tool?.invalid ?? ''] };
    case 'tool_result':
      return {
        who: toolResult?.name ?? 'tool',
        parts: [
          typeof toolResult?.output === 'string' ? toolResult.output : contentText(toolResult?.output),
          toolResult?.error ?? '',
        ],
      };
    case 'user':
      if (entry.isCompactSummary === true) return { who: 'summary', parts: [words] };
      return { who: kindOf(entry)?.searchedAs ?? 'note', parts: [shellCommand(entry) ?? '', words] };
    case 'system': {
      if (entry.subtype === 'unknown') return { who: 'note', parts: [leavesOf(entry.data?.line)] };
      const who = kindOf(entry)?.searchedAs;
      return { who: who ?? 'note', parts: who === undefined ? [] : [words] };
    }
  }
}

/** The strings and numbers of a JSON value, one per line; field names belong to the tool and are skipped. */
function leavesOf(value: unknown): string {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).reverse().slice(0, 10_000));
  }
  return found.join('\n');
}

// Searchable blobs.

/** Only this much of the beginning of an original can be searched. */
const maxOriginalBytes = 2 * 2 ** 20;
/** An original with a zero byte in its first bytes is binary; git uses the same rule. */
const probeBytes = 8000;

/** Undefined if it is missing or binary. */
export function readOriginal(projectFolder: string, hash: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const buffer = Buffer.allocUnsafe(maxOriginalBytes);
  let length = 0;
  try {
    const handle = openStoredNow(join(projectFolder, 'blobs', hash.slice(0, 2), hash), projectFolder);
    try {
      for (let got = -1; got !== 0 && length < maxOriginalBytes; length += got)
        got = readSync(handle, buffer, length, maxOriginalBytes - length, length);
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
  const bytes = buffer.subarray(0, length);
  return bytes.subarray(0, probeBytes).includes(0) ? undefined : withoutEscapes(bytes.toString('utf8'));
}
