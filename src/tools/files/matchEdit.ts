/**
 * Finds where an edit applies and returns the new text: exact matches first, then increasingly tolerant ones. Pure. A
 * stage runs only if every stricter one found nothing, and its matches must be unique too.
 */
import { dominantLineEnd, type LineEnd, plainLines, withLineEnd } from './lineEnds.ts';
import {
  type Match,
  matchIgnoringIndentation,
  matchIgnoringTrailingSpace,
  plainQuotes,
} from './tolerantMatch.ts';

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

/** Repeats the two looser comparisons on texts with plain typographic characters; the lengths are unchanged. */
function matchIgnoringQuotes(text: string, oldText: string, newText: string): Match[] {
  const [plainText, plainOld] = [plainQuotes(text), plainQuotes(oldText)];
  if (plainText === text && plainOld === oldText) return [];
  const literal = matchLiterally(plainText, plainOld, newText);
  if (literal.length > 0) return literal.map((match) => keepingUnchanged(match, text, oldText, newText));
  const trailing = matchIgnoringTrailingSpace(plainText, plainOld, newText);
  return trailing.length > 0 ? trailing : matchIgnoringIndentation(plainText, plainOld, newText);
}

/**
 * Keeps the file's own characters where old and new text begin and end alike: the edit does not change those quotes.
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
