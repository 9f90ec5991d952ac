/**
 * Finds where an edit applies and returns the new text: exact matches first, then increasingly tolerant ones. Pure. A
 * stage runs only if every stricter one found nothing, and its matches must be unique too.
 */

import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { dominantLineEnd, type LineEnd, plainLines, withLineEnd } from './lineEnds.ts';

type EditStage = 'exact' | 'line ends' | 'trailing space' | 'indentation' | 'quotes and dashes';

type EditResult =
  | {
      readonly type: 'changed';
      readonly text: string;
      readonly replacements: number;
      readonly stage: EditStage;
    }
  | { readonly type: 'ambiguous'; readonly lines: readonly number[]; readonly stage: EditStage }
  | { readonly type: 'none' };

/**
 * Replaces `oldText` (not empty) in `text` with `newText`, taken literally: every match with `replaceAll`, otherwise
 * the only one.
 */
export function matchEdit(text: string, oldText: string, newText: string, replaceAll: boolean): EditResult {
  for (const [stage, find] of stages) {
    const matches = find(text, oldText, newText);
    if (matches.length === 0) continue;
    if (matches.length > 1 && !replaceAll)
      return { type: 'ambiguous', lines: lineNumbers(text, matches), stage };
    return { type: 'changed', text: applied(text, matches), replacements: matches.length, stage };
  }
  return { type: 'none' };
}

type Find = (text: string, oldText: string, newText: string) => Match[];

const stages: readonly (readonly [EditStage, Find])[] = [
  ['exact', matchExactly],
  ['line ends', tolerant(matchLiterally)],
  ['trailing space', tolerant(matchIgnoringTrailingSpace)],
  ['indentation', tolerant(matchIgnoringIndentation)],
  ['quotes and dashes', tolerant(matchIgnoringQuotes)],
];

/** Byte for byte; but line endings of the new text follow the file, unless the old text contains carriage returns. */
function matchExactly(text: string, oldText: string, newText: string): Match[] {
  const replacement = oldText.includes('\r') ? newText : withLineEnd(newText, dominantLineEnd(text));
  // A match must not begin inside `\r\n`: the carriage return would be left behind.
  return matchLiterally(text, oldText, replacement).filter(
    ({ start }) => !(oldText.startsWith('\n') && text[start - 1] === '\r'),
  );
}

function matchLiterally(text: string, oldText: string, replacement: string): Match[] {
  const matches: Match[] = [];
  for (let start = text.indexOf(oldText); start !== -1; ) {
    const end = start + oldText.length;
    matches.push({ start, end, replacement });
    start = text.indexOf(oldText, end);
  }
  return matches;
}

/** Repeats the looser comparisons with typographic characters replaced; lengths stay the same. */
function matchIgnoringQuotes(text: string, oldText: string, newText: string): Match[] {
  const [plainText, plainOld] = [plainQuotes(text), plainQuotes(oldText)];
  if (plainText === text && plainOld === oldText) return [];
  const literal = matchLiterally(plainText, plainOld, newText);
  if (literal.length > 0) return literal.map((match) => keepingUnchanged(match, text, oldText, newText));
  const trailing = matchIgnoringTrailingSpace(plainText, plainOld, newText);
  return trailing.length > 0 ? trailing : matchIgnoringIndentation(plainText, plainOld, newText);
}

/**
 * Keeps the file's own characters where old and new text begin and end alike, since the edit does not change them.
 */
