/** The lines about past reductions: totals, then the newest ones individually. */
import type { ContextReport, ReductionRecord } from '../../protocol/contextReport.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { localDay, localTime } from '../../protocol/text/localTime.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { dollars } from '../figures.ts';
import { hanging, heading, type PageLine, type PageSpan, pageLine } from './page.ts';

const names: Readonly<Record<ReductionRecord['kind'], string>> = {
  summary: 'summary',
  fallback: 'counted summary',
  mask: 'mask',
  clip: 'shortened results',
  remove: 'removal',
  drop: 'dropped by you',
  restore: 'restored by you',
  window: 'window learned',
};

/** From this width on, dates include the year, and figures have their own column. */
const WIDE = 70;

/** Returns the number of reductions and the tokens saved. */
export function reductionTotals({ reductions }: ContextReport): readonly PageLine[] {
  if (reductions.length === 0)
    return [hanging(pageLine('Reductions: none so far; the whole conversation is sent'), 2)];
  const counts = new Map<string, number>();
  for (const { kind } of reductions) counts.set(names[kind], (counts.get(names[kind]) ?? 0) + 1);
  const undone = reductions.filter(({ isUndone }) => isUndone).length;
  const kinds = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
  const taken = undone === 0 ? '' : `; ${undone} undone`;
  return [
    hanging(
      pageLine(
        `Reductions: ${reductions.length} (${kinds}${taken}), ${grouped(tokensSaved(reductions))} tokens saved`,
      ),
      2,
    ),
  ];
}

/** Sums the tokens that reductions saved; undone ones do not count. */
export function tokensSaved(reductions: readonly ReductionRecord[]): number {
  const counting = reductions.filter(({ isUndone }) => !isUndone);
  return counting.reduce(
    (sum, { preTokens, postTokens = preTokens }) => sum + Math.max(0, preTokens - postTokens),
    0,
  );
}

/** Lists the last ten reductions that freed tokens, newest first. */
export function compactionLines(
  { compactions }: ContextReport,
  columns: number,
  price: ModelInfo['price'],
): readonly PageLine[] {
  if (compactions.length === 0) return [];
  const title = compactions.length === 1 ? 'The last reduction' : `The last ${compactions.length} reductions`;
  return [heading(title), ...compactions.toReversed().map((one) => recordLine(one, columns, price))];
}

function recordLine(record: ReductionRecord, columns: number, price: ModelInfo['price']): PageLine {
  const { preTokens, postTokens, isUndone } = record;
  const isWide = columns >= WIDE;
  const time = isWide ? timeOf(record.timestamp) : timeOf(record.timestamp).slice(5);
  const sizes = `${grouped(preTokens)} → ${postTokens === undefined ? '?' : grouped(postTokens)}`;
  const lead = `  ${time}  `;
  const undone: PageSpan[] = isUndone ? [{ text: ' · undone', role: 'warning' }] : [];
  return hanging(
    pageLine(
      { text: lead, role: 'dim' },
      isWide ? sizes.padEnd(19) : sizes,
      isWide ? '  ' : ' · ',
      facts(record, price).join(' · '),
      ...undone,
    ),
    isWide ? lead.length + 21 : 4,
  );
}

function facts(record: ReductionRecord, price: ModelInfo['price']): string[] {
  const { kind, strategy, reason, durationMs, usage } = record;
  const named = strategy === undefined || strategy === kind ? names[kind] : `${names[kind]} (${strategy})`;
  const cost =
    usage === undefined || price === undefined
      ? undefined
      : (usage.inputTokens * price.input + usage.outputTokens * price.output) / 1e6;
  return [
    named,
    ...(reason === '' || kind === 'drop' || kind === 'restore' ? [] : [oneLine(reason)]),
    ...(durationMs === undefined ? [] : [seconds(durationMs)]),
    // Cached input costs less, so this is an upper bound.
    ...(cost === undefined ? [] : [`at most ${dollars(cost)}`]),
  ];
}

function timeOf(timestamp: number): string {
  const date = new Date(timestamp);
  return `${localDay(date)} ${localTime(date)}`;
}

function seconds(ms: number): string {
  return ms < 9_950 ? `${(ms / 1000).toFixed(1)}s` : `${grouped(ms / 1000)}s`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
