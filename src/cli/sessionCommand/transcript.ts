/** Formats entries as a readable text like on screen, with each entry's number in the margin. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { promptText, renderEntry } from '../../ui/print/entry.ts';
import type { MarkdownRenderer } from '../../ui/print/markdown.ts';
import { padStart } from '../../ui/print/width.ts';
import type { Theme } from '../../ui/theme/theme.ts';

interface TranscriptOptions {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  readonly showReasoning: boolean;
}

/**
 * Yields a piece of text for each visible entry. Holds only one entry, and calls waiting for their result, however long
 * the session is.
 */
export async function* transcript(
  entries: AsyncIterable<JSONLEntry>,
  options: TranscriptOptions,
): AsyncGenerator<string> {
  const calls = new Map<string, NonNullable<JSONLEntry['tool']>>();
  const width = Math.max(MIN_WIDTH, options.width - MARGIN);
  let seqs = new Map<string, number>();
  for await (const entry of entries) {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    if (seqs.size > REMEMBERED) seqs = new Map([...seqs].slice(-REMEMBERED / 2));
    seqs.set(entry.uuid, entry.seq);
    const text = renderEntry(entry, {
      ...options,
      width,
      tools: (id) => calls.get(id),
      seqOf: (uuid) => seqs.get(uuid),
    });
    if (entry.toolResult !== undefined) calls.delete(entry.toolResult.id);
    if (text === undefined) continue;
    yield `${isTurnStart(entry) ? '\n' : ''}${withMargin(text, entry.seq, options.theme)}\n\n`;
  }
}

/** Columns of the margin: `#12345 `. */
const MARGIN = 8;
/** Minimum text width: in an even narrower terminal, lines overflow instead. */
const MIN_WIDTH = 12;
/** Maximum number of entries whose numbers are kept for references from later entries. */
const REMEMBERED = 20_000;

function isTurnStart(entry: JSONLEntry): boolean {
  return entry.type === 'user' && entry.subtype === 'prompt' && promptText(entry) !== '';
}

function withMargin(text: string, seq: number, theme: Theme): string {
  const [first = '', ...rest] = text.split('\n');
  const number = padStart(`#${seq}`, MARGIN - 1);
  const empty = ' '.repeat(MARGIN);
  return [
    `${theme.dim(number)} ${first}`,
    ...rest.map((line) => (line === '' ? '' : `${empty}${line}`)),
  ].join('\n');
}