function keepingUnchanged(match: Match, text: string, oldText: string, newText: string): Match {
  const shorter = Math.min(oldText.length, newText.length);
  let head = 0;
  while (head < shorter && oldText[head] === newText[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && oldText.at(-1 - tail) === newText.at(-1 - tail)) tail += 1;
  const found = text.slice(match.start, match.end);
  const middle = newText.slice(head, newText.length - tail);
  return { ...match, replacement: found.slice(0, head) + middle + found.slice(found.length - tail) };
}

/** Runs a search on texts without carriage returns and maps its matches back to the original. */
function tolerant(find: Find): Find {
  return (text, oldText, newText) => {
    const plain = plainLines(text);
    const matches = find(plain.text, withLineEnd(oldText, '\n'), withLineEnd(newText, '\n'));
    const fallback = dominantLineEnd(text);
    return matches.map(({ start, end, replacement }) => {
      const range = { start: plain.original(start), end: plain.original(end) };
      return {
        ...range,
        replacement: withLineEnd(replacement, lineEndOf(text.slice(range.start, range.end), fallback)),
      };
    });
  };
}

function lineEndOf(region: string, fallback: LineEnd): LineEnd {
  return region.includes('\n') ? dominantLineEnd(region) : fallback;
}

function applied(text: string, matches: readonly Match[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end, replacement } of matches) {
    pieces.push(text.slice(from, start), replacement);
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

function lineNumbers(text: string, matches: readonly Match[]): number[] {
  let line = 1;
  let at = 0;
  return matches.map(({ start }) => {
    for (let feed = text.indexOf('\n', at); feed !== -1 && feed < start; feed = text.indexOf('\n', at)) {
      line += 1;
      at = feed + 1;
    }
    return line;
  });
}

// Searches that tolerate common mistakes of models: trailing space, indentation, typographic characters.

/** A region of the text, `[start, end)`, and its replacement. */
interface Match {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Ignores spaces and tabs before line feeds on both sides. */
function matchIgnoringTrailingSpace(text: string, oldText: string, newText: string): Match[] {
  const lines = oldText.split('\n').map((line) => withoutTrailing(line, ' \t'));
  const pattern = lines.map((line) => line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[ \\t]*\\n');
  if (lines.every((line) => line === '')) return [];
  // Includes trailing space of the last line only if the match reaches the end of that line.
  const found = text.matchAll(new RegExp(`${pattern}(?:[ \\t]+(?=\\n|$))?`, 'g'));
  return [...found].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    replacement: newText,
  }));
}

/** Entire lines that differ from the old text only by indentation; the new text is indented like the file. */
function matchIgnoringIndentation(text: string, oldText: string, newText: string): Match[] {
  const endsLine = oldText.endsWith('\n');
  const wanted = (endsLine ? oldText.slice(0, -1) : oldText).split('\n');
  const wantedTrimmed = wanted.map((line) => line.trim());
  if (wantedTrimmed.every((line) => line === '')) return [];
  const lines = text.split('\n');
  const starts = lineStarts(lines);
  const matches: Match[] = [];
  for (let first = 0; first + wanted.length <= lines.length; first += 1) {
    if (!wantedTrimmed.every((line, index) => lines[first + index]?.trim() === line)) continue;
    const region = lines.slice(first, first + wanted.length);
    const reindent = learnIndentation(wanted, region);
    if (reindent === undefined) continue;
    const last = first + wanted.length - 1;
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0);
    matches.push({
      start: starts[first] ?? 0,
      end: endsLine && end < text.length ? end + 1 : end,
      replacement: reindent(newText),
    });
    first = last;
  }
  return matches;
}

/** Replaces typographic quotes, dashes and spaces with their keyboard equivalents, one character for one. */
function plainQuotes(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201A\u201B\u2032]/g, "'")
    .replace(/[\u201C\u201D\u201E\u201F\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u00A0\u2000-\u200A\u202F\u205F\u3000]/g, ' ');
}

