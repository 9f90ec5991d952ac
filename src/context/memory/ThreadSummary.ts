/**
 * The draft of the next summary, written in the background so that the user does not wait for one. It is
 * taken only while what it was written for still stands (compare and set); otherwise it is thrown away.
 */

import * as z from 'zod';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { Atom } from '../history/atoms.ts';
import { epochOf } from '../history/epoch.ts';
import { stretchesIn, withAllBehind } from '../history/reductions.ts';
import type { CacheStore } from '../storage/CacheStore.ts';

export interface SummaryDraft {
  readonly text: string;
  /** What it was written for (history/epoch.ts). */
  readonly epoch: string;
  /** Seq of the last entry that it speaks for; everything later is still sent. */
  readonly lastMessageSeq: number;
  /** Tokens of the request when it was ready. */
  readonly usedTokens: number;
}

/** A draft as an entry of the log: a resumed session need not pay for it again. */
export function draftEntry(draft: SummaryDraft): NewEntry {
  return {
    type: 'system',
    subtype: 'summary_draft',
    message: { role: 'system', content: '' },
    data: { ...draft },
  };
}

/** The newest draft of a log that was written for what stands now; one that claims to speak for later entries is none. */
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

/** How many atoms of a view a draft speaks for, from the first. A note counts as what it stands for: its own entry may be newer than the draft. */
export function coveredBy(
  { lastMessageSeq }: Pick<SummaryDraft, 'lastMessageSeq'>,
  atoms: readonly Atom[],
  entries: readonly JSONLEntry[],
): number {
  const endOf = endOfNotes(atoms, entries);
  return atoms.findLastIndex(({ head }) => (endOf.get(head.uuid) ?? head.seq) <= lastMessageSeq) + 1;
}

/** Seq of the newest entry that each note among the atoms stands for, by the uuid of the note. */
function endOfNotes(atoms: readonly Atom[], entries: readonly JSONLEntry[]): ReadonlyMap<string, number> {
  const notes = atoms.filter(({ head }) => head.subtype === 'reduction');
  if (notes.length === 0) return new Map();
  const stretches = stretchesIn(entries);
  const seqOf = new Map(entries.map(({ uuid, seq }) => [uuid, seq]));
  return new Map(
    notes.map(({ head: { uuid, seq } }) => {
      const behind = [...withAllBehind(stretches.get(uuid) ?? [], stretches)];
      return [uuid, behind.reduce((end, one) => Math.max(end, seqOf.get(one) ?? 0), 0) || seq];
    }),
  );
}

/** How an attempt ended; a failure is recorded by the code that made the attempt. */
export type DraftOutcome =
  | { readonly type: 'draft'; readonly draft: SummaryDraft }
  | { readonly type: 'failed' | 'aborted' | 'nothing' };

export type ThreadSummaryState = 'none' | 'running' | 'ready';

export class ThreadSummary {
  readonly #cache: CacheStore<SummaryDraft>;
  #running:
    | { readonly epoch: string; readonly abort: AbortController; readonly done: Promise<void> }
    | undefined;
  /** After an attempt that gave nothing: tokens below which its epoch gets no other. */
  #pause: { readonly epoch: string; readonly untilTokens: number } | undefined;

  constructor(cache: CacheStore<SummaryDraft>) {
    this.#cache = cache;
  }

  /** The draft for this epoch, if there is one. */
  get(epoch: string): SummaryDraft | undefined {
    return this.#cache.get(key(epoch));
  }

  /** Keeps a draft that was made otherwise, as a preview makes one. */
  set(draft: SummaryDraft): void {
    this.#cache.set(key(draft.epoch), draft, DRAFT_TTL_MS);
  }

  state(epoch: string): ThreadSummaryState {
    if (this.get(epoch) !== undefined) return 'ready';
    return this.#running?.epoch === epoch ? 'running' : 'none';
  }

  /** Whether an attempt was made in this epoch. */
  wasTried(epoch: string): boolean {
    return this.state(epoch) !== 'none' || this.#pause?.epoch === epoch;
  }

  /**
   * Starts an attempt unless one runs, a draft is there, or too little was said since the last attempt.
   * `write` must never reject. Returns at once.
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
      // A later epoch may have a pause of its own by now.
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

  /** Forgets the draft: it was used, or it turned out to be of no use. */
  drop(epoch: string, notBeforeTokens = 0): void {
    this.#cache.delete(key(epoch));
    this.#pause = { epoch, untilTokens: notBeforeTokens };
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.#running?.done;
  }

  /** Stops a running attempt without waiting for it. */
  stop(): void {
    this.#running?.abort.abort();
  }
}

/** A draft is good as long as its epoch lasts. */
const DRAFT_TTL_MS = Number.MAX_SAFE_INTEGER;

function key(epoch: string): string {
  return `draft ${epoch}`;
}
