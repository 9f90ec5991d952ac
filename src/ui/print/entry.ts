/**
 * Renders a finished entry for the scrollback. Pure: the same entry, options and call give the same text. The caller
 * puts one empty line between entries.
 */

import { type DisplayLine, lineText } from '../../protocol/entries/defineKind.ts';
import { displayOf } from '../../protocol/entries/readEntry.ts';
import { displayLineOf, type JSONLEntry } from '../../protocol/entries.ts';
import { count, shortTokens } from '../../protocol/text/numbers.ts';
import { displayDirectory, headerSpans } from '../firstFrame.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import { contentText, promptContent, shellRun } from './content.ts';
import { formatDuration } from './numbers.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { paintLine, prefixLines, wrapColumns, wrapText } from './spans.ts';
import { withoutHalfFence } from './streaming.ts';
import { type EntryOptions, foldOutput, renderToolResult } from './toolResult.ts';
import { padEnd, truncate } from './width.ts';

/** True for entries that are not shown: tool calls (their results are), usage, reminders, generated titles. */
export function printsNothing(entry: JSONLEntry): boolean {
  switch (entry.type) {
    case 'assistant':
      return isEmptyReply(entry);
    case 'tool_use':
      return true;
    case 'tool_result':
      return entry.toolResult === undefined;
    case 'user':
      if (entry.isCompactSummary === true) return true;
      return (
        entry.subtype !== undefined &&
        !customRenderedUserSubtypes.has(entry.subtype) &&
        screenLine(entry) === undefined
      );
    case 'system':
      if (entry.subtype === 'compact_boundary') return entry.compactMetadata === undefined;
      return entry.subtype !== 'session_start' && screenLine(entry) === undefined;
  }
}

/** Subtypes of user entries that have their own rendering. */
const customRenderedUserSubtypes: ReadonlySet<string> = new Set(['prompt', 'shell', 'nudge']);

/** Renders an entry; `undefined` if it prints nothing. */
export function renderEntry(entry: JSONLEntry, options: EntryOptions): string | undefined {
  if (printsNothing(entry)) return undefined;
  const text = render(entry, options);
  return text === undefined || text === '' ? undefined : text;
}

function render(entry: JSONLEntry, options: EntryOptions): string | undefined {
  switch (entry.type) {
    case 'assistant':
      return renderReply(entry, options);
    case 'tool_use':
      return undefined;
    case 'tool_result':
      return renderToolResult(entry, options);
    case 'system':
      return renderSystem(entry, options);
    case 'user':
      return renderUser(entry, options);
  }
}

function renderUser(entry: JSONLEntry, options: EntryOptions): string | undefined {
  switch (entry.subtype) {
    case undefined:
    case 'prompt':
      return renderPrompt(promptText(entry), options);
    case 'shell':
      return renderShell(entry, options);
    case 'nudge':
      return options.theme.dim(
        prefixLines(wrapText(sanitizeLine(contentText(entry)), options.width - 2), '↪ ').join('\n'),
      );
    default:
      return renderNote(entry, options);
  }
}

function renderSystem(entry: JSONLEntry, options: EntryOptions): string | undefined {
  switch (entry.subtype) {
    case 'session_start':
      return renderHeader(entry, options);
    case 'compact_boundary':
      return renderCompaction(entry, options);
    default:
      return renderNote(entry, options);
  }
}

/** The prompt as the user saw it: a folded paste stays folded. */
export function promptText(entry: JSONLEntry): string {
  return displayOf(entry) ?? promptContent(entry);
}

/** A printed prompt: starts with `> `, every line indented. */
function renderPrompt(text: string, { width, theme }: Pick<EntryOptions, 'width' | 'theme'>): string {
  const lines = wrapText(sanitize(text).trim(), width - 2, theme.user);
  return tinted(prefixLines(lines, theme.accent('> '), '  '), width, theme).join('\n');
}

/** Highlights prompts, so that they stand out when scrolling. */
function tinted(lines: readonly string[], width: number, { promptLine }: Theme): readonly string[] {
  if (promptLine === undefined) return lines;
  return lines.map((line) => promptLine(padEnd(line, width)));
}

function renderShell(entry: JSONLEntry, { width, theme, transcriptKey }: EntryOptions): string {
  const { command, output, ending } = shellRun(entry);
  const total = entry.subtype === 'shell' ? entry.data?.original?.lines : undefined;
  const lines = wrapText(sanitize(command).trim(), width - 2, theme.strong);
  return [
    ...prefixLines(lines, theme.accent('! '), '  '),
    ...foldOutput(output, { width, theme, transcriptKey, rows: 20, keep: 'end', total }),
    ...(ending === ''
      ? []
      : prefixLines(wrapText(sanitizeLine(ending), width - 4, theme.dim), '  ⎿ ', '    ')),
  ].join('\n');
}

