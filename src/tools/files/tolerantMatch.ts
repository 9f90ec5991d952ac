/** Searches that tolerate common mistakes of models: trailing space, indentation, typographic characters. */
import { learnIndentation } from './reindent.ts';

/** A region of the text, `[start, end)`, and its replacement. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Ignores spaces and tabs before line feeds on both sides. */
export function matchIgnoringTrailingSpace(text: string, oldText: string, newText: string): Match[] {
  const lines = oldText.split('\n').map((line) => line.replace(/[ \t]+$/, ''));
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
export function matchIgnoringIndentation(text: string, oldText: string, newText: string): Match[] {
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
export function plainQuotes(text: string): string {
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
