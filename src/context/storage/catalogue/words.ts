/**
 * Text as the index takes it. SQLite's own tokenizer splits at what is neither letter nor digit, which leaves
 * scripts without spaces in one piece: their runs are handed over as overlapping pairs of characters.
 */

import { createHash } from 'node:crypto';

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
 * Without what nobody searches for: base64 and its like, which would fill the index with words that occur once. A run
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
