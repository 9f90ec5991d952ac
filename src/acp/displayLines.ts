/** Lines about entries that are not messages, such as a compaction or what a hook did. Pure. */
import { contextLineOf } from '../headless/tally.ts';
import { type DisplayLine, lineText } from '../protocol/entries/defineKind.ts';
import { displayLineOf, type JSONLEntry } from '../protocol/entries.ts';
import { count, shortTokens } from '../protocol/text/numbers.ts';
import { plainMarkdown, titleLine } from './text.ts';

/** The line that the terminal shows for an old entry, as Markdown; undefined if it shows none. */
export function pastLine(entry: JSONLEntry): string | undefined {
  const line = displayLineOf(entry, { seqOf: () => undefined });
  return compactionLine(entry) ?? (line?.only === 'export' ? undefined : quoted(line));
}

/** A line about the context or a hook while the session runs; clients learn the rest from other updates. */
export function liveLine(entry: JSONLEntry): string | undefined {
  const isAutomatic = entry.compactMetadata?.trigger === 'auto';
  return (isAutomatic ? compactionLine(entry) : undefined) ?? quoted(contextLineOf(entry));
}

function compactionLine({ subtype, compactMetadata: data }: JSONLEntry): string | undefined {
  if (subtype !== 'compact_boundary' || data === undefined) return undefined;
  const after = data.postTokens === undefined ? '' : ` → ${shortTokens(data.postTokens)}`;
  const files = data.filesIncluded ?? [];
  const parts = [
    `Conversation compacted: ${shortTokens(data.preTokens)}${after} tokens`,
    ...(data.trigger === 'auto' ? ['automatic'] : []),
    ...(data.success === false ? ['without a model summary'] : []),
    ...(files.length === 0 ? [] : [`${count(files.length, 'file')} kept`]),
  ];
  return quoted({ text: parts.join(' · '), tone: 'quiet', mark: '◇' });
}

function quoted(line: DisplayLine | undefined): string | undefined {
  if (line === undefined || line.text.trim() === '') return undefined;
  const mark = line.mark === '⎿' ? '' : `${line.mark} `;
  // Between blank lines, because clients append it to the previous message.
  return `\n\n> ${mark}${plainMarkdown(titleLine(lineText(line)))}\n\n`;
}
