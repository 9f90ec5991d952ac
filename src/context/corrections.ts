/**
 * Changes that the user makes to the context: rewinding turns, undoing compactions, and pinning, dropping or restoring
 * items. Each is an entry that changes which earlier entries are in effect.
 */
import type { ItemEdit } from '../protocol/contextReport.ts';
import { belongsToNextPrompt } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry, KindEntry, NewEntry } from '../protocol/entries.ts';
import type { CompactionReport } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import { grouped } from '../protocol/text/numbers.ts';
import { refusedReport } from './compaction/report.ts';
import { type Atom, atomEntries, groupAtoms, isPrompt } from './history/atoms.ts';
import { lastCompaction } from './history/compactions.ts';
import { isRemoval } from './history/evict.ts';
import { evictedPrefixOf } from './history/evictedPrefix.ts';
import { liveEntries } from './history/liveEntries.ts';
import { reductionEntry, reductionOf } from './history/reductions.ts';
import { type View, viewOf } from './history/view.ts';
import type { Session } from './session.ts';
import type { OpenLog } from './storage/sessionStore.ts';
import { removalEntry } from './strategies/applyWindow.ts';

/** Text and data of the entry that records a correction. */
export interface Correction {
  readonly content: string;
  readonly data: Omit<NonNullable<KindEntry<'rewind'>['data']>, 'to'>;
}

/**
 * Rewinds to before a prompt: the prompt, the memories recalled for it, and everything after it leave the conversation
 * until that is undone. Returns the rewind entry and the last entry that stays; undefined if the conversation does not
 * contain the prompt.
 */
export async function rewindBefore(
  session: Session,
  prompt: string,
  { content, data }: Correction,
): Promise<{ readonly entry: JSONLEntry; readonly last: JSONLEntry } | undefined> {
  if (!(await loadEntry(session.log, prompt))) return undefined;
  const { entries } = session.log.live();
  let at = entries.findIndex(({ uuid }) => uuid === prompt) - 1;
  while (belongsToNextPrompt(entries[at])) at--;
  const last = entries[at];
  if (last === undefined) return undefined;
  const entry = await correct(session, {
    type: 'system',
    subtype: 'rewind',
    message: { role: 'system', content },
    data: { ...data, to: last.uuid },
  });
  return { entry, last };
}

/** Undoes the effect of these entries; returns the undo entry. */
export async function undo(
  session: Session,
  undoes: readonly string[],
  { content, data }: Correction,
): Promise<JSONLEntry> {
  for (const uuid of undoes) await loadEntry(session.log, uuid);
  return correct(session, {
    type: 'system',
    subtype: 'undo',
    message: { role: 'system', content },
    data: { ...data, undoes: [...undoes] },
  });
}

/** Undoes the last compaction. Refuses, with the token counts, if the restored messages would not fit. */
export async function uncompact(session: Session, tools: readonly ToolSchema[]): Promise<CompactionReport> {
  const { log, projection, append } = session;
  const { usedTokens: preTokens } = projection.measure(tools);
  const refuse = (message: string): CompactionReport => refusedReport(preTokens, message);
  const boundary = lastBoundary(log.entries());
  if (boundary === undefined) return refuse('There is no compaction to undo.');
  if (!(await loadEntry(log, boundary.uuid)))
    return refuse(
      `What came before the last compaction cannot be read, so it stays. Look at ${log.filePath}, or run "clawdcode session verify ${log.sessionId}".`,
    );
  const undoes = uuidsOfCompaction(log.entries(), boundary);
  const correction = undoEntry(undoes);
  const undone = [...log.entries(), asEntry(correction)];
  await projection.loadSnippets(undone);
  const { usedTokens: postTokens } = projection.measureView(viewOf(undone), tools);
  const { limit, window } = projection.budget();
  if (postTokens > limit) {
    return refuse(
      `Without the last compaction the request would have about ${grouped(postTokens)} tokens; at most ${grouped(limit)} of the window of ${grouped(window)} can be sent. Nothing was changed. Choose a model with a larger window (/model), restore single items with /context, or let the model look them up with Recall.`,
    );
  }
  await append([correction]);
  return {
    outcome: 'done',
    trigger: 'manual',
    preTokens,
    postTokens: projection.measure(tools).usedTokens,
    files: [],
    durationMs: 0,
    message: 'The last compaction was undone. Nothing is compacted automatically until your next message.',
  };
}

