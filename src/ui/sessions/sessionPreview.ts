/** The preview below the list: the last words of a session, or the entries around a hit. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { renderEntry } from '../print/entry.ts';
import { plainMarkdown } from '../print/markdown.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';

export interface PreviewRoom {
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** Lines of one entry at most: the preview is for recognising it, the session for reading it. */
const ENTRY_ROWS = 12;

/** Always `rows` lines, so that the list does not jump under the cursor. */
export function lastWords(session: SessionRecord | undefined, { width, rows, theme }: PreviewRoom): string[] {
  const lines = (session?.lastLines ?? []).flatMap((line) => sanitizeLine(line).trim() || []).slice(-rows);
  return filled(
    lines.map((line) => theme.dim(`│ ${truncate(line, width - 2)}`)),
    rows,
  );
}

/** The lines of the entries, `seq` marked, and where in them it begins. */
export function previewOf(
  entries: readonly JSONLEntry[],
  seq: number | undefined,
  { width, theme }: Omit<PreviewRoom, 'rows'>,
): { readonly lines: readonly string[]; readonly at: number } {
  const calls = new Map<string, JSONLEntry['tool']>();
  const lines: string[] = [];
  let at = 0;
  for (const entry of entries) {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    const isPlace = entry.seq === seq;
    if (isPlace) at = lines.length;
    const text = renderEntry(short(entry), {
      width: Math.max(2, width - 2),
      theme,
      markdown: plainMarkdown,
      tools: (id) => calls.get(id),
    });
    if (text === undefined) continue;
    const bar = isPlace ? theme.accent('┃ ') : theme.dim('│ ');
    const all = text.split('\n');
    const shown = all.length > ENTRY_ROWS ? [...all.slice(0, ENTRY_ROWS - 1), theme.dim('…')] : all;
    if (lines.length > 0) lines.push(theme.dim('│'));
    lines.push(...shown.map((line) => bar + line));
  }
  return { lines, at };
}

/** `rows` of the lines with line `at` among the first; scrolled by `top` from there. */
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

/** Only the beginning of a very long text is laid out. */
function short(entry: JSONLEntry): JSONLEntry {
  const { content } = entry.message;
  if (typeof content !== 'string' || content.length <= MAX_CHARACTERS) return entry;
  const head = content.slice(0, MAX_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '');
  return { ...entry, message: { ...entry.message, content: `${head}…` } };
}

const MAX_CHARACTERS = 4000;
