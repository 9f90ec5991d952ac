/** The page of `/compact --preview`: sizes, what is kept, the summary, its losses, and the next steps. */
import type { CompactionDiff, CompactionPreview, ContextItem, Loss } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { percent } from '../figures.ts';
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
function itemLines(title: string, items: readonly ContextItem[]): readonly PageLine[] {
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

// Lists what a summary omits, by kind, each with the pointer that recalls it.

const kinds: readonly (readonly [Loss['kind'], string])[] = [
  ['message', 'Your messages'],
  ['path', 'Changed files'],
];

/** Maximum number per kind; the rest is only counted. */
const SHOWN = 12;
const MAX_CHARACTERS = 160;

/** Lists the losses, or states that there are none. */
function lossLines(losses: readonly Loss[]): readonly PageLine[] {
  if (losses.length === 0)
    return [
      pageLine({ text: 'Nothing is lost: your messages and all changed files are kept.', role: 'success' }),
    ];
  return [
    hanging(
      pageLine({
        text: `${losses.length} ${losses.length === 1 ? 'detail' : 'details'} omitted (recoverable by number):`,
        role: 'warning',
      }),
      2,
    ),
    ...kinds.flatMap(([kind, title]) =>
      group(
        title,
        losses.filter((loss) => loss.kind === kind),
      ),
    ),
  ];
}

function group(title: string, losses: readonly Loss[]): readonly PageLine[] {
  if (losses.length === 0) return [];
  const more = losses.length - SHOWN;
  return [
    pageLine(`  ${title} (${losses.length})`),
    ...losses
      .slice(0, SHOWN)
      .map(({ text, seq }) =>
        hanging(pageLine(`    ${short(text)} `, { text: `#${seq}`, role: 'accent' }), 6),
      ),
    ...(more > 0 ? [pageLine({ text: `    … and ${more} more`, role: 'dim' })] : []),
  ];
}

/** Returns one line of the text, cut between code points. */
function short(text: string, max = MAX_CHARACTERS): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * max)];
  return characters.length <= max && line.length <= 2 * max
    ? line
    : `${characters.slice(0, max - 1).join('')}…`;
}

// The page of `/compact --diff`: what the last compaction dropped and kept, and what its summary omits.

export function diffPage({ record, summary, dropped, kept, losses }: CompactionDiff): Page {
  const { preTokens, postTokens, seq, reason, kind } = record;
  const sizes =
    postTokens === undefined ? grouped(preTokens) : `${grouped(preTokens)} → ${grouped(postTokens)}`;
  return () => [
    hanging(
      pageLine({
        text: `The last compaction (#${seq}, ${reason}): ${sizes} tokens`,
        role: 'strong',
      }),
      2,
    ),
    ...(kind === 'fallback'
      ? [
          pageLine({
            text: '! Its summary was built from counts, not written by the model.',
            role: 'warning',
          }),
        ]
      : []),
    blankLine,
    ...itemLines('− Replaced by the summary', dropped),
    ...itemLines('+ Kept verbatim', kept),
    blankLine,
    heading('Summary'),
    ...textLines(summary, 2),
    blankLine,
    ...lossLines(losses),
    hanging(
      pageLine({
        text: '/uncompact undoes it; /context items restores single items.',
        role: 'accent',
      }),
      2,
    ),
  ];
}
