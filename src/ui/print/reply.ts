/** A model's reply as it is printed: reasoning in a line, the text as Markdown, and how it ended if not well. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText } from './content.ts';
import type { EntryOptions } from './entry.ts';
import { count, formatDuration, formatTokens } from './numbers.ts';
import { sanitize } from './sanitize.ts';
import { prefixLines, wrapText } from './spans.ts';

/** Nothing was said, and it ended as it should. */
export function isEmptyReply(entry: JSONLEntry): boolean {
  return isOnlyReasoning(entry) && (entry.message.reasoning?.text ?? '').trim() === '';
}

/** Nothing was said but what the model reasoned, if that. */
export function isOnlyReasoning(entry: JSONLEntry): boolean {
  return contentText(entry).trim() === '' && endingOf(entry) === undefined;
}

/** Calls print nothing here: their results do. */
export function renderReply(entry: JSONLEntry, options: EntryOptions): string {
  const { width, theme, markdown, printedCharacters = 0 } = options;
  const text = contentText(entry).slice(printedCharacters);
  const ending = endingOf(entry);
  return [
    ...(printedCharacters > 0 ? [] : renderReasoning(entry, options)),
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

/** "Thought for 12s" where the time is known, else how much was thought. */
function reasoningSize(entry: JSONLEntry, text: string): string {
  const ms =
    entry.message.reasoning?.durationMs ?? (entry.type === 'assistant' ? entry.data?.reasoningMs : undefined);
  if (typeof ms === 'number') return `Thought for ${formatDuration(ms)}`;
  const tokens = entry.message.usage?.reasoning_tokens;
  if (tokens !== undefined && tokens > 0) return `Thought (${formatTokens(tokens)} tokens)`;
  return `Thought (${count(text.trim().split(/\s+/).length, 'word')})`;
}

function endingOf({ message }: JSONLEntry): string | undefined {
  // That the user stopped it is said once, at the end of the turn.
  if (message.failed === true) return 'Connection lost: this reply is incomplete.';
  if (message.finishReason === 'length') return "Cut off at the model's output limit; ask it to continue.";
  if (message.finishReason === 'content_filter') return "Stopped by the provider's content filter.";
  return undefined;
}
