/**
 * The history of one session in memory: entries that are only ever added to, which of them count, what the model sees
 * of them, and their rounds. It owns the list; the log on disk stays the truth, and its writer adds what was
 * written (SessionLog). It knows no disk, no model and no clock but the one it is given.
 */
import * as z from 'zod';
import { type JSONLEntry, parseEntry } from '../../protocol/entries.ts';
import { SUMMARY_HEADING } from '../compaction/summaryMessage.ts';
import { contentText } from '../facts/entryText.ts';
import { frozenCopy } from '../storage/frozen.ts';
import { reachesShare } from '../tokens/budgets.ts';
import { estimateMessagesTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import { type Atom, atomEntries, isPrompt } from './atoms.ts';
import { type Live, LiveLog } from './liveEntries.ts';
import { alwaysKept, retainRounds } from './rounds.ts';
import { LogView, type View } from './view.ts';

/** S3's options; a session's own figures come from its settings and its model. */
export interface HistoryOptions {
  /** Tokens of an entry; the same for the same entry each time. By default an estimate of its text. */
  readonly sizeOf?: (entry: JSONLEntry) => number;
  /** Of the model, in tokens. */
  readonly contextWindow?: number;
  /** Share of the window from which the history should be compressed. */
  readonly compressionThreshold?: number;
  /** Newest rounds that stay whole where they fit. */
  readonly minRetainRounds?: number;
  /** Tokens that stay verbatim at most; by default half of what sets a compression off. */
  readonly retainTokens?: number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** Plain data: what `load` takes. */
export interface HistoryDict {
  readonly version: 1;
  readonly entries: readonly JSONLEntry[];
}

export class HistoryManager {
  readonly #options: Required<HistoryOptions>;
  readonly #live = new LiveLog();
  readonly #view = new LogView();
  #entries: JSONLEntry[] = [];
  #snapshot: readonly JSONLEntry[] | undefined;
  /** Counted by the first who asks, and kept up to date from then on. */
  #tokens: number | undefined;

  constructor(options: HistoryOptions = {}) {
    const { contextWindow = 128_000, compressionThreshold = 0.8 } = options;
    this.#options = {
      sizeOf: estimatedSize,
      contextWindow,
      compressionThreshold,
      minRetainRounds: 10,
      retainTokens: Math.floor((contextWindow * compressionThreshold) / 2),
      clock: Date.now,
      ...options,
    };
  }

  /** Takes copies, so that they cannot be changed afterwards; a frozen entry is taken as it is. */
  append(...entries: readonly JSONLEntry[]): void {
    for (const entry of entries) {
      const own = frozenCopy(entry);
      this.#entries.push(own);
      if (this.#tokens !== undefined) this.#tokens += this.#options.sizeOf(own);
    }
    this.#snapshot = undefined;
  }

  /** Replaces all entries. */
  replace(entries: readonly JSONLEntry[]): void {
    this.#entries = entries.map(frozenCopy);
    this.#snapshot = undefined;
    this.#tokens = undefined;
  }

  clear(): void {
    this.replace([]);
  }

  /** All entries, oldest first; does not change afterwards. */
  entries(): readonly JSONLEntry[] {
    this.#snapshot ??= Object.freeze([...this.#entries]);
    return this.#snapshot;
  }

  newest(): JSONLEntry | undefined {
    return this.#entries.at(-1);
  }

  /** The same as a list of the caller's own; the entries in it cannot be changed. */
  getHistory(): JSONLEntry[] {
    return [...this.#entries];
  }

  /** Which entries count: what was undone has no effect, what was rewound is no part of the conversation. */
  live(): Live {
    return this.#live.of(this.entries());
  }

  /** What the model sees of them. */
  view(): View {
    return this.#view.of(this.entries());
  }

  toDict(): HistoryDict {
    return { version: 1, entries: this.getHistory() };
  }

  /**
   * Replaces all entries. Invalid entries are left out and counted; data that is no history changes nothing.
   */
  load(data: unknown): { readonly loaded: number; readonly skipped: number } | undefined {
    const dict = dictSchema.safeParse(data);
    if (!dict.success) return undefined;
    const entries = dict.data.entries.flatMap((one) => parseEntry(one) ?? []);
    this.replace(entries);
    return { loaded: entries.length, skipped: dict.data.entries.length - entries.length };
  }

  /** Rounds; what the user said starts one. */
  estimateRounds(): number {
    return this.findRoundBoundaries().length;
  }

  /** Index in `getHistory()` of each entry that starts a round. */
  findRoundBoundaries(): number[] {
    return this.#entries.flatMap((entry, index) => (isPrompt(entry) ? [index] : []));
  }

  /** Tokens of all entries. */
  countTokens(): number {
    this.#tokens ??= sizeOfAll(this.#entries, this.#options.sizeOf);
    return this.#tokens;
  }

  shouldCompress(): boolean {
    const { contextWindow, compressionThreshold } = this.#options;
    return reachesShare(this.countTokens(), contextWindow, compressionThreshold);
  }

  /**
   * Replaces what is older than the newest rounds by a summary; an earlier summary is folded into it. With
   * no more rounds than that, it acts only when the history is due, and then within the rounds. False when nothing
   * changed: nothing to leave out, or nothing gained by it.
   */
  compress(summary: string): boolean {
    const { sizeOf, minRetainRounds, retainTokens } = this.#options;
    if (this.estimateRounds() <= minRetainRounds && !this.shouldCompress()) return false;
    const { atoms } = this.view();
    const cut = retainRounds(atoms, {
      rounds: minRetainRounds,
      tokens: retainTokens,
      sizeOf: (atom) => sizeOfAll(atomEntries(atom), sizeOf),
    });
    const fixed = alwaysKept(atoms);
    const isKept = (atom: Atom, index: number): boolean => index >= cut || fixed.has(atom);
    const last = atoms.findLast((atom, index) => !isKept(atom, index))?.head;
    if (last === undefined) return false;
    const heads = this.#entries.filter(
      ({ subtype }) => subtype === 'session_start' || subtype === 'instructions',
    );
    const kept = atoms
      .filter(isKept)
      .flatMap(atomEntries)
      .filter(({ subtype }) => subtype !== 'instructions');
    const earlier = this.#entries.findLast(({ isCompactSummary }) => isCompactSummary === true);
    const compressed = [...heads, this.#summaryEntry(foldSummaries(summary, earlier), last, kept), ...kept];
    if (sizeOfAll(compressed, sizeOf) >= this.countTokens()) return false;
    this.replace(compressed);
    return true;
  }

  #summaryEntry(content: string, last: JSONLEntry, kept: readonly JSONLEntry[]): JSONLEntry {
    const { v, seq, uuid, sessionId, cwd, version } = last;
    const compressedAt = new Date(this.#options.clock()).toISOString();
    return {
      ...{ v, seq, uuid: `summary-${uuid}`, parentUuid: uuid, sessionId, cwd, version },
      timestamp: compressedAt,
      type: 'user',
      message: { role: 'user', content },
      isCompactSummary: true,
      compactMetadata: {
        trigger: 'auto',
        strategy: 'rounds',
        preTokens: this.countTokens(),
        retained: kept.map((entry) => entry.uuid),
      },
      data: { compressedAt },
    };
  }
}

const EARLIER_HEADING = '### The summary before this one';
/** Of earlier summaries: what was folded in again and again gets shorter at its old end. */
const MAX_EARLIER_CHARACTERS = 8000;

/** A summary that already holds the earlier one, because its writer read it, stays as it is. */
function foldSummaries(summary: string, earlier: JSONLEntry | undefined): string {
  const body = wellFormed(summary).trim();
  const content = earlier?.message.content;
  const old = typeof content === 'string' ? content.replace(SUMMARY_HEADING, '').trim() : '';
  if (old === '' || body.includes(old)) return `${SUMMARY_HEADING}\n\n${body}`;
  return `${SUMMARY_HEADING}\n\n${body}\n\n${EARLIER_HEADING}\n\n${headOf(old, MAX_EARLIER_CHARACTERS)}`;
}

function estimatedSize({ message, toolResult }: JSONLEntry): number {
  const output = toolResult?.output;
  const text = contentText(message.content) + (typeof output === 'string' ? output : '');
  return estimateMessagesTokens([{ content: text }]);
}

function sizeOfAll(entries: readonly JSONLEntry[], sizeOf: (entry: JSONLEntry) => number): number {
  return entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
}

const dictSchema = z.object({ version: z.literal(1), entries: z.array(z.unknown()) });
