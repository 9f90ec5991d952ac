/** The preview below the list: the last lines of a session, or the entries around a hit. Pure. */
import { stripVTControlCharacters } from 'node:util';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { contentText, displayText } from '../print/content.ts';
import { renderEntry } from '../print/entry.ts';
import { plainMarkdown } from '../print/markdown.ts';
import { sanitize, sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

interface PreviewRoom {
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** Maximum lines per entry: enough to recognize it. */
const ENTRY_ROWS = 12;

/** Always `rows` lines, so that the list does not jump. */
export function lastLines(session: SessionRecord | undefined, { width, rows, theme }: PreviewRoom): string[] {
  const lines = (session?.lastLines ?? []).flatMap((line) => sanitizeLine(line).trim() || []).slice(-rows);
  return filled(
    lines.map((line) => theme.dim(`│ ${truncate(line, width - 2)}`)),
    rows,
  );
}

/** The entry and the words to highlight in a preview. */
interface PreviewPlace {
  readonly seq: number;
  readonly words: readonly string[];
}

/** The lines of all entries, those of `place` marked, and the index of the line to show. */
export function previewOf(
  entries: readonly JSONLEntry[],
  place: PreviewPlace | undefined,
  { width, theme }: Omit<PreviewRoom, 'rows'>,
): { readonly lines: readonly string[]; readonly at: number } {
  const calls = new Map<string, JSONLEntry['tool']>();
  const lines: string[] = [];
  let at = 0;
  for (const entry of entries) {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    const isPlace = entry.seq === place?.seq;
    if (isPlace) at = lines.length;
    const text = renderEntry(short(entry), {
      width: Math.max(2, width - 2),
      theme,
      markdown: plainMarkdown,
      tools: (id) => calls.get(id),
    });
    if (text === undefined) continue;
    if (lines.length > 0) lines.push(theme.dim('│'));
    const rendered = text.split('\n');
    const all = isPlace ? withWords(rendered, entry, place.words, width - 2) : rendered;
    const from = isPlace ? Math.max(0, lineOf(all, place.words) - LEAD_ROWS) : 0;
    const shown = [
      ...(from > 0 ? [theme.dim('…')] : []),
      ...all.slice(from, from + ENTRY_ROWS),
      ...(all.length > from + ENTRY_ROWS ? [theme.dim('…')] : []),
    ];
    if (isPlace) at = lines.length + Math.max(0, lineOf(shown, place.words) - 1);
    const bar = isPlace ? theme.accent('┃ ') : theme.dim('│ ');
    lines.push(...shown.map((line) => bar + line));
  }
  return { lines, at };
}

/** Lines shown above a match. */
const LEAD_ROWS = 4;

/** If a long output is collapsed to its first line, adds an excerpt around the match. */
function withWords(
  lines: readonly string[],
  entry: JSONLEntry,
  words: readonly string[],
  width: number,
): readonly string[] {
  if (lineOf(lines, words) !== -1) return lines;
  const excerpt = excerptOf(entry, words, width);
  return excerpt.length === 0 ? lines : [...lines.slice(0, 1), ...excerpt];
}

/** The first line that contains one of the words; -1 if the rendering left them out. */
function lineOf(lines: readonly string[], words: readonly string[]): number {
  const wanted = words.map((word) => word.toLowerCase()).filter((word) => word !== '');
  return lines.findIndex((line) => {
    const plain = stripVTControlCharacters(line).toLowerCase();
    return wanted.some((word) => plain.includes(word));
  });
}

/** `rows` of the lines, starting just above line `at` and scrolled down by `top`. */
export function previewWindow(
  { lines, at }: { readonly lines: readonly string[]; readonly at: number },
  rows: number,
  top: number,
): string[] {
  const last = Math.max(0, lines.length - rows);
  const from = Math.max(0, Math.min(last, at - 1 + top));
  return filled(lines.slice(from, from + rows), rows);
}

export function filled(lines: readonly string[], rows: number): string[] {
  return [...lines, ...Array.from({ length: Math.max(0, rows - lines.length) }, () => '')];
}

/** Lays out only the start of a very long text. */
function short(entry: JSONLEntry): JSONLEntry {
  const { content } = entry.message;
  if (typeof content !== 'string' || content.length <= MAX_CHARACTERS) return entry;
  const head = content.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return { ...entry, message: { ...entry.message, content: `${head}…` } };
}

const MAX_CHARACTERS = 4000;

// The lines around a match in an entry's text, for matches that the rendering left out. Pure.

/** Lines above and below the match. */
const ABOVE = 3;
const BELOW = 6;
/** Characters to show before and after the match: a line may be a megabyte long. */
const AROUND = 4000;

/** Lines of at most `width` columns; empty if the text contains none of the words. */
function excerptOf(entry: JSONLEntry, words: readonly string[], width: number): readonly string[] {
  const text = [
    displayText(entry.toolResult?.output),
    contentText(entry),
    displayText(entry.tool?.input),
  ].find((one) => placeOf(one, words) !== -1);
  if (text === undefined) return [];
  const at = placeOf(text, words);
  const above = sanitize(text.slice(Math.max(0, at - AROUND), at)).split('\n');
  const below = sanitize(text.slice(at, at + AROUND)).split('\n');
  // Keeps some text before a match that is far into a long line.
  const before = (above.at(-1) ?? '').slice(-Math.floor(width / 2));
  const line = `${before}${below[0] ?? ''}`;
  return [...above.slice(-1 - ABOVE, -1), line, ...below.slice(1, 1 + BELOW)].map((one) =>
    truncate(withoutHalves(one), width),
  );
}

/** Removes half a surrogate pair at either end. */
function withoutHalves(line: string): string {
  return line.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
}

function placeOf(text: string, words: readonly string[]): number {
  const lower = text.toLowerCase();
  for (const word of words) {
    const at = word === '' ? -1 : lower.indexOf(word.toLowerCase());
    if (at !== -1) return at;
  }
  return -1;
}
