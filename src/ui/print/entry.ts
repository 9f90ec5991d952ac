/**
 * A finished entry as it is printed into the scrollback, once. Pure: the same entry, options and call give
 * the same text. The caller puts one empty line between entries.
 */
import { displayOf, type JSONLEntry } from '../../protocol/entries.ts';
import type { Theme } from '../theme.ts';
import { contentText, promptContent, shellRun } from './content.ts';
import { foldOutput } from './fold.ts';
import type { MarkdownRenderer } from './markdown.ts';
import { isEmptyReply, renderReply } from './reply.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';
import { renderCompaction, renderHeader, renderNote, screenNote } from './systemEntry.ts';
import { renderToolResult } from './toolResult.ts';
import { padEnd } from './width.ts';

export interface EntryOptions {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  /** The `tool_use` entry's call for a result's id, where it is known. */
  readonly tools: (callId: string) => JSONLEntry['tool'];
  /** Characters of this reply's text that were already printed while it streamed. */
  readonly printedCharacters?: number;
  /** The number of an entry, where it is known. */
  readonly seqOf?: (uuid: string) => number | undefined;
  /** Print the model's reasoning rather than a line that says there was some. */
  readonly showReasoning?: boolean;
}

/** What a reader need not see: calls (their results show them), usage, reminders, a model's titles. */
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
      return entry.subtype !== undefined && !ownUser.has(entry.subtype) && screenNote(entry) === undefined;
    case 'system':
      if (entry.subtype === 'compact_boundary') return entry.compactMetadata === undefined;
      return entry.subtype !== 'session_start' && screenNote(entry) === undefined;
  }
}

/** Kinds of user entries that are more than a note. */
const ownUser: ReadonlySet<string> = new Set(['prompt', 'shell', 'nudge']);

/** `undefined` for what prints nothing. */
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

/** What the user typed, as the user saw it: a folded paste stays folded. */
export function promptText(entry: JSONLEntry): string {
  return displayOf(entry) ?? promptContent(entry);
}

/** A prompt as it is printed: behind `> `, every line indented. */
export function renderPrompt(text: string, { width, theme }: Pick<EntryOptions, 'width' | 'theme'>): string {
  const lines = wrapText(sanitize(text).trim(), width - 2, theme.user);
  return tinted(prefixLines(lines, theme.accent('> '), '  '), width, theme).join('\n');
}

/** What the user typed stands out when scrolling. */
function tinted(lines: readonly string[], width: number, { promptLine }: Theme): readonly string[] {
  if (promptLine === undefined) return lines;
  return lines.map((line) => promptLine(padEnd(line, width)));
}

function renderShell(entry: JSONLEntry, { width, theme }: EntryOptions): string {
  const { command, output } = shellRun(entry);
  const lines = wrapText(sanitize(command).trim(), width - 2, theme.strong);
  return [
    ...prefixLines(lines, theme.accent('! '), '  '),
    ...foldOutput(output, { width, theme, rows: 20, keep: 'end' }),
  ].join('\n');
}
