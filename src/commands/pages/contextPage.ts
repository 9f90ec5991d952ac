/** The page of `/context`: what fills the context window, the next reduction, past reductions, and cost. */
import {
  type ContextMeasure,
  type ContextReport,
  type RequestPart,
  requestParts,
} from '../../protocol/contextReport.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { grouped, shortTokens } from '../../protocol/text/numbers.ts';
import { dollars, percent, windowSources } from '../figures.ts';
import { blankLine, hanging, type Page, type PageLine, type PageSpan, pageLine, type Role } from './page.ts';
import { compactionLines, reductionTotals } from './reductionLines.ts';

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
  if (cache === undefined) return `Cache: no usage reported yet${price}`;
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

// Draws the context window as a bar, with marks and a legend below it. Parts differ by sign, so colors are optional.

/** One sign per part: block elements that are one column wide and available in every font. */
const SIGNS: Readonly<Record<RequestPart, string>> = {
  tools: '█',
  system: '▓',
  instructions: '▚',
  summary: '▄',
  memories: '▌',
  masked: '▖',
  history: '▒',
  input: '▀',
  reminder: '▝',
};
const FREE_SIGN = '·';
const RESERVE_SIGN = '░';

const MARGIN = 2;
const MAX_BAR = 96;

interface PicturePart {
  readonly name: string;
  readonly tokens: number;
  readonly sign: string;
  readonly role: Role;
}

/** Returns the non-empty parts, each with its sign and role. */
function pictureParts({ parts }: ContextMeasure): readonly PicturePart[] {
  return parts
    .filter(({ tokens }) => tokens > 0)
    .map((part) => {
      const known = requestParts.find((name) => name === part.name);
      return { ...part, sign: known === undefined ? '■' : SIGNS[known], role: known ?? 'history' };
    });
}

/** Returns the bar, its marks and the legend. */
function contextPicture(report: ContextReport, columns: number): readonly PageLine[] {
  const { measure } = report;
  const width = Math.max(8, Math.min(MAX_BAR, columns - 2 * MARGIN));
  const scale = Math.max(measure.windowTokens, measure.usedTokens, 1);
  const cellOf = (tokens: number): number =>
    Math.min(width - 1, Math.max(0, Math.round((tokens / scale) * width)));
  const marks = marksOf(report);
  const pointers = Array.from({ length: width }, () => ' ');
  for (const { letter, tokens } of marks) {
    let cell = cellOf(tokens);
    // Marks that fall on the same cell are placed next to each other.
    while (pointers[cell] !== ' ' && cell < width - 1) cell += 1;
    pointers[cell] = letter;
  }
  const legend = marks.flatMap(({ letter, means, tokens }, index): PageSpan[] => [
    { text: index === 0 ? '' : ' · ', role: 'dim' },
    { text: letter, role: 'accent' },
    { text: ` ${means} ${shortTokens(tokens)}`, role: 'dim' },
  ]);
  return [
    pageLine(' '.repeat(MARGIN), ...barSpans(measure, width, scale)),
    pageLine({ text: `${' '.repeat(MARGIN)}${pointers.join('').trimEnd()}`, role: 'accent' }),
    hanging(pageLine(' '.repeat(MARGIN), ...legend), MARGIN),
  ];
}

function barSpans(measure: ContextMeasure, width: number, scale: number): PageSpan[] {
  const { usedTokens, triggerTokens } = measure;
  const parts = pictureParts(measure);
  let sum = 0;
  let from = 0;
  const used = parts.map(({ tokens, sign, role }, index): PageSpan => {
    sum += tokens;
    // Every part gets at least one cell, and leaves at least one for each part after it.
    const wanted = Math.max(from + 1, Math.round((sum / scale) * width));
    const to = Math.max(from, Math.min(wanted, width - (parts.length - 1 - index)));
    const text = sign.repeat(to - from);
    from = to;
    return { text, role };
  });
  const reserveFrom = Math.max(
    from,
    Math.min(width, Math.round((Math.max(triggerTokens, usedTokens) / scale) * width)),
  );
  return [
    ...used,
    { text: FREE_SIGN.repeat(reserveFrom - from), role: 'dim' },
    { text: RESERVE_SIGN.repeat(width - reserveFrom), role: 'dim' },
  ];
}

interface Mark {
  readonly letter: string;
  readonly means: string;
  readonly tokens: number;
}

function marksOf({ measure, marks = {} }: ContextReport): readonly Mark[] {
  const { maskAt, removeAt, limit } = marks;
  const all: readonly Mark[] = [
    ...(maskAt === undefined ? [] : [{ letter: 'm', means: 'shortens from', tokens: maskAt }]),
    { letter: 'c', means: 'compacts at', tokens: measure.triggerTokens },
    ...(removeAt === undefined ? [] : [{ letter: 'r', means: 'drops oldest at', tokens: removeAt }]),
    ...(limit === undefined ? [] : [{ letter: 'x', means: 'hard limit', tokens: limit }]),
  ];
  return [...all].sort((a, b) => a.tokens - b.tokens);
}
