/**
 * The turns of a session and their changes on disk. Pure functions of entries, plus functions that page back through
 * the log only as far as needed.
 */
import { setImmediate } from 'node:timers/promises';
import { isPrompt, type Live, liveEntries, oneLine } from '../../context/index.ts';
import type {
  Checkpoint,
  PathChange,
  RestorePlan,
  RestoreStep,
  TurnRecord,
} from '../../protocol/checkpoints.ts';
import { belongsToNextPrompt, displayOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { promptText } from '../prompts/promptQueue.ts';

/** Maximum characters of a prompt in a list. */
const SHOWN = 300;

/**
 * Returns the turns of these entries, oldest first. `live`: without entries that were rewound, as from `liveEntries`.
 */
function turnsOf(live: readonly JSONLEntry[]): readonly TurnRecord[] {
  const starts = live.flatMap((entry, index) => (isPrompt(entry) ? [{ entry, index }] : []));
  return starts.map(({ entry, index }, at) => ({
    ...turnOf(entry, live.slice(index, starts[at + 1]?.index)),
    beforeSeq: lastBefore(live, index)?.seq ?? -1,
  }));
}

/** Recalled memories and skill instructions precede their prompt in the log and belong to its turn. */
function lastBefore(live: readonly JSONLEntry[], prompt: number): JSONLEntry | undefined {
  let at = prompt - 1;
  while (belongsToNextPrompt(live[at])) at--;
  return live[at];
}

/** Returns the checkpoints of calls and `!commands`, in order. */
export function checkpointsOf(entries: readonly JSONLEntry[]): readonly Checkpoint[] {
  return entries.flatMap((entry) => {
    const checkpoint = checkpointOf(entry);
    return checkpoint?.cause === 'call' || checkpoint?.cause === 'shell' ? [checkpoint] : [];
  });
}

/**
 * Returns every change on disk recorded in these entries, in order, including those of rewinds. Changes of a rewind in
 * which the program was stopped may not have happened; they are marked `unsure`.
 */
function changesIn(entries: readonly JSONLEntry[]): readonly PathChange[] {
  const cut = new Set(unfinished(entries));
  return entries.flatMap((entry) =>
    cut.has(entry)
      ? plannedChanges(entry).map((change) => ({ ...change, unsure: true }))
      : (checkpointOf(entry)?.changes ?? []),
  );
}

/** Returns entries that announced file changes of a rewind or undo without a checkpoint that records their end. */
export function unfinished(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const done = new Set(entries.flatMap((entry) => checkpointOf(entry)?.of ?? []));
  return entries.filter((entry) => plannedChanges(entry).length > 0 && !done.has(entry.uuid));
}

/** Returns the entry of the rewind or undo in which the program was stopped, if no turn has started since. */
export function interruptedRewind({ entries, undone }: Live): JSONLEntry | undefined {
  const since = entries.slice(entries.findLastIndex(isPrompt) + 1);
  return unfinished(since).findLast(({ uuid }) => !undone.has(uuid));
}

/** Shown when such a session is resumed. */
export const INTERRUPTED_REWIND =
  'The program stopped during a rewind: some files may be restored, some not. /rewind undo restores all of them to the state before the rewind.';

/** Returns the change that reverts this one. */
export function inverse({ path, before, after }: PathChange): PathChange {
  return {
    path,
    ...(after === undefined ? {} : { before: after }),
    ...(before === undefined ? {} : { after: before }),
  };
}

/** Returns the file changes that the entry of a rewind or undo announced. */
export function plannedChanges(entry: JSONLEntry): readonly PathChange[] {
  return entry.subtype === 'rewind' || entry.subtype === 'undo' ? (entry.data?.changes ?? []) : [];
}

/** Returns the planned file changes in the form that is logged before they are applied. */
export function changesToLog({ steps }: RestorePlan): { readonly changes?: readonly PathChange[] } {
  const changes = steps.filter(isChange).map(({ path, from, to }) => ({
    path,
    ...(from === undefined ? {} : { before: from }),
    ...(to === undefined ? {} : { after: to }),
  }));
  return changes.length === 0 ? {} : { changes };
}

/** True if the step changes something on disk. */
export function isChange({ action }: RestoreStep): boolean {
  return action !== 'refuse' && action !== 'nothing';
}

/** Returns the file changes of a rewind or undo, as recorded afterwards or else as planned, and the entry with them. */
export function appliedChanges(
  entry: JSONLEntry,
  since: readonly JSONLEntry[],
): { readonly changes: readonly PathChange[]; readonly recordedIn: JSONLEntry } {
  const recorded = since.find((one) => checkpointOf(one)?.of === entry.uuid);
  if (recorded === undefined) return { changes: plannedChanges(entry), recordedIn: entry };
  return { changes: checkpointOf(recorded)?.changes ?? [], recordedIn: recorded };
}

/** True for the note that tells the model about restored files. */
export function isRewindNote({ subtype, data }: JSONLEntry): boolean {
  return subtype === 'nudge' && data?.about === 'rewind';
}

/** Returns the checkpoint of an entry; undefined for other entries. */
function checkpointOf(entry: JSONLEntry): Checkpoint | undefined {
  return entry.subtype === 'checkpoint' ? entry.data : undefined;
}

/** Returns the beginning of the prompt on one line. */
function shownText(prompt: JSONLEntry): string {
  return oneLine(shownPrompt(prompt), SHOWN);
}

/** Returns the prompt as the user saw it: a folded paste stays folded. */
function shownPrompt(entry: JSONLEntry): string {
  return displayOf(entry) ?? promptText(entry.message.content);
}

/** `entries`: the prompt and everything up to the next prompt. */
function turnOf(prompt: JSONLEntry, entries: readonly JSONLEntry[]): Omit<TurnRecord, 'beforeSeq'> {
  return {
    uuid: prompt.uuid,
    seq: prompt.seq,
    text: shownText(prompt),
    timestamp: prompt.timestamp,
    steps: entries.filter(({ type }) => type === 'assistant').length,
    ...changeStats(checkpointsOf(entries)),
  };
}

/** Counts the changed files, and their lines if all of them were counted. */
export function changeStats(work: readonly Checkpoint[]): Pick<TurnRecord, 'files' | 'lines'> {
  const changed = work.flatMap(({ changes }) => changes.filter(isFile).map(({ path }) => path));
  return { files: new Set(changed).size, lines: linesOf(work) };
}

/** Excludes folders: they appear and disappear with their contents. */
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

interface PagedLog {
  /** Returns the newest `count` entries before a position, oldest first. */
  page(beforeSeq: number, count: number): Promise<readonly JSONLEntry[]>;
}

/** Entries read at once: some hundred kilobytes, so that key presses are handled in between. */
const PAGE = 500;

/** Returns the newest `limit` turns, oldest first. */
export async function newestTurns(log: PagedLog, limit: number): Promise<readonly TurnRecord[]> {
  const entries = await readBack(log, (read) => countTurns(read) > limit);
  return turnsOf(liveEntries(entries).entries).slice(-limit);
}

/** Returns one turn of the conversation; undefined if none starts with this prompt. */
export async function findTurn(log: PagedLog, uuid: string): Promise<TurnRecord | undefined> {
  const entries = await readBack(log, (read) => read.some((entry) => entry.uuid === uuid));
  return turnsOf(liveEntries(entries).entries).find((turn) => turn.uuid === uuid);
}

interface ChangesSince {
  readonly changes: readonly PathChange[];
  readonly notes: readonly string[];
  /** The changes in entries that the user's own program did not write. */
  readonly foreign: readonly PathChange[];
}

/** Returns all changes on disk after this position, including those of turns that were rewound. */
export async function changesSince(
  log: PagedLog,
  seq: number,
  isOwn: (entry: JSONLEntry) => boolean = () => false,
): Promise<ChangesSince> {
  const entries = await readBack(log, ([first]) => first !== undefined && first.seq <= seq);
  const since = entries.filter((entry) => entry.seq > seq);
  const notes = since.flatMap((entry) => checkpointOf(entry)?.notes ?? []);
  return {
    changes: changesIn(since),
    notes: [...new Set(notes)],
    foreign: changesIn(since.filter((entry) => !isOwn(entry))),
  };
}

/** Returns the changes that the calls and commands of one turn made. */
export async function changesOfTurn(
  log: PagedLog,
  { uuid, seq }: TurnRecord,
): Promise<readonly PathChange[]> {
  const entries = await readBack(log, ([first]) => first !== undefined && first.seq <= seq);
  const live = liveEntries(entries).entries;
  const start = live.findIndex((entry) => entry.uuid === uuid);
  const next = live.findIndex((entry, index) => index > start && isPrompt(entry));
  if (start === -1) return [];
  return checkpointsOf(live.slice(start, next === -1 ? undefined : next)).flatMap(({ changes }) => changes);
}

/**
 * Reads backwards until `isEnough` or the start of the log; returns the entries oldest first, without bulky contents.
 */
async function readBack(
  log: PagedLog,
  isEnough: (entries: readonly JSONLEntry[]) => boolean,
): Promise<readonly JSONLEntry[]> {
  const pages: JSONLEntry[][] = [];
  let read = 0;
  // Checked again only after the number of entries has doubled, so that reading far back stays linear.
  let checkAt = 1;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await log.page(before, PAGE);
    const [first] = page;
    if (first !== undefined) {
      pages.unshift(page.map(withoutBulk));
      read += page.length;
      before = first.seq;
    }
    if (first !== undefined && read < checkAt) {
      await setImmediate();
      continue;
    }
    const entries = pages.flat();
    if (first === undefined || isEnough(entries)) return entries;
    checkAt = 2 * read;
  }
}

function countTurns(entries: readonly JSONLEntry[]): number {
  return entries.some(({ subtype }) => subtype === 'rewind' || subtype === 'undo')
    ? liveEntries(entries).entries.filter(isPrompt).length
    : entries.filter(isPrompt).length;
}

/** Drops contents that turns do not need; they may be large. */
function withoutBulk(entry: JSONLEntry): JSONLEntry {
  const { tool: _tool, toolResult: _result, ...rest } = entry;
  const content = isPrompt(entry) ? shownText(entry) : '';
  const slim = { ...rest, message: { role: entry.message.role, content } };
  if (!needsData(entry)) delete slim.data;
  return slim;
}

function needsData({ subtype }: JSONLEntry): boolean {
  return subtype === 'rewind' || subtype === 'undo' || subtype === 'checkpoint';
}
