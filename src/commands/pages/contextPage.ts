/** The page of `/context`: what fills the context window, the next reduction, past reductions, and cost. */
import type { ContextMeasure, ContextReport } from '../../protocol/contextReport.ts';
import type { ModelInfo } from '../../protocol/model.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { dollars, percent } from '../figures.ts';
import { contextPicture, FREE_SIGN, pictureParts, RESERVE_SIGN } from './contextPicture.ts';
import { blankLine, hanging, type Page, type PageLine, pageLine, type Role } from './page.ts';
import { compactionLines, reductionTotals } from './reductionLines.ts';
import { windowSources } from './windowSource.ts';

/** Below `WIDE` columns names and remarks are shortened; below `SHARES_FROM` percentages are left out. */
const WIDE = 60;
const SHARES_FROM = 36;

/** `price`: the model's price if known. */
export function contextPage(report: ContextReport, price: ModelInfo['price']): Page {
  const { measure } = report;
  const { usedTokens, windowTokens } = measure;
  const about = measure.exact ? '' : '~';
  const notes = forecastLines(report);
  return (columns) => [
    pageLine({
      text: `Context: ${about}${grouped(usedTokens)} of ${grouped(windowTokens)} tokens (${percent(usedTokens, windowTokens)})`,
      role: 'strong',
    }),
    ...contextPicture(report, columns),
    ...tableLines(measure, columns),
    ...notes,
    ...reductionTotals(report),
    ...report.warnings.map((text) => hanging(pageLine({ text: `! ${text}`, role: 'warning' }), 2)),
    ...[blankLine, ...compactionLines(report, columns, price)].slice(report.compactions.length === 0 ? 1 : 0),
    blankLine,
    ...(measure.exact ? [] : [note('~ estimated, and corrected by what the endpoint reports')]),
    note('/context items pins, drops and restores · /context settings · /context --json'),
  ];
}

function tableLines(measure: ContextMeasure, columns: number): readonly PageLine[] {
  const { usedTokens, windowTokens, triggerTokens, replyReserveTokens } = measure;
  const free = Math.max(0, triggerTokens - usedTokens);
  const reserves = Math.max(0, windowTokens - Math.max(triggerTokens, usedTokens));
  const rows: Row[] = [
    ...pictureParts(measure),
    { sign: FREE_SIGN, name: columns < WIDE ? 'free' : 'free until compaction', tokens: free, role: 'dim' },
    {
      sign: RESERVE_SIGN,
      name: 'reserves',
      tokens: reserves,
      role: 'dim',
      remark: `${grouped(replyReserveTokens)} of it for the reply`,
    },
  ];
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  const tokenWidth = Math.max(...rows.map(({ tokens }) => grouped(tokens).length));
  return rows.map(({ sign, name, tokens, role, remark }) => {
    const share = columns < SHARES_FROM ? '' : `  ${percent(tokens, windowTokens).padStart(7)}`;
    const label =
      columns < SHARES_FROM
        ? `${name} ${grouped(tokens)}`
        : `${name.padEnd(nameWidth)}  ${grouped(tokens).padStart(tokenWidth)}`;
    const said = remark === undefined || columns < WIDE ? '' : `  (${remark})`;
    return hanging(
      pageLine('  ', { text: `${sign} `, role }, `${label}${share}`, { text: said, role: 'dim' }),
      4,
    );
  });
}

interface Row {
  readonly sign: string;
  readonly name: string;
  readonly tokens: number;
  readonly role: Role;
  readonly remark?: string;
}

function forecastLines(report: ContextReport): readonly PageLine[] {
  const { measure, next, breakerIsOpen } = report;
  const { windowTokens } = measure;
  const to = next.atTokens - measure.usedTokens;
  const when = to > 0 ? `in about ${grouped(to)} tokens` : 'due before the next request';
  const facts = [
    `Next: ${next.action}, at ${grouped(next.atTokens)} tokens (${percent(next.atTokens, windowTokens)}; ${when})`,
    ...(report.triggerNote === undefined ? [] : [report.triggerNote]),
    `Window: ${grouped(windowTokens)} tokens for ${measure.model} ${windowSources[measure.windowSource]}`,
    cacheText(report),
    ...draftText(report),
  ];
  const broken =
    'Summaries: paused after too many failures in a row; older steps are shortened or removed instead. A successful /compact or a model switch resumes them.';
  return [
    ...facts.map((text) => hanging(pageLine(text), 2)),
    ...(breakerIsOpen ? [hanging(pageLine({ text: `! ${broken}`, role: 'warning' }), 2)] : []),
  ];
}

function cacheText({ cache, nextInputUsd }: ContextReport): string {
  const price = nextInputUsd === undefined ? '' : `; the next input costs about ${dollars(nextInputUsd)}`;
  if (cache === undefined) return `Cache: nothing was sent yet${price}`;
  const { cachedTokens, inputTokens } = cache;
  const served = `${grouped(cachedTokens)} of the last ${grouped(inputTokens)} input tokens came from it (${percent(cachedTokens, inputTokens)})`;
  return `Cache: ${served}${price === '' ? '; price unknown' : price}`;
}

function draftText({ draft }: ContextReport): string[] {
  switch (draft) {
    case 'none':
      return [];
    case 'running':
      return ['Draft: a summary is being written in the background'];
    case 'ready':
      return ['Draft: a summary is ready'];
  }
}

function note(text: string): PageLine {
  return pageLine({ text, role: 'dim' });
}