// A printed model reply: reasoning in one line, the text as Markdown, and how it ended if not normally.

/** True if the reply has no text, no reasoning and a normal ending. */
function isEmptyReply(entry: JSONLEntry): boolean {
  return isOnlyReasoning(entry) && (entry.message.reasoning?.text ?? '').trim() === '';
}

/** True if the reply has no text apart from reasoning and ended normally. */
export function isOnlyReasoning(entry: JSONLEntry): boolean {
  return contentText(entry).trim() === '' && endingOf(entry) === undefined;
}

/** Renders a reply. Tool calls print nothing here; their results do. */
export function renderReply(entry: JSONLEntry, options: EntryOptions): string {
  const { width, theme, markdown } = options;
  const isCut = entry.message.interrupted === true || endingOf(entry) !== undefined;
  const text = isCut ? withoutHalfFence(contentText(entry)) : contentText(entry);
  const ending = endingOf(entry);
  return [
    ...renderReasoning(entry, options),
    ...(text.trim() === '' ? [] : [markdown(text, { width, theme })]),
    ...(ending === undefined
      ? []
      : [prefixLines(wrapText(ending, width - 2, theme.warning), theme.warning('⎿ ')).join('\n')]),
  ].join('\n\n');
}

function renderReasoning(entry: JSONLEntry, { width, theme, showReasoning = false }: EntryOptions): string[] {
  const text = entry.message.reasoning?.text ?? '';
  if (text.trim() === '') return [];
  if (!showReasoning) return [theme.dim(`✻ ${reasoningSize(entry, text)}`)];
  const paint = (line: string) => theme.dim(theme.italic(line));
  return [prefixLines(wrapText(sanitize(text).trim(), width - 2, paint), theme.dim('✻ ')).join('\n')];
}

/** "Thought for 12s" if the duration is known, else the amount of reasoning. */
function reasoningSize(entry: JSONLEntry, text: string): string {
  const ms =
    entry.message.reasoning?.durationMs ?? (entry.type === 'assistant' ? entry.data?.reasoningMs : undefined);
  if (typeof ms === 'number') return `Thought for ${formatDuration(ms)}`;
  const tokens = entry.message.usage?.reasoning_tokens;
  if (tokens !== undefined && tokens > 0) return `Thought (${shortTokens(tokens)} tokens)`;
  return `Thought (${count(text.trim().split(/\s+/).length, 'word')})`;
}

function endingOf({ message }: JSONLEntry): string | undefined {
  // An interrupt by the user is reported once, at the end of the turn.
  if (message.failed === true) return 'Connection lost: this reply is incomplete.';
  if (message.finishReason === 'length') return "Cut off at the model's output limit; ask it to continue.";
  if (message.finishReason === 'content_filter') return "Stopped by the provider's content filter.";
  return undefined;
}

// System entries: the session header, compactions, and one line for each of the others.

/** The text shown for a system entry; `undefined` for bookkeeping. */
function screenLine(
  entry: JSONLEntry,
  seqOf: EntryOptions['seqOf'] = () => undefined,
): { readonly line: DisplayLine; readonly text: string } | undefined {
  const line = displayLineOf(entry, { seqOf });
  if (line === undefined || line.only === 'export') return undefined;
  const whole = lineText(line);
  const text = (line.mark === '⎿' && line.isCut !== true ? sanitize(whole) : sanitizeLine(whole)).trim();
  return text === '' ? undefined : { line, text };
}

/** Renders the line of a system entry. */
function renderNote(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const { line, text } = screenLine(entry, options.seqOf) ?? {};
  if (line === undefined || text === undefined) return undefined;
  const paint = tonePaint(line.tone, options.theme);
  if (line.isCut === true) return paint(truncate(`${line.mark} ${text}`, options.width));
  return prefixLines(wrapText(text, options.width - 2, paint), paint(`${line.mark} `)).join('\n');
}

function tonePaint(tone: DisplayLine['tone'], theme: Theme): Paint {
  return tone === 'quiet' ? theme.dim : theme[tone];
}

/** Breaks like the terminal, so that a redraw looks like the first frame. */
function renderHeader({ version, cwd }: JSONLEntry, { width, theme, home }: EntryOptions): string {
  const spans = headerSpans(theme, version, displayDirectory(cwd, home));
  return wrapColumns(spans, width).map(paintLine).join('\n');
}

function renderCompaction({ compactMetadata: data }: JSONLEntry, options: EntryOptions): string | undefined {
  if (data === undefined) return undefined;
  const { width, theme } = options;
  const after = data.postTokens === undefined ? '' : ` → ${shortTokens(data.postTokens)}`;
  const facts = [
    `${shortTokens(data.preTokens)}${after} tokens`,
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

/** The previous entry gives the reason. */
const WITHOUT_SUMMARY = 'No model summary: rebuilt from the log instead. /uncompact undoes it.';
