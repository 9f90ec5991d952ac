/** What is left after a hundred summaries of summaries: the real engine in a small window that only summarizes. */
import type { PriceSheet } from '../cache.ts';
import { retentionRow } from '../report/retention.ts';
import type { Row } from '../report/table.ts';
import { plant } from '../retention/needles.ts';
import { makeTrace, standard } from '../trace/standard.ts';
import { createTexts } from '../trace/texts.ts';
import { driveReal } from './drive.ts';
import { RealScores } from './retention.ts';

const STEPS = 500;
const WINDOW = 32_000;
const FIXED = 6000;
/** No single result fills the window. */
const LARGEST_RESULT = 6000;

export async function manySummaries(sheet: PriceSheet): Promise<Row> {
  const shape = { ...standard, steps: STEPS, result: { ...standard.result, highest: LARGEST_RESULT } };
  const trace = { ...makeTrace(shape, 1, WINDOW), fixedTokens: FIXED };
  const planted = plant(trace);
  const scores = new RealScores(planted);
  const { swaps } = await driveReal(planted.trace, createTexts(planted.trace, planted.lines), [sheet], {
    settings: { strategy: 'summary' },
    onRequest: scores.onRequest,
  });
  return retentionRow(`real engine, ${swaps.summaries} summaries in 32k`, scores.scores);
}
