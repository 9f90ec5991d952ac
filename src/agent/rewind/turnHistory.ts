/** The turns of a session of any size: read from its end, as far back as somebody asks. */
import { setImmediate } from 'node:timers/promises';
import { liveEntries } from '../../context/index.ts';
import type { PathChange } from '../../protocol/checkpoints.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { TurnRecord } from '../../protocol/rewind.ts';
import { changesIn, checkpointOf, shownText, startsTurn, turnsOf, workOf } from './turns.ts';

export interface PagedLog {
  /** The newest `count` entries before a position, oldest first. */
  page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
}

/** Entries that are read at once: some hundred kilobytes, so that keys are heard in between. */
const PAGE = 500;

/** The newest `limit` turns, oldest first. */
export async function newestTurns(log: PagedLog, limit: number): Promise<readonly TurnRecord[]> {
  const entries = await readBack(log, (read) => countTurns(read) > limit);
  return turnsOf(liveEntries(entries).entries).slice(-limit);
}

/** One turn of the conversation; undefined where there is none that begins with this prompt. */
export async function findTurn(log: PagedLog, uuid: string): Promise<TurnRecord | undefined> {
  const entries = await readBack(log, (read) => read.some((entry) => entry.uuid === uuid));
  return turnsOf(liveEntries(entries).entries).find((turn) => turn.uuid === uuid);
}

/** What was changed on disk since this position, whether the conversation still knows of it or not. */
export async function changesSince(
  log: PagedLog,
  seq: number,
): Promise<{ readonly changes: readonly PathChange[]; readonly notes: readonly string[] }> {
  const entries = await readBack(log, ([first]) => first !== undefined && first.seq <= seq);
  const since = entries.filter((entry) => entry.seq > seq);
  const notes = since.flatMap((entry) => checkpointOf(entry)?.notes ?? []);
  return { changes: changesIn(since), notes: [...new Set(notes)] };
}

/** What the calls and commands of one turn changed. */
export async function changesOfTurn(
  log: PagedLog,
  { uuid, seq }: TurnRecord,
): Promise<readonly PathChange[]> {
  const entries = await readBack(log, ([first]) => first !== undefined && first.seq <= seq);
  const live = liveEntries(entries).entries;
  const start = live.findIndex((entry) => entry.uuid === uuid);
  const next = live.findIndex((entry, index) => index > start && startsTurn(entry));
  if (start === -1) return [];
  return workOf(live.slice(start, next === -1 ? undefined : next)).flatMap(({ changes }) => changes);
}

/** From the end back until there is enough, or nothing more; oldest first, without what nobody here looks at. */
async function readBack(
  log: PagedLog,
  isEnough: (entries: readonly JSONLEntry[]) => boolean,
): Promise<readonly JSONLEntry[]> {
  const pages: JSONLEntry[][] = [];
  let read = 0;
  // Looked through again only when there is twice as much of it, so that a long way back stays linear.
  let lookAt = 1;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await log.page(before, PAGE);
    const [first] = page;
    if (first !== undefined) {
      pages.unshift(page.map(withoutBulk));
      read += page.length;
      before = first.seq;
    }
    if (first !== undefined && read < lookAt) {
      await setImmediate();
      continue;
    }
    const entries = pages.flat();
    if (first === undefined || isEnough(entries)) return entries;
    lookAt = 2 * read;
  }
}

function countTurns(entries: readonly JSONLEntry[]): number {
  return entries.some(({ subtype }) => subtype === 'rewind' || subtype === 'undo')
    ? liveEntries(entries).entries.filter(startsTurn).length
    : entries.filter(startsTurn).length;
}

/** Of most entries only their place says something about turns; what they hold may be large. */
function withoutBulk(entry: JSONLEntry): JSONLEntry {
  const { tool: _tool, toolResult: _result, ...rest } = entry;
  const content = startsTurn(entry) ? shownText(entry) : '';
  const slim = { ...rest, message: { role: entry.message.role, content } };
  if (!isTelling(entry)) delete slim.data;
  return slim;
}

function isTelling({ subtype }: JSONLEntry): boolean {
  return subtype === 'rewind' || subtype === 'undo' || subtype === 'checkpoint';
}
