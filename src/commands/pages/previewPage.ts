/** The page of `/compact --preview`: sizes, what is kept, the summary, its losses, and the next steps. */
import type { CompactionPreview, ContextItem } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { percent } from '../figures.ts';
import { lossLines, short } from './lossLines.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine, textLines } from './page.ts';

/** Maximum number of items listed, and characters of their titles. */
const SHOWN_ITEMS = 12;
const TITLE = 90;

export function previewPage(preview: CompactionPreview): Page {
  const { outcome, preTokens, postTokens, summary, files, kept, losses, unverified, message } = preview;
  if (outcome !== 'ready') return () => [pageLine(message ?? 'There is nothing to compact.')];
  return () => [
    hanging(
      pageLine({
        text: `Preview: compaction would take the context from ${grouped(preTokens)} to ${grouped(postTokens)} tokens (${percent(preTokens - postTokens, preTokens)} less). Nothing has changed.`,
        role: 'strong',
      }),
      2,
    ),
    ...(message === undefined ? [] : [hanging(pageLine({ text: `! ${message}`, role: 'warning' }), 2)]),
    blankLine,
    heading('Summary'),
    ...textLines(summary, 2),
    blankLine,
    ...itemLines('Kept verbatim', kept),
    ...(files.length === 0 ? [] : [hanging(pageLine(`Files quoted with it: ${files.join(', ')}`), 2)]),
    ...lossLines(losses),
    ...unverifiedLines(unverified),
    blankLine,
    hanging(pageLine({ text: nextText(message === undefined), role: 'accent' }), 2),
  ];
}

/** Returns a heading with totals and the newest items by title. */
export function itemLines(title: string, items: readonly ContextItem[]): readonly PageLine[] {
  if (items.length === 0) return [pageLine(`${title}: nothing`)];
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  // A single remaining item is listed: "1 more" would take a line as well.
  const shown = items.length === SHOWN_ITEMS + 1 ? items.length : SHOWN_ITEMS;
  const more = items.length - shown;
  return [
    pageLine(
      `${title}: ${grouped(items.length)} item${items.length === 1 ? '' : 's'}, about ${grouped(tokens)} tokens`,
    ),
    ...items
      .slice(-shown)
      .toReversed()
      .map(({ seq, kind, title: said }) =>
        hanging(pageLine({ text: `  #${seq} ${kind}  `, role: 'dim' }, short(said, TITLE)), 4),
      ),
    ...(more > 0 ? [pageLine({ text: `  … and ${grouped(more)} older`, role: 'dim' })] : []),
  ];
}

function unverifiedLines(unverified: readonly string[]): readonly PageLine[] {
  if (unverified.length === 0) return [];
  return [
    hanging(
      pageLine({
        text: `Paths that do not occur in this session (marked in the summary): ${unverified.map((claim) => short(claim)).join(' · ')}`,
        role: 'warning',
      }),
      2,
    ),
  ];
}

function nextText(isModels: boolean): string {
  return isModels
    ? '/compact applies exactly this summary as long as the session stays open and nothing else is reduced first. /compact --preview with a focus writes another; /uncompact undoes a compaction.'
    : '/compact asks the model again. /uncompact undoes a compaction.';
}
