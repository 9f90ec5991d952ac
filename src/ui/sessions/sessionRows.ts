/** Rows for a session, for a hit, and for the question before a session is deleted. Pure. */
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { count, shortTokens } from '../../protocol/text/numbers.ts';
import { type Choice, choiceLines } from '../dialog/choices.ts';
import { formatAge, formatBytes } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule, wrapText } from '../print/spans.ts';
import { graphemes, padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { projectName, type Scope } from './pickerState.ts';

/** A session's facts for display, used by the full screen and by plain mode; empty if unknown. */
interface SessionFacts {
  readonly title: string;
  readonly age: string;
  readonly project: string;
  readonly size: string;
  readonly branch: string;
  readonly tokens: string;
  readonly cost: string;
  readonly prompts: string;
  readonly isFork: boolean;
  readonly isArchived: boolean;
}

export function sessionFacts(session: SessionRecord, now: Date): SessionFacts {
  const { inputTokens, outputTokens, costUsd } = session;
  const tokens = inputTokens + outputTokens;
  return {
    title: titleOf(session),
    age: formatAge(session.updatedAt, now),
    project: sanitizeLine(projectName(session)),
    size: formatBytes(session.bytes),
    branch: sanitizeLine(session.gitBranch ?? ''),
    tokens: tokens === 0 ? '' : `${shortTokens(tokens)} tok`,
    cost: costUsd === undefined || costUsd === 0 ? '' : shortCost(costUsd),
    prompts: count(session.promptCount, 'prompt'),
    isFork: session.forkedFrom !== undefined,
    isArchived: session.isArchived,
  };
}

const titleOf = ({ title }: Pick<SessionRecord, 'title'>): string =>
  sanitizeLine(title).trim() || '(no title)';

/** Options of `sessionRow`. */
interface RowOptions {
  readonly scope: Scope;
  readonly isSelected: boolean;
  /** True if the session is open in this process. */
  readonly isOpen: boolean;
  readonly now: Date;
  readonly theme: Theme;
}

interface Column {
  readonly name: 'age' | 'project' | 'size' | 'branch' | 'tokens' | 'cost';
  readonly width: number;
  readonly isRight?: boolean;
}

const age: Column = { name: 'age', width: 10 };
/** As in `ageInLetters`, for narrow screens. */
const shortAge: Column = { name: 'age', width: 4, isRight: true };
const project: Column = { name: 'project', width: 16 };
const size: Column = { name: 'size', width: 7, isRight: true };
const branch: Column = { name: 'branch', width: 14 };
const tokens: Column = { name: 'tokens', width: 9, isRight: true };
const cost: Column = { name: 'cost', width: 7, isRight: true };

/** At most seven columns. */
function shortCost(usd: number): string {
  if (usd < 0.01) return '<$0.01';
  return usd < 100 ? `$${usd.toFixed(2)}` : `$${shortTokens(usd)}`;
}

/** Minimum columns of the title before any fact is shown. */
const LEAST_TITLE = 12;
const COMFORTABLE_TITLE: Readonly<Record<Scope, number>> = { project: 34, all: 26 };

/** The columns that fit, in display order. */
function columnsFor(width: number, scope: Scope): readonly Column[] {
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

/** One row of at most `width` columns: the title, then as many facts as fit. */
export function sessionRow(session: SessionRecord, width: number, options: RowOptions): string {
  const { scope, isSelected, isOpen, now, theme } = options;
  const texts = sessionFacts(session, now);
  const facts = columnsFor(width, scope)
    .map((column) => {
      const { name, width: columns, isRight } = column;
      const cell = truncate(
        column === shortAge ? ageInLetters(session.updatedAt, now) : texts[name],
        columns,
      );
      return `  ${isRight ? padStart(cell, columns) : padEnd(cell, columns)}`;
    })
    .join('');
  const room = width - textWidth(facts);
  const signs = `${texts.isFork ? '↳ ' : ''}${texts.isArchived ? '(archived) ' : ''}${session.isMoved ? '(moved) ' : ''}${session.isPartial ? '(partly read) ' : ''}`;
  const mark = isOpen && room > 20 ? ' · open' : '';
  const name = truncate(signs + texts.title, room - mark.length);
  const gap = ' '.repeat(Math.max(0, room - textWidth(name) - mark.length));
  const paint = isSelected ? theme.accent : session.isArchived ? theme.dim : theme.text;
  return paint(name) + theme.dim(`${mark}${gap}${facts}`.trimEnd());
}

/** `now`, `5m`, `3h`, `12d`, `7w`, `2y`: at most four columns. */
function ageInLetters(then: Date, now: Date): string {
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

/** Options of `hitRows`. */
interface HitOptions {
  readonly scope: Scope;
  readonly isSelected: boolean;
  readonly now: Date;
  readonly theme: Theme;
}

/** A hit's facts for display. */
export function hitFacts({ session, timestamp, who, snippet }: SearchHit, now: Date) {
  return {
    title: titleOf(session),
    project: sanitizeLine(projectName(session)),
    who: sanitizeLine(who),
    age: formatAge(timestamp, now),
    snippet: sanitizeLine(snippet),
  };
}

/** Rows per hit. */
export const HIT_ROWS = 2;

/**
 * Two rows of at most `width` columns: the session, the speaker and the age; then the snippet with its matches marked.
 */
export function hitRows(hit: SearchHit, width: number, options: HitOptions): readonly [string, string] {
  const { scope, isSelected, now, theme } = options;
  const texts = hitFacts(hit, now);
  const isNarrow = width < 44;
  const facts = isNarrow
    ? ` ${ageInLetters(hit.timestamp, now)}`
    : [
        '',
        ...(hit.session.isPartial ? ['partly read'] : []),
        ...(scope === 'all' ? [texts.project] : []),
        ...[texts.who, texts.age],
      ].join(' · ');
  const shownFacts = truncate(facts, Math.max(0, width - 8));
  const room = width - textWidth(shownFacts);
  const title = truncate(texts.title, room);
  const paint = isSelected ? theme.accent : theme.text;
  return [
    paint(isNarrow ? padEnd(title, room) : title) + theme.dim(shownFacts),
    `  ${markedLine(hit, width - 2, theme)}`,
  ];
}

/** The snippet around its first match, with matches colored, or in brackets in a plain theme. */
function markedLine({ snippet, marks }: SearchHit, width: number, theme: Theme): string {
  const [open, close] = theme.plain ? ['[', ']'] : ['', ''];
  const first = marks[0]?.[0] ?? 0;
  const pieces: { readonly text: string; readonly isMarked: boolean }[] = [];
  let at = 0;
  for (const [start, end] of [...marks].sort((a, b) => a[0] - b[0])) {
    if (start < at || end <= start) continue;
    pieces.push({ text: snippet.slice(at, start), isMarked: false });
    pieces.push({ text: snippet.slice(start, end), isMarked: true });
    at = end;
  }
  pieces.push({ text: snippet.slice(at), isMarked: false });
  // Cuts the start if the first match would be too far to the right.
  const before = sanitizeLine(snippet.slice(0, first));
  const lead = Math.floor(width / 3);
  const isCut = textWidth(before) > lead * 2;
  let room = width;
  let line = '';
  for (const [index, { text, isMarked }] of pieces.entries()) {
    const clean = sanitizeLine(text);
    const whole = index === 0 && isCut ? `…${lastColumns(clean, lead)}` : clean;
    const framed = isMarked ? `${open}${whole}${close}` : whole;
    const shown = truncate(framed, room);
    line += shown === '' ? '' : isMarked ? theme.warning(shown) : theme.dim(shown);
    room -= textWidth(shown);
    if (room <= 0 || shown !== framed) break;
  }
  return line;
}

function lastColumns(text: string, columns: number): string {
  const parts = graphemes(text.slice(-columns * 8));
  let used = 0;
  let from = parts.length;
  while (from > 0 && used + textWidth(parts[from - 1] ?? '') <= columns) {
    from -= 1;
    used += textWidth(parts[from] ?? '');
  }
  return parts.slice(from).join('');
}

// The question before a session is deleted. Pure.

/** No comes first, so that an accidental Enter deletes nothing. */
export const deleteChoices: readonly Choice[] = [
  { label: 'No, keep it', letter: 'n', action: 'confirm:no' },
  { label: 'Yes, delete it permanently', letter: 'y', action: 'confirm:yes' },
];

/** At most `rows` lines, including the choices. */
export function deleteLines(
  session: SessionRecord,
  selected: number,
  room: { readonly width: number; readonly rows: number; readonly theme: Theme; readonly now: Date },
  archiveKey: string | undefined,
): string[] {
  const { width, rows, theme, now } = room;
  const title = sanitizeLine(session.title) || '(no title)';
  const facts = [
    formatAge(session.updatedAt, now),
    count(session.promptCount, 'request'),
    formatBytes(session.bytes),
  ].join(' · ');
  const key = archiveKey === undefined ? '' : ` (${archiveKey})`;
  const goes = `This frees ${formatBytes(session.bytes)}, and large outputs that no other session uses. Files that it changed stay as they are. The session cannot be restored${session.isArchived ? '.' : `; archiving it${key} keeps it and takes less space.`}`;
  const lines = [
    ...wrapText(`“${title}”`, width, theme.strong).slice(0, 3),
    ...wrapText(facts, width, theme.dim),
    '',
    ...wrapText(goes, width),
    '',
  ];
  const answers = choiceLines(deleteChoices, selected, width, theme);
  const space = Math.max(1, rows - answers.length - 1);
  return [titledRule('Delete this session?', width, theme), ...lines.slice(0, space), ...answers];
}
