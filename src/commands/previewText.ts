import type { CompactionPreview } from '../protocol/contextReport.ts';
import { grouped } from './figures.ts';

/** What `/compact --preview` shows: sizes, what stays, the summary, and what it would lose. */
export function previewText(preview: CompactionPreview): string {
  if (preview.outcome !== 'ready') return preview.message ?? 'There is nothing to compact.';
  return [
    `Compaction would take the context from ${grouped(preview.preTokens)} to ${grouped(preview.postTokens)} tokens. Nothing has changed yet.`,
    ...preview.losses.map(({ kind, text, seq }) => `  ${kind}: ${text} (#${seq})`),
    preview.summary,
  ].join('\n');
}
