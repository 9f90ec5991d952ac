/** The turns of a session and what was changed on disk in them: pure functions of entries, then reading as far back as is asked. */

import { setImmediate } from 'node:timers/promises';
import { type Live, liveEntries, oneLine } from '../../context/index.ts';
import type { Checkpoint, PathChange, RestorePlan, RestoreStep } from '../../protocol/checkpoints.ts';
import { displayOf, ridesWithPrompt } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { TurnRecord } from '../../protocol/rewind.ts';
import { textOf } from '../promptOf.ts';

/** Characters of a prompt that a list shows. */
const SHOWN = 300;

/** The turns of these entries, oldest first; `live` are those that count, as `liveEntries` gives them. */
export function turnsOf(live: readonly JSONLEntry[]): readonly TurnRecord[] {
  const starts = live.flatMap((entry, index) => (startsTurn(entry) ? [{ entry, index }] : []));
  return starts.map(({ entry, index }, at) => ({
    ...turnOf(entry, live.slice(index, starts[at + 1]?.index)),
    beforeSeq: lastBefore(live, index)?.seq ?? -1,
  }));
}

/** What was recalled for a prompt stands before it and belongs to it. */
function lastBefore(live: readonly JSONLEntry[], prompt: number): JSONLEntry | undefined {
  let at = prompt - 1;
  while (ridesWithPrompt(live[at])) at--;
  return live[at];
}

/** True for what the user asked; notes of the program and `!commands` belong to the turn before them. */
export function startsTurn({ type, subtype, isCompactSummary }: JSONLEntry): boolean {
  return type === 'user' && isCompactSummary !== true && (subtype === 'prompt' || subtype === undefined);
}

/** What calls and commands changed, in the order in which they did. */
export function workOf(entries: readonly JSONLEntry[]): readonly Checkpoint[] {
  return entries.flatMap((entry) => {
    const checkpoint = checkpointOf(entry);
    return checkpoint?.cause === 'call' || checkpoint?.cause === 'shell' ? [checkpoint] : [];
  });
}

/**
 * Every change on disk that these entries tell of, in order: going back is one as well, and so is what it was
 * about to do when the program stopped in it.
 */
export function changesIn(entries: readonly JSONLEntry[]): readonly PathChange[] {
  const cut = new Set(unfinished(entries));
  return entries.flatMap((entry) =>
    cut.has(entry)
      ? plannedChanges(entry).map((change) => ({ ...change, unsure: true }))
      : (checkpointOf(entry)?.changes ?? []),
  );
}

/** Entries that say what going back was about to do to files, and none says that it was done. */
export function unfinished(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const done = new Set(entries.flatMap((entry) => checkpointOf(entry)?.of ?? []));
  return entries.filter((entry) => plannedChanges(entry).length > 0 && !done.has(entry.uuid));
}

/** The entry of going back, or of taking that back, in which the program was stopped; nothing was asked since. */
export function cutShort({ entries, undone }: Live): JSONLEntry | undefined {
  const since = entries.slice(entries.findLastIndex(startsTurn) + 1);
  return unfinished(since).findLast(({ uuid }) => !undone.has(uuid));
}

/** What to tell whoever takes up such a session. */
export const CUT_SHORT =
  'The program stopped during a rewind: some files may be restored, some not. /rewind undo restores all of them to the state before the rewind.';

/** The same change the other way round. */
export function inverse({ path, before, after }: PathChange): PathChange {
  return {
    path,
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
  };
}

/** What an entry of going back, or of taking that back, was about to do to files. */
export function plannedChanges(entry: JSONLEntry): readonly PathChange[] {
  return entry.subtype === 'rewind' || entry.subtype === 'undo' ? (entry.data?.changes ?? []) : [];
}

/** What is going to be done to files, for the entry that says so before it is done. */
export function intended({ steps }: RestorePlan): { readonly changes?: readonly PathChange[] } {
  const changes = steps.filter(isChange).map(({ path, from, to }) => ({
    path,
    ...(from === undefined ? {} : { before: from }),
    ...(to === undefined ? {} : { after: to }),
  }));
  return changes.length === 0 ? {} : { changes };
}

/** True for what changes something on disk. */
export function isChange({ action }: RestoreStep): boolean {
  return action !== 'refuse' && action !== 'nothing';
}

/** What going back did to files: as was recorded behind it, or as it was about to. */
export function doneBy(entry: JSONLEntry, since: readonly JSONLEntry[]): readonly PathChange[] {
  const recorded = since.find((one) => checkpointOf(one)?.of === entry.uuid);
  return recorded === undefined ? plannedChanges(entry) : (checkpointOf(recorded)?.changes ?? []);
}

/** True for the word to the model that its files went back. */
export function isRewindNote({ subtype, data }: JSONLEntry): boolean {
  return subtype === 'nudge' && data?.about === 'rewind';
}

/** What an entry says was changed on disk; undefined for all others, and for one that cannot be read. */
export function checkpointOf(entry: JSONLEntry): Checkpoint | undefined {
  return entry.subtype === 'checkpoint' ? entry.data : undefined;
}

/** The beginning of what the user typed, on one line. */
export function shownText(prompt: JSONLEntry): string {
  return oneLine(promptText(prompt), SHOWN);
}

/** What the user typed, as the user saw it: a folded paste stays folded. */
export function promptText(entry: JSONLEntry): string {
  return displayOf(entry) ?? textOf(entry.message.content);
}

/** `entries`: the prompt and all behind it up to the next. */
function turnOf(prompt: JSONLEntry, entries: readonly JSONLEntry[]): Omit<TurnRecord, 'beforeSeq'> {
  return {
    uuid: prompt.uuid,
    seq: prompt.seq,
    text: shownText(prompt),
    timestamp: prompt.timestamp,
    steps: entries.filter(({ type }) => type === 'assistant').length,
    ...sizeOfWork(workOf(entries)),
  };
}

/** How many files were changed, and how many lines where all of them were counted. */
export function sizeOfWork(work: readonly Checkpoint[]): Pick<TurnRecord, 'files' | 'lines'> {
  const changed = work.flatMap(({ changes }) => changes.filter(isFile).map(({ path }) => path));
  return { files: new Set(changed).size, lines: linesOf(work) };
}

/** Folders come and go with what is in them. */
function isFile({ before, after }: PathChange): boolean {
  return (after ?? before)?.type !== 'folder';
}

function linesOf(work: readonly Checkpoint[]): TurnRecord['lines'] {
  let added = 0;
  let removed = 0;
  for (const { lines } of work) {
    if (lines === undefined) return undefined;
    added += lines.added;
    removed += lines.removed;
  }
  return { added, removed };
}

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

/** Reads backwards until there is enough, or no more; oldest first, without the entries that are not needed here. */
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
