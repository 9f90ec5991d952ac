/** The page of `/compact --diff`: what the last compaction dropped and kept, and what its summary omits. */
import type { CompactionDiff } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { lossLines } from './lossLines.ts';
import { blankLine, hanging, heading, type Page, pageLine, textLines } from './page.ts';
import { itemLines } from './previewPage.ts';

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
