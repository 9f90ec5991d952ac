/**
 * The draft of the next summary, written in the background so that the user need not wait for one. It is used only if
 * its epoch is still current (compare and set); otherwise it is discarded.
 */
import * as z from 'zod';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { Atom } from '../history/atoms.ts';
import { epochOf } from '../history/liveEntries.ts';
import { replacedHeadsIn, withReplaced } from '../history/reductions.ts';
import type { CacheStore } from '../storage/CacheStore.ts';

export interface SummaryDraft {
  readonly text: string;
  /** Epoch for which it was written (history/liveEntries.ts). */
  readonly epoch: string;
  /** Seq of the last entry that it covers; later entries are still sent. */
  readonly lastMessageSeq: number;
  /** Tokens of the request when the draft was ready. */
  readonly usedTokens: number;
}

/** The log entry of a draft, so that a resumed session need not pay for it again. */
export function draftEntry(draft: SummaryDraft): NewEntry {
  return {
    type: 'system',
    subtype: 'summary_draft',
    message: { role: 'system', content: '' },
    data: { ...draft },
  };
}

/** The newest draft in a log for the current epoch. Ignores a draft that claims to cover entries after its own. */
export function recordedDraft(entries: readonly JSONLEntry[]): SummaryDraft | undefined {
  const epoch = epochOf(entries);
  for (const { subtype, seq, data } of entries.toReversed()) {
    if (subtype !== 'summary_draft') continue;
    const draft = recorded.safeParse(data).data;
    if (draft?.epoch === epoch && draft.lastMessageSeq < seq) return draft;
  }
  return undefined;
}

const recorded = z.object({
  text: z.string().min(1),
  epoch: z.string(),
  lastMessageSeq: z.int().nonnegative(),
  usedTokens: z.number(),
});

/**
 * Number of atoms of a view that a draft covers, from the first. A note counts by the entries it replaces, since its
 * own entry may be newer than the draft.
 */
export function coveredBy(
  { lastMessageSeq }: Pick<SummaryDraft, 'lastMessageSeq'>,
  atoms: readonly Atom[],
  entries: readonly JSONLEntry[],
): number {
  const endOf = endOfNotes(atoms, entries);
  return atoms.findLastIndex(({ head }) => (endOf.get(head.uuid) ?? head.seq) <= lastMessageSeq) + 1;
}

/** Seq of the newest entry that each note among the atoms replaces, by the uuid of the note. */
function endOfNotes(atoms: readonly Atom[], entries: readonly JSONLEntry[]): ReadonlyMap<string, number> {
  const notes = atoms.filter(({ head }) => head.subtype === 'reduction');
  if (notes.length === 0) return new Map();
  const headsByNote = replacedHeadsIn(entries);
  const seqOf = new Map(entries.map(({ uuid, seq }) => [uuid, seq]));
  return new Map(
    notes.map(({ head: { uuid, seq } }) => {
      const behind = [...withReplaced(headsByNote.get(uuid) ?? [], headsByNote)];
      return [uuid, behind.reduce((end, one) => Math.max(end, seqOf.get(one) ?? 0), 0) || seq];
    }),
  );
}

/** Outcome of an attempt; the code that made the attempt records a failure. */
export type DraftOutcome =
  | { readonly type: 'draft'; readonly draft: SummaryDraft }
  | { readonly type: 'failed' | 'aborted' | 'nothing' };

export type ThreadSummaryState = 'none' | 'running' | 'ready';

export class ThreadSummary {
  readonly #cache: CacheStore<SummaryDraft>;
  #running:
    | { readonly epoch: string; readonly abort: AbortController; readonly done: Promise<void> }
    | undefined;
  /** After an attempt without a draft: tokens below which its epoch gets no other. */
  #pause: { readonly epoch: string; readonly untilTokens: number } | undefined;

  constructor(cache: CacheStore<SummaryDraft>) {
    this.#cache = cache;
  }

  /** The draft for this epoch, if there is one. */
  get(epoch: string): SummaryDraft | undefined {
    return this.#cache.get(key(epoch));
  }

  /** Stores a draft that was made elsewhere, such as by a preview. */
  set(draft: SummaryDraft): void {
    this.#cache.set(key(draft.epoch), draft, DRAFT_TTL_MS);
  }

  state(epoch: string): ThreadSummaryState {
    if (this.get(epoch) !== undefined) return 'ready';
    return this.#running?.epoch === epoch ? 'running' : 'none';
  }

  /** True if an attempt was made in this epoch. */
  wasTried(epoch: string): boolean {
    return this.state(epoch) !== 'none' || this.#pause?.epoch === epoch;
  }

  /**
   * Starts an attempt unless one is running, a draft exists, or the request has grown too little since the last
   * attempt. `write` must never reject. Returns immediately.
   */
  updateIfNeeded(
    epoch: string,
    tokens: number,
    pauseTokens: number,
    write: (signal: AbortSignal) => Promise<DraftOutcome>,
  ): void {
    if (this.#running !== undefined && this.#running.epoch !== epoch) this.#running.abort.abort();
    if (
      this.#running !== undefined ||
      this.#isPaused(epoch, tokens, pauseTokens) ||
      this.get(epoch) !== undefined
    )
      return;
    const abort = new AbortController();
    const done = write(abort.signal).then((outcome) => {
      this.#running = undefined;
      if (outcome.type === 'draft') this.set(outcome.draft);
      // Only if it failed: a later epoch may already have its own pause.
      if (outcome.type === 'failed' || outcome.type === 'nothing')
        this.#pause = { epoch, untilTokens: tokens + pauseTokens };
    });
    this.#running = { epoch, abort, done };
  }

  /** A pause is measured in growth: if the request has become smaller, it counts from there. */
  #isPaused(epoch: string, tokens: number, pauseTokens: number): boolean {
    if (this.#pause?.epoch !== epoch) return false;
    const untilTokens = Math.min(this.#pause.untilTokens, tokens + pauseTokens);
    this.#pause = { epoch, untilTokens };
    return tokens < untilTokens;
  }

  /** Discards the draft because it was used or turned out to be useless. */
  drop(epoch: string, notBeforeTokens = 0): void {
    this.#cache.delete(key(epoch));
    this.#pause = { epoch, untilTokens: notBeforeTokens };
  }

  /** Resolves when no attempt is running. */
  async settled(): Promise<void> {
    await this.#running?.done;
  }

  /** Stops a running attempt without waiting for it. */
  stop(): void {
    this.#running?.abort.abort();
  }
}

/** A draft is valid as long as its epoch lasts. */
const DRAFT_TTL_MS = Number.MAX_SAFE_INTEGER;

function key(epoch: string): string {
  return `draft ${epoch}`;
}
