/** A session on one row, a hit on two, and the question before a session is deleted. Pure. */
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { type Choice, choiceLines } from '../dialog/choices.ts';
import { count, formatAge, formatBytes, formatTokens } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { ruled, wrapText } from '../print/spans.ts';
import { graphemes, padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { projectName, type Scope } from './pickerState.ts';

/** One session on one row: the title, then its facts in columns as far as there is room for them. Pure. */
interface RowOptions {
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

/** One hit of a search on two rows: which session, who and when; then the words, marked. Pure. */
interface HitOptions {
  readonly scope: Scope;
  readonly isSelected: boolean;
  readonly now: Date;
  readonly theme: Theme;
}

/** Rows of one hit. */
export const HIT_ROWS = 2;

/** Two lines of at most `width` columns each. */
export function hitRows(hit: SearchHit, width: number, options: HitOptions): readonly [string, string] {
  const { scope, isSelected, now, theme } = options;
  const { session, timestamp, who } = hit;
  const isNarrow = width < 44;
  const facts = isNarrow
    ? ` ${ageInLetters(timestamp, now)}`
    : [
        '',
        ...(scope === 'all' ? [sanitizeLine(projectName(session))] : []),
        sanitizeLine(who),
        formatAge(timestamp, now),
      ].join(' · ');
  const shownFacts = truncate(facts, Math.max(0, width - 8));
  const room = width - textWidth(shownFacts);
  const title = truncate(sanitizeLine(session.title).trim() || '(no title)', room);
  const paint = isSelected ? theme.accent : theme.text;
  return [
    paint(isNarrow ? padEnd(title, room) : title) + theme.dim(shownFacts),
    `  ${markedLine(hit, width - 2, theme)}`,
  ];
}

/** The snippet around its first mark, marks painted; in a plain theme in brackets. */
export function markedLine({ snippet, marks }: SearchHit, width: number, theme: Theme): string {
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
  // Where the first mark lies further in than the row is wide, the beginning goes.
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

// The question before a session is deleted: what it is, what goes, what stays. Pure.

/** No comes first: it is what an Enter too many takes. */
export const deleteChoices: readonly Choice[] = [
  { label: 'No, keep it', letter: 'n', action: 'confirm:no' },
  { label: 'Yes, delete it permanently', letter: 'y', action: 'confirm:yes' },
];

/** At most `rows` lines, the choices among them. */
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
  const goes = `This frees ${formatBytes(session.bytes)}, and large outputs that no other session has. Files that it changed stay as they are. Nothing brings the session back${session.isArchived ? '.' : `; archiving it${key} keeps it and takes less room.`}`;
  const said = [
    ...wrapText(`“${title}”`, width, theme.strong).slice(0, 3),
    ...wrapText(facts, width, theme.dim),
    '',
    ...wrapText(goes, width),
    '',
  ];
  const answers = choiceLines(deleteChoices, selected, width, theme);
  const space = Math.max(1, rows - answers.length - 1);
  return [ruled('Delete this session?', width, theme), ...said.slice(0, space), ...answers];
}