function lineStarts(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

/** An indentation in the old text, and the same one in the file. */
type Pair = readonly [from: string, to: string];

/**
 * Learns from lines of the old text and the same lines in the file; undefined if one indentation of the old text
 * corresponds to two in the file, so that nothing can be learned safely.
 */
function learnIndentation(
  oldLines: readonly string[],
  fileLines: readonly string[],
): ((text: string) => string) | undefined {
  const known = new Map<string, string>();
  for (const [index, line] of oldLines.entries()) {
    if (line.trim() === '') continue;
    const [from, to] = [indentOf(line), indentOf(fileLines[index] ?? '')];
    if ((known.get(from) ?? to) !== to) return undefined;
    known.set(from, to);
  }
  const guess = lineThrough([...known]);
  return (text) =>
    text
      .split('\n')
      .map((line) => {
        if (line.trim() === '') return line;
        const indent = indentOf(line);
        return (known.get(indent) ?? guess(indent)) + line.slice(indent.length);
      })
      .join('\n');
}

/**
 * For levels that the old text does not contain: file width = scale × old width + shift, fitted to the levels it does
 * contain. Two levels determine both; one level determines a shift, or a scale if one side uses tabs and the other
 * spaces.
 */
function lineThrough(pairs: readonly Pair[]): (indent: string) => string {
  const sorted = pairs.toSorted(([a], [b]) => a.length - b.length);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const uniform = pairs.every(([from, to]) => isUniform(from) && isUniform(to));
  if (first === undefined || last === undefined || !uniform) return (indent) => indent;
  const [low, high] = [first.map((side) => side.length), last.map((side) => side.length)] as const;
  const [lowFrom = 0, lowTo = 0] = low;
  const [highFrom = 0, highTo = 0] = high;
  const sameCharacter = first[0] === '' || first[1] === '' || first[0][0] === first[1][0];
  let scale = 1;
  if (highFrom !== lowFrom) scale = (highTo - lowTo) / (highFrom - lowFrom);
  else if (!sameCharacter) scale = lowTo / lowFrom;
  // Both levels map to one: deeper levels cannot be derived from that.
  if (scale <= 0) scale = 1;
  const shift = lowTo - scale * lowFrom;
  const fileCharacter = pairs.find(([, to]) => to !== '')?.[1][0];
  return (indent) => {
    if (!isUniform(indent)) return indent;
    const width = Math.max(0, Math.round(scale * indent.length + shift));
    return (fileCharacter ?? indent[0] ?? ' ').repeat(width);
  };
}

function isUniform(indent: string): boolean {
  return /^(?: *|\t*)$/.test(indent);
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

// Finds the part of a file that an edit most likely meant, for the error message.

const MAX_LINES = 30;
const MAX_LINE_CHARACTERS = 200;
const MARGIN = 2;
/** Lines that occur more often do not help to locate the text. */
const MAX_OCCURRENCES = 50;
const MIN_SIMILARITY = 0.45;

/** Numbered lines around the best guess; undefined if nothing is similar to the wanted text. Pure. */
export function nearestRegion(text: string, wanted: string): string | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const wantedLines = wanted.split('\n').map((line) => line.trim());
  const start = byEqualLines(lines, wantedLines) ?? bySimilarLine(lines, wantedLines);
  if (start === undefined) return undefined;
  const first = Math.max(0, start - MARGIN);
  const last = Math.min(lines.length, start + wantedLines.length + MARGIN, first + MAX_LINES);
  return lines
    .slice(first, last)
    .map((line, index) => `${String(first + index + 1).padStart(6)}\t${line.slice(0, MAX_LINE_CHARACTERS)}`)
    .join('\n');
}

/** Each line that both texts contain votes for the start of the wanted text; rare lines weigh more. */
function byEqualLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const places = new Map<string, number[]>();
  for (const line of wanted) if (/\w/.test(line)) places.set(line, []);
  for (const [index, line] of lines.entries()) places.get(line.trim())?.push(index);
  const votes = new Map<number, number>();
  for (const [offset, line] of wanted.entries()) {
    const found = places.get(line) ?? [];
    if (found.length > MAX_OCCURRENCES) continue;
    for (const index of found) votes.set(index - offset, (votes.get(index - offset) ?? 0) + 1 / found.length);
  }
  const best = [...votes].sort(([a, x], [b, y]) => y - x || a - b)[0];
  return best === undefined ? undefined : Math.max(0, best[0]);
}

/** If no line is equal: the line most similar to the longest wanted one, by shared pairs of characters. */
function bySimilarLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((best, line) => (line.length > best.length ? line : best), '').slice(0, 500);
  const pairs = characterPairs(longest);
  const offset = wanted.findIndex((line) => line.startsWith(longest));
  let best = { similarity: MIN_SIMILARITY, index: -1 };
  for (const [index, line] of lines.entries()) {
    const similarity = dice(pairs, characterPairs(line.trim().slice(0, 500)));
    if (similarity > best.similarity) best = { similarity, index };
  }
  return best.index === -1 ? undefined : Math.max(0, best.index - offset);
}

function characterPairs(line: string): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < line.length; index += 1) pairs.add(line.slice(index, index + 2));
  return pairs;
}

/** Dice's coefficient of two sets: 0 = nothing shared, 1 = equal. */
function dice(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size);
}
