/** The pages of `/cost` and `clawdcode stats`. Pure. */
import { grouped, shortTokens } from '../../protocol/text/numbers.ts';
import { alignColumns, dollars, percent } from '../figures.ts';
import { blankLine, heading, type Page, type PageLine, pageLine } from '../pages/page.ts';
import type { CostReport } from './costReader.ts';
import type { Row, Spending } from './spending.ts';

interface CostPageOptions {
  /** Rows of each table. */
  readonly rows: number;
  /** Shown instead of the directory that most files are in. */
  readonly shownPath: (path: string) => string;
  /** The report covers several sessions, so it shows days. */
  readonly isOverall: boolean;
}

/** The tables; totals are on top of the page already. */
export function costTables(report: CostReport, options: CostPageOptions): Page {
  const { rows, shownPath, isOverall } = options;
  const files = report.files.map((row) => ({ ...row, name: shownPath(row.name) }));
  return (columns) => {
    const table = (title: string, all: readonly Row[], least = 1): readonly PageLine[] =>
      all.length < least ? [] : [blankLine, ...tableLines(title, all, rows, columns)];
    return [
      ...table('By model', report.models, 2),
      ...(isOverall ? table('By day', report.days.slice(-rows), 2) : []),
      ...table('By purpose', report.purposes, 2),
      ...table('Subagents', report.subagents),
      ...table('Turns, the most expensive first', report.turns),
      ...table('Tools and other content', report.tools),
      ...table('Files', files),
      ...missLines(report, rows),
    ];
  };
}

/** Sums in a few words, for the top of a page. */
export function totalFacts({
  total,
  estimatedRequests,
  models,
}: CostReport): readonly (readonly [string, string])[] {
  const { requests, inputTokens, cachedTokens, outputTokens } = total;
  const cached = cachedTokens === 0 ? '' : ` (${percent(cachedTokens, inputTokens)} of input)`;
  const estimated = estimatedRequests === 0 ? '' : ` (tokens estimated for ${grouped(estimatedRequests)})`;
  return [
    ['Requests', `${grouped(requests)}${estimated}`],
    ['Input', `${grouped(inputTokens)} tokens`],
    ['  cached', `${grouped(cachedTokens)} tokens${cached}`],
    ['Output', `${grouped(outputTokens)} tokens`],
    ['Cost', costText(total, models)],
  ];
}

/** The total cost; if some prices are unknown, the known part and the models without a price. */
export function costText(
  { costUsd, knownCostUsd }: Pick<Spending, 'costUsd' | 'knownCostUsd'>,
  models: readonly Row[],
): string {
  if (costUsd !== null) return `${dollars(costUsd)} at list price`;
  const unpriced = models.filter((model) => model.costUsd === null).map(({ name }) => name);
  const [first = 'a model', second] = unpriced;
  const others = unpriced.length - 2;
  const names = [
    first,
    ...(second === undefined ? [] : [second]),
    ...(others > 0 ? [`${grouped(others)} more`] : []),
  ];
  const why = `no price for ${names.join(', ')}`;
  return knownCostUsd === 0 ? `unknown: ${why}` : `at least ${dollars(knownCostUsd)} at list price: ${why}`;
}

function tableLines(title: string, all: readonly Row[], most: number, columns: number): readonly PageLine[] {
  const shown = all.slice(0, most);
  const room = Math.max(MIN_NAME, columns - FIGURES);
  const cells = shown.map((row) => [short(row.name, room), ...figuresOf(row)]);
  const more = all.length - shown.length;
  return [
    heading(title),
    ...alignColumns(cells, new Set([1, 2, 3])).map((line) => pageLine(line)),
    ...(more === 0 ? [] : [pageLine({ text: `  … and ${grouped(more)} more`, role: 'dim' as const })]),
  ];
}

/** Columns that the figures of a row take. */
const FIGURES = 40;
const MIN_NAME = 12;

function figuresOf({ requests, inputTokens, outputTokens, costUsd, knownCostUsd }: Row): string[] {
  return [
    requests === 0 ? '' : `${grouped(requests)} req`,
    `${shortTokens(inputTokens)} in`,
    `${shortTokens(outputTokens)} out`,
    costUsd === null && knownCostUsd > 0 ? `${dollars(knownCostUsd)} +` : costOf({ costUsd }),
  ];
}

const costOf = ({ costUsd }: Pick<Spending, 'costUsd'>): string => (costUsd === null ? '' : dollars(costUsd));

/** The end of a path is the most significant part. */
function short(name: string, room: number): string {
  const letters = [...name];
  if (letters.length <= room) return name;
  return name.startsWith('/') || name.includes('/')
    ? `…${letters.slice(1 - room).join('')}`
    : `${letters.slice(0, room - 1).join('')}…`;
}

const REASONS = {
  model: 'the model was switched',
  context: 'the conversation was changed',
  tools: 'the tools changed',
  options: 'the request changed',
  time: 'time passed',
  server: 'the server had dropped it',
} as const;

function missLines({ misses, missCount }: CostReport, most: number): readonly PageLine[] {
  if (missCount === 0) return [];
  const shown = misses.slice(0, most);
  const cells = shown.map(({ seq, tokens, costUsd, reason, detail, entry }) => [
    `#${seq}`,
    `${shortTokens(tokens)} again`,
    costOf({ costUsd }),
    `${REASONS[reason]}${detail === '' ? '' : `: ${detail}`}${entry === undefined ? '' : ` (#${entry})`}`,
  ]);
  const more = missCount - shown.length;
  return [
    blankLine,
    heading('Read again at full price'),
    ...alignColumns(cells, new Set([1, 2])).map((line) => pageLine(line)),
    ...(more === 0 ? [] : [pageLine({ text: `  … and ${grouped(more)} more`, role: 'dim' as const })]),
  ];
}
