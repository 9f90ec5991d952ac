/** `clawdcode session list`. */
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionQuery, SessionRecord } from '../../protocol/sessions.ts';
import { localIso } from '../../protocol/text/localTime.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { formatAge, formatBytes, formatCost } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { padEnd, padStart, textWidth, truncate } from '../../ui/print/width.ts';
import type { Paint } from '../../ui/theme/paints.ts';
import { jsonDocument, sessionJson } from './output.ts';
import type { Run, SessionPorts } from './withSession.ts';

interface ListOptions {
  /** List sessions of all projects. */
  readonly all: boolean;
  readonly json: boolean;
  readonly limit: number | undefined;
  /** Part of a title, branch or id. */
  readonly filter: string | undefined;
  /** Leave out archived sessions. */
  readonly active: boolean;
}

/** Lists sessions, newest first. */
export const list: Run<ListOptions> = async (ports, { all, json, limit, filter, active }) => {
  const { output } = ports;
  const sessions = await ports.sessions();
  const query: SessionQuery = {
    ...(all ? {} : { project: sessions.projects }),
    ...(active ? { archived: false } : {}),
    ...(filter === undefined ? {} : { filter }),
    ...(limit === undefined ? {} : { limit }),
  };
  const { sessions: found, isComplete } = await sessions.list(query);
  if (!isComplete) output.hint(NOT_YET_READ);
  if (json) {
    await output.write(jsonDocument(found.map(sessionJson)));
    return EXIT.ok;
  }
  if (found.length === 0) {
    output.hint(nothingFound(all, filter));
    return EXIT.ok;
  }
  const width = output.isTerminal ? output.width : Number.POSITIVE_INFINITY;
  // In a partial list, shortened ids could be ambiguous among all sessions.
  const isPart = filter !== undefined || limit !== undefined || active;
  const idLength = output.isTerminal && !isPart ? uniqueLength(found.map(({ id }) => id)) : undefined;
  const shown = output.isTerminal && limit === undefined ? found.slice(0, TERMINAL_ROWS) : found;
  const lines = tableLines(shown, columnsOf(ports, all, idLength), width, output.theme.dim);
  await output.write(`${lines.join('\n')}\n`);
  if (shown.some(({ isPartial }) => isPartial)) output.hint(PARTLY_READ);
  const more = found.length - shown.length;
  if (more > 0)
    output.hint(`… and ${more} more: --limit ${found.length} shows all of them, --filter text some.`);
  return EXIT.ok;
};

/** More rows would push the newest off the screen; files and programs get all. */
const TERMINAL_ROWS = 50;

const NOT_YET_READ =
  'Not all sessions have been read completely, so tokens and cost may be too low; a search reads all of them.';

const PARTLY_READ =
  'Of a session that is partly read, the rest is damaged or exceeds a size limit; clawdcode session verify ID says which.';

function nothingFound(all: boolean, filter: string | undefined): string {
  const what =
    filter === undefined ? 'There are no sessions' : `No session has ${JSON.stringify(filter)} in it`;
  return all ? `${what}.` : `${what} in this project; --all searches every project.`;
}

function columnsOf(
  { output, now }: SessionPorts,
  all: boolean,
  idLength: number | undefined,
): readonly Column<SessionRecord>[] {
  const { theme, isTerminal } = output;
  const time = now();
  return [
    { head: 'ID', cell: ({ id }) => id.slice(0, idLength), paint: theme.accent },
    {
      head: 'LAST USED',
      cell: ({ updatedAt }) => (isTerminal ? formatAge(updatedAt, time) : localIso(updatedAt)),
      luxury: 0.5,
    },
    { head: 'SIZE', cell: ({ bytes }) => formatBytes(bytes), align: 'right', paint: theme.dim, luxury: 3 },
    {
      head: 'TOKENS',
      cell: ({ inputTokens, outputTokens }) =>
        inputTokens + outputTokens === 0 ? '' : shortTokens(inputTokens + outputTokens),
      align: 'right',
      paint: theme.dim,
      luxury: 4,
    },
    {
      head: 'COST',
      cell: ({ costUsd }) => (costUsd === undefined || costUsd === 0 ? '' : formatCost(costUsd)),
      align: 'right',
      paint: theme.dim,
      luxury: 2,
    },
    {
      head: 'BRANCH',
      cell: ({ gitBranch = '' }) => (isTerminal ? truncate(sanitizeLine(gitBranch), 20) : gitBranch),
      paint: theme.dim,
      luxury: 1,
    },
    ...(all ? [{ head: 'PROJECT', cell: isTerminal ? shortProject : projectOf }] : []),
    { head: '', cell: stateOf, paint: theme.dim },
    { head: 'TITLE', cell: ({ title }) => title },
  ];
}

