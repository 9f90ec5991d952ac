/** What `/compact --diff` shows: what the last compaction dropped and kept, and what its summary no longer says. */
import type { CompactionDiff } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/grouped.ts';
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
      ? [pageLine({ text: '! Its summary is counted together, not written by the model.', role: 'warning' })]
      : []),
    blankLine,
    ...itemLines('− In the summary instead', dropped),
    ...itemLines('+ Stayed word for word', kept),
    blankLine,
    heading('Summary'),
    ...textLines(summary, 2),
    blankLine,
    ...lossLines(losses),
    hanging(
      pageLine({
        text: '/uncompact takes it back; /context items brings single items back.',
        role: 'accent',
      }),
      2,
    ),
  ];
}
