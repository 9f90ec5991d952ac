/** Entries of the program itself: the session's header, compactions, notices, how a turn ended. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Paint } from '../theme.ts';
import { contentText } from './content.ts';
import { renderContextEntry } from './contextEntry.ts';
import type { EntryOptions } from './entry.ts';
import { count, formatDuration, formatTokens } from './numbers.ts';
import { sanitize, sanitizeLine } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';
import { truncate } from './width.ts';

/** `undefined` for bookkeeping. */
export function renderSystem(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const { theme } = options;
  switch (entry.subtype) {
    case 'session_start':
      return renderHeader(entry, options);
    case 'compact_boundary':
      return renderCompaction(entry, options);
    case 'notice':
      return note(contentText(entry), noticePaint(entry.data?.level, options), options);
    case 'mode':
      return note(`Mode: ${String(entry.data?.mode ?? contentText(entry))}`, theme.dim, options);
    case 'model':
      return note(`Model: ${String(entry.data?.model ?? contentText(entry))}`, theme.dim, options);
    case 'title':
      // A title that nobody asked for is for the list of sessions only.
      return entry.data?.source === 'user'
        ? note(`Title: ${contentText(entry)}`, theme.dim, options)
        : undefined;
    case 'judgement':
      return renderJudgement(entry, options);
    case 'turn_end':
      return renderTurnEnd(entry, options);
    default:
      return renderContextEntry(entry, options);
  }
}

function renderHeader(entry: JSONLEntry, { width, theme }: EntryOptions): string {
  const branch = entry.gitBranch === undefined ? '' : ` (${sanitizeLine(entry.gitBranch)})`;
  const place = truncate(`${sanitizeLine(entry.cwd)}${branch}`, width, 'start');
  return `${theme.accent(theme.strong('ClawdCode'))} ${theme.dim(`v${sanitizeLine(entry.version)}`)}\n${theme.dim(place)}`;
}

function renderCompaction({ compactMetadata: data }: JSONLEntry, options: EntryOptions): string | undefined {
  if (data === undefined) return undefined;
  const { width, theme } = options;
  const after = data.postTokens === undefined ? '' : ` → ${formatTokens(data.postTokens)}`;
  const facts = [
    `${formatTokens(data.preTokens)}${after} tokens`,
    ...(data.trigger === 'auto' ? ['by itself'] : []),
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

/** One quiet line for what a judge allowed; a refusal is in the result, and anything else in the question. */
function renderJudgement(entry: JSONLEntry, { width, theme }: EntryOptions): string | undefined {
  if (entry.data?.decision !== 'allow') return undefined;
  const tool = typeof entry.data.tool === 'string' ? `${sanitizeLine(entry.data.tool)} ` : '';
  return theme.dim(truncate(`⎿ ${tool}allowed by auto: ${sanitizeLine(contentText(entry))}`, width));
}

function renderTurnEnd(entry: JSONLEntry, options: EntryOptions): string | undefined {
  const { theme } = options;
  switch (entry.data?.outcome) {
    case 'interrupted':
      return note('Interrupted.', theme.warning, options);
    case 'failed':
      return note(errorMessage(entry.data.error) ?? 'The turn failed.', theme.error, options);
    case 'max_turns':
      return note('Stopped: step limit reached.', theme.warning, options);
    case 'loop':
      return note('Stopped: the same call kept giving the same result.', theme.warning, options);
    default:
      return undefined;
  }
}

function errorMessage(error: unknown): string | undefined {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null || !('message' in error)) return undefined;
  return typeof error.message === 'string' ? error.message : undefined;
}

function noticePaint(level: unknown, { theme }: EntryOptions): Paint {
  if (level === 'error') return theme.error;
  return level === 'warning' ? theme.warning : theme.dim;
}

function note(text: string, paint: Paint, { width }: EntryOptions): string | undefined {
  const clean = sanitize(text).trim();
  if (clean === '') return undefined;
  return prefixLines(wrapText(clean, width - 2, paint), paint('⎿ ')).join('\n');
}
