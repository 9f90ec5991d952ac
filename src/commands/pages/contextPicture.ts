/**
 * Draws the context window as a bar, with marks and a legend below it. Parts differ by sign, so colours are optional.
 */
import {
  type ContextMeasure,
  type ContextReport,
  type RequestPart,
  requestParts,
} from '../../protocol/contextReport.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { hanging, type PageLine, type PageSpan, pageLine, type Role } from './page.ts';

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
export const FREE_SIGN = '·';
export const RESERVE_SIGN = '░';

const MARGIN = 2;
const MAX_BAR = 96;

interface PicturePart {
  readonly name: string;
  readonly tokens: number;
  readonly sign: string;
  readonly role: Role;
}

/** Returns the non-empty parts, each with its sign and role. */
export function pictureParts({ parts }: ContextMeasure): readonly PicturePart[] {
  return parts
    .filter(({ tokens }) => tokens > 0)
    .map((part) => {
      const known = requestParts.find((name) => name === part.name);
      return { ...part, sign: known === undefined ? '■' : SIGNS[known], role: known ?? 'history' };
    });
}

/** Returns the bar, its marks and the legend. */
export function contextPicture(report: ContextReport, columns: number): readonly PageLine[] {
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