/** Applies the user's edit to one item. Returns an error message if that is not possible. */
export async function editItem(
  { log, projection, append }: Session,
  { action, uuid }: ItemEdit,
  tools: readonly ToolSchema[],
): Promise<string | undefined> {
  const found = (): Atom | undefined => groupAtoms(log.live().entries).find(({ head }) => head.uuid === uuid);
  // For a removed item, memory holds only the place of its note; dropping or restoring it needs the item itself.
  if (action !== 'pin' && action !== 'unpin' && isLeft(log.entries(), found(), projection.view()))
    await loadEntry(log, uuid);
  const atom = found();
  if (atom === undefined) return 'There is no such item in the conversation.';
  if (action === 'pin' || action === 'unpin') {
    await append([pinEntry(uuid, action === 'pin')]);
    return undefined;
  }
  const { usedTokens: preTokens } = projection.measure(tools);
  if (action === 'drop') {
    const newest = projection.view().atoms.findLast(({ head }) => isPrompt(head));
    if (newest?.head.uuid === uuid) return 'The newest message is what the model has to answer: it stays.';
    const removal = { removed: [uuid], strategy: 'user', reason: 'dropped by the user' };
    const shown = projection.view().atoms.find(({ head }) => head.uuid === uuid);
    const postTokens = Math.ceil(preTokens - (shown === undefined ? 0 : projection.sizeOf(shown)));
    await append([removalEntry(removal, log.live(), { preTokens, postTokens, kind: 'drop' })]);
    return undefined;
  }
  const restore = restoreEntry(atom, preTokens);
  const after = projection.measureView(viewOf([...log.entries(), asEntry(restore)]), tools);
  if (after.usedTokens > projection.budget().limit)
    return `It would take the request to about ${after.usedTokens} tokens, and at most ${projection.budget().limit} fit. Compact or drop something first.`;
  await append([restore]);
  return undefined;
}

/** True if a removal took the item out of the conversation and its entries are now only in the file. */
function isLeft(entries: readonly JSONLEntry[], atom: Atom | undefined, { atoms }: View): boolean {
  const past = evictedPrefixOf(entries);
  if (past === undefined || atom === undefined || atom.head.seq > past.throughSeq) return false;
  const last = entries.find(({ uuid }) => uuid === past.throughUuid);
  return last !== undefined && isRemoval(last) && !atoms.some(({ head }) => head === atom.head);
}

/** Loads the snippets of the summary that will be in effect after the correction, before anything needs them. */
async function correct({ log, append, projection }: Session, correction: NewEntry): Promise<JSONLEntry> {
  await projection.loadSnippets([...log.entries(), asEntry(correction)]);
  const [entry] = await append([correction]);
  if (entry === undefined) throw new Error(`The log of ${log.sessionId} gave no entry for a correction.`);
  return entry;
}

/**
 * Loads the state at the entry that a correction restores; in a large log it may be only in the file. Entries that
 * a correction names are loaded with it (absentTarget). Returns false if the entry cannot be read: the correction is
 * then impossible.
 */
export async function loadEntry(log: OpenLog, uuid: string): Promise<boolean> {
  const through = evictedPrefixOf(log.entries())?.throughSeq ?? -1;
  const isHere = log.entries().some((entry) => entry.uuid === uuid && entry.seq > through);
  if (isHere || through === -1) return isHere;
  for await (const entry of log.seen().before(through + 1, uuid)) {
    if (entry.uuid !== uuid) continue;
    await log.reach(entry.seq - 1);
    return log.entries().some((one) => one.uuid === uuid);
  }
  return false;
}

function lastBoundary(entries: readonly JSONLEntry[]): JSONLEntry | undefined {
  const live = liveEntries(entries);
  return live.entries[lastCompaction(live.entries, live.undone)];
}

/** The boundary entry of a compaction, with the clips written just before it and the ledgers after it. */
export function uuidsOfCompaction(entries: readonly JSONLEntry[], boundary: JSONLEntry): readonly string[] {
  const isIts = (entry: JSONLEntry): boolean => reductionOf(entry)?.reason === 'compaction';
  const at = entries.findIndex(({ uuid }) => uuid === boundary.uuid);
  const before = entries.slice(Math.max(0, at - 1), at).filter(isIts);
  const behind = entries.slice(at + 2);
  const end = behind.findIndex((entry) => !isIts(entry));
  const ledgers = end === -1 ? behind : behind.slice(0, end);
  return [...before, boundary, ...ledgers].map(({ uuid }) => uuid);
}

function undoEntry(undoes: readonly string[]): NewEntry {
  return {
    type: 'system',
    subtype: 'undo',
    message: { role: 'system', content: 'Undone: the last compaction' },
    data: { undoes: [...undoes] },
  };
}

function pinEntry(uuid: string, pinned: boolean): NewEntry {
  return { type: 'system', subtype: 'pin', message: { role: 'system', content: '' }, data: { uuid, pinned } };
}

function restoreEntry(atom: Atom, preTokens: number): NewEntry {
  const restored = atomEntries(atom).map(({ uuid }) => uuid);
  return reductionEntry({ kind: 'restore', reason: 'restored by the user', preTokens, restored });
}

/** Treats the entry as if it were already in the log, to compute its effect. */
function asEntry(entry: NewEntry): JSONLEntry {
  const place = { v: 1, seq: Number.MAX_SAFE_INTEGER, uuid: '', parentUuid: null, sessionId: '' };
  return { ...place, timestamp: '', cwd: '', version: '', ...entry };
}
