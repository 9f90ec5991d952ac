/** `clawdcode session list`. */
import { EXIT } from '../../headless/exitCodes.ts';
import type { SessionQuery, SessionRecord } from '../../protocol/sessions.ts';
import { formatAge, formatBytes, formatCost, formatTokens } from '../../ui/print/numbers.ts';
import { sanitizeLine } from '../../ui/print/sanitize.ts';
import { truncate } from '../../ui/print/width.ts';
import { jsonDocument, sessionJson } from './output.ts';
import { type Column, tableLines } from './table.ts';
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
  const more = found.length - shown.length;
  if (more > 0)
    output.hint(`… and ${more} more: --limit ${found.length} shows all of them, --filter text some.`);
  return EXIT.ok;
};

/** More rows would push the newest off the screen; files and programs get all. */
const TERMINAL_ROWS = 50;

const NOT_YET_READ =
  'Not all sessions have been read completely, so tokens and cost may be too low; a search reads all of them.';

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
      cell: ({ updatedAt }) => (isTerminal ? formatAge(updatedAt, time) : updatedAt.toISOString()),
      luxury: 0.5,
    },
    { head: 'SIZE', cell: ({ bytes }) => formatBytes(bytes), align: 'right', paint: theme.dim, luxury: 3 },
    {
      head: 'TOKENS',
      cell: ({ inputTokens, outputTokens }) =>
        inputTokens + outputTokens === 0 ? '' : formatTokens(inputTokens + outputTokens),
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

function stateOf({ isArchived, isMoved }: SessionRecord): string {
  return [...(isArchived ? ['archived'] : []), ...(isMoved ? ['moved'] : [])].join(', ');
}

/**
 * Returns the id length that makes all ids unique, with a minimum so that new sessions do not soon make them ambiguous.
 */
export function uniqueLength(ids: readonly string[]): number {
  const sorted = [...ids].sort();
  return sorted.reduce((length, id, index) => {
    const before = sorted[index - 1] ?? '';
    let same = 0;
    while (same < id.length && id[same] === before[same]) same += 1;
    return id === before ? length : Math.max(length, same + 1);
  }, MIN_ID);
}

const MIN_ID = 8;