function projectOf({ root, project }: SessionRecord): string {
  return root ?? project;
}

/** Shortens a path from the left: its end is the most significant part. */
function shortProject(session: SessionRecord): string {
  return truncate(sanitizeLine(projectOf(session)), 28, 'start');
}

function stateOf({ isArchived, isMoved, isPartial }: SessionRecord): string {
  const states = { archived: isArchived, moved: isMoved, 'partly read': isPartial };
  return Object.entries(states)
    .flatMap(([state, isSo]) => (isSo ? [state] : []))
    .join(', ');
}

/**
 * Returns the id length that makes all ids unique, with a minimum so that new sessions do not soon make them ambiguous.
 */
function uniqueLength(ids: readonly string[]): number {
  const sorted = [...ids].sort();
  return sorted.reduce((length, id, index) => {
    const before = sorted[index - 1] ?? '';
    let same = 0;
    while (same < id.length && id[same] === before[same]) same += 1;
    return id === before ? length : Math.max(length, same + 1);
  }, MIN_ID);
}

const MIN_ID = 8;

// Lays out columns: each as wide as its widest cell; the least important are dropped if a line would be too long.

interface Column<T> {
  readonly head: string;
  /** May contain anything; it is sanitized here. */
  cell(row: T): string;
  readonly align?: 'right';
  readonly paint?: Paint;
  /** Dropped if there is little room, the highest number first; columns without a number stay. */
  readonly luxury?: number;
}

interface Filled<T> {
  readonly column: Column<T>;
  readonly cells: readonly string[];
  readonly width: number;
}

/**
 * Returns the lines, headings first. Drops empty columns, then columns with `luxury` until the last column has enough
 * room; only the last column is truncated.
 */
function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
  paintHead: Paint,
): string[] {
  const filled = columns
    .map((column) => fill(column, rows))
    .filter(({ cells }) => cells.some((cell) => cell !== ''));
  const shown = fittingColumns(filled, width);
  const room = Math.max(MIN_LAST, width - widthBeforeLast(shown));
  const lineOf = (
    cellOf: (one: Filled<T>) => string,
    paintOf: (one: Filled<T>) => Paint | undefined,
  ): string =>
    shown
      .map((one, index) => {
        const pad = one.column.align === 'right' ? padStart : padEnd;
        const text = index === shown.length - 1 ? truncate(cellOf(one), room) : pad(cellOf(one), one.width);
        return paintOf(one)?.(text) ?? text;
      })
      .join(GAP)
      .trimEnd();
  return [
    lineOf(
      ({ column }) => column.head,
      () => paintHead,
    ),
    ...rows.map((_, row) =>
      lineOf(
        ({ cells }) => cells[row] ?? '',
        ({ column }) => column.paint,
      ),
    ),
  ];
}

const GAP = '  ';
/** Minimum width of the last column. */
const MIN_LAST = 12;
/** Width that the last column gets before optional columns are shown. */
const GOOD_LAST = 32;

function fill<T>(column: Column<T>, rows: readonly T[]): Filled<T> {
  const cells = rows.map((row) => sanitizeLine(column.cell(row)));
  const width = cells.reduce((widest, cell) => Math.max(widest, textWidth(cell)), textWidth(column.head));
  return { column, cells, width };
}

function fittingColumns<T>(filled: readonly Filled<T>[], width: number): readonly Filled<T>[] {
  let shown = filled;
  while (width - widthBeforeLast(shown) < GOOD_LAST) {
    const least = Math.max(...shown.map(({ column }) => column.luxury ?? 0));
    if (least <= 0) break;
    shown = shown.filter(({ column }) => column.luxury !== least);
  }
  return shown;
}

function widthBeforeLast<T>(shown: readonly Filled<T>[]): number {
  return shown.slice(0, -1).reduce((sum, { width }) => sum + width + GAP.length, 0);
}
