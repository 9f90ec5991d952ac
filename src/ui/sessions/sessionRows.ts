/** One session on one row: the title, then its facts in columns as far as there is room for them. Pure. */
import type { SessionRecord } from '../../protocol/sessions.ts';
import { formatAge, formatBytes, formatTokens } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { projectName, type Scope } from './pickerState.ts';

export interface RowOptions {
  readonly scope: Scope;
  readonly isSelected: boolean;
  /** It is the one that is open here. */
  readonly isOpen: boolean;
  readonly now: Date;
  readonly theme: Theme;
}

interface Column {
  readonly width: number;
  readonly isRight?: boolean;
  readonly text: (session: SessionRecord, now: Date) => string;
}

const age: Column = { width: 10, text: ({ updatedAt }, now) => formatAge(updatedAt, now) };
const shortAge: Column = {
  width: 4,
  isRight: true,
  text: ({ updatedAt }, now) => ageInLetters(updatedAt, now),
};
const project: Column = { width: 16, text: (session) => sanitizeLine(projectName(session)) };
const size: Column = { width: 7, isRight: true, text: ({ bytes }) => formatBytes(bytes) };
const branch: Column = { width: 14, text: ({ gitBranch }) => sanitizeLine(gitBranch ?? '') };
const tokens: Column = {
  width: 9,
  isRight: true,
  text: ({ inputTokens, outputTokens }) =>
    inputTokens + outputTokens === 0 ? '' : `${formatTokens(inputTokens + outputTokens)} tok`,
};
const cost: Column = {
  width: 7,
  isRight: true,
  text: ({ costUsd }) => (costUsd === undefined || costUsd === 0 ? '' : shortCost(costUsd)),
};

/** Seven columns at most: less than a cent is little, and from a hundred dollars on nobody counts cents. */
function shortCost(usd: number): string {
  if (usd < 0.01) return '<$0.01';
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${formatTokens(usd)}`;
}

/** The title keeps at least this much before a fact gets anything. */
const LEAST_TITLE = 12;
const COMFORTABLE_TITLE: Readonly<Record<Scope, number>> = { project: 34, all: 26 };

/** The columns that fit, in the order in which they are shown. */
export function columnsFor(width: number, scope: Scope): readonly Column[] {
  const title = COMFORTABLE_TITLE[scope];
  if (width < title + 12) return width >= LEAST_TITLE + 6 ? [shortAge] : [];
  const byImportance =
    scope === 'all' ? [age, project, size, branch, tokens, cost] : [age, size, branch, tokens, cost];
  let room = width - title;
  const chosen = new Set<Column>();
  for (const column of byImportance) {
    room -= column.width + 2;
    if (room < 0) break;
    chosen.add(column);
  }
  return [project, age, size, branch, tokens, cost].filter((column) => chosen.has(column));
}

/** Exactly `width` columns or fewer. */
export function sessionRow(session: SessionRecord, width: number, options: RowOptions): string {
  const { scope, isSelected, isOpen, now, theme } = options;
  const facts = columnsFor(width, scope)
    .map(({ width: columns, isRight, text }) => {
      const cell = truncate(text(session, now), columns);
      return `  ${isRight ? padStart(cell, columns) : padEnd(cell, columns)}`;
    })
    .join('');
  const room = width - textWidth(facts);
  const signs = `${session.forkedFrom === undefined ? '' : '↳ '}${session.isArchived ? '(archived) ' : ''}`;
  const mark = isOpen && room > 20 ? ' · open' : '';
  const name = truncate(signs + (sanitizeLine(session.title).trim() || '(no title)'), room - mark.length);
  const gap = ' '.repeat(Math.max(0, room - textWidth(name) - mark.length));
  const paint = isSelected ? theme.accent : session.isArchived ? theme.dim : theme.text;
  return paint(name) + theme.dim(`${mark}${gap}${facts}`.trimEnd());
}

/** `now`, `5m`, `3h`, `12d`, `7w`, `2y`: at most four columns. */
export function ageInLetters(then: Date, now: Date): string {
  const minutes = Math.floor((now.getTime() - then.getTime()) / 60_000);
  if (Number.isNaN(minutes)) return '?';
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (days < 60) return `${days}d`;
  return days < 700 ? `${Math.floor(days / 7)}w` : `${Math.floor(days / 365)}y`;
}
