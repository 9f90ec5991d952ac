/** Entries of the program itself: the session's header, compactions, and a line for each of the rest. */
import { type EntryNote, noteLine } from '../../protocol/entries/defineKind.ts';
import { type JSONLEntry, noteOf } from '../../protocol/entries.ts';
import type { Paint, Theme } from '../theme.ts';
import type { EntryOptions } from './entry.ts';
import { count, formatDuration, formatTokens } from './numbers.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';
import { truncate } from './width.ts';

/** What the screen says of an entry that the program wrote; `undefined` for bookkeeping. */
export function screenNote(
  entry: JSONLEntry,
  seqOf: EntryOptions['seqOf'] = () => undefined,
): { readonly note: EntryNote; readonly text: string } | undefined {
  const note = noteOf(entry, { seqOf });
  if (note === undefined || note.only === 'export') return undefined;
  const line = noteLine(note);
  const text = (note.mark === '⎿' && note.isCut !== true ? sanitize(line) : sanitizeLine(line)).trim();
  return text === '' ? undefined : { note, text };
}

/** The line of an entry that the program wrote. */
export function renderNote(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const { note, text } = screenNote(entry, options.seqOf) ?? {};
  if (note === undefined || text === undefined) return undefined;
  const paint = tonePaint(note.tone, options.theme);
  if (note.isCut === true) return paint(truncate(`${note.mark} ${text}`, options.width));
  return prefixLines(wrapText(text, options.width - 2, paint), paint(`${note.mark} `)).join('\n');
}

function tonePaint(tone: EntryNote['tone'], theme: Theme): Paint {
  return tone === 'quiet' ? theme.dim : theme[tone];
}

export function renderHeader(entry: JSONLEntry, { width, theme }: EntryOptions): string {
  const branch = entry.gitBranch === undefined ? '' : ` (${sanitizeLine(entry.gitBranch)})`;
  const place = truncate(`${sanitizeLine(entry.cwd)}${branch}`, width, 'start');
  return `${theme.accent(theme.strong('ClawdCode'))} ${theme.dim(`v${sanitizeLine(entry.version)}`)}\n${theme.dim(place)}`;
}

export function renderCompaction(
  { compactMetadata: data }: JSONLEntry,
  options: EntryOptions,
): string | undefined {
  if (data === undefined) return undefined;
  const { width, theme } = options;
  const after = data.postTokens === undefined ? '' : ` → ${formatTokens(data.postTokens)}`;
  const facts = [
    `${formatTokens(data.preTokens)}${after} tokens`,
    ...(data.trigger === 'auto' ? ['automatic'] : []),
    ...(data.durationMs === undefined ? [] : [formatDuration(data.durationMs)]),
    ...(data.focus === undefined ? [] : [`focus: ${sanitizeLine(data.focus)}`]),
  ].join(' · ');
  const files = data.filesIncluded ?? [];
  const detail = (text: string, paint: Paint) =>
    prefixLines(wrapText(text, width - 4, paint), theme.dim('  ⎿ '), '    ');
  const failed = data.success === false;
  return [
    ...prefixLines(wrapText(`Conversation compacted: ${facts}`, width - 2, theme.strong), theme.accent('◆ ')),
    ...(failed ? detail(WITHOUT_SUMMARY, theme.warning) : []),
    ...(files.length > 0
      ? detail(`${count(files.length, 'file')} kept: ${files.map(sanitizeLine).join(', ')}`, theme.dim)
      : []),
  ].join('\n');
}

/** Why there is none stands in the entry before. */
const WITHOUT_SUMMARY = 'No model summary: rebuilt from the log instead. /uncompact undoes it.';
