/**
 * One session's history in memory: an append-only list of entries, which of them are in effect, the model's view of
 * them, and their rounds. The log on disk is the source of truth; its writer (SessionLog) adds entries, then writes them.
 * Does not access disk or model; the clock is injected.
 */
import * as z from 'zod';
import { type JSONLEntry, parseEntry } from '../../protocol/entries.ts';
import { contentText } from '../../protocol/messages.ts';
import { SUMMARY_HEADING } from '../compaction/summaryMessage.ts';
import { frozenCopy } from '../storage/newEntries.ts';
import { reachesShare } from '../tokens/budgets.ts';
import { estimateMessagesTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import { type Atom, atomEntries, isPrompt } from './atoms.ts';
import { type Live, LiveLog } from './liveEntries.ts';
import { alwaysKept, retainRounds } from './rounds.ts';
import { LogView, type View } from './view.ts';

/** Options; a session takes the figures from its settings and its model. */
interface HistoryOptions {
  /** Tokens of an entry; must be constant for an entry. By default an estimate of its text. */
  readonly sizeOf?: (entry: JSONLEntry) => number;
  /** Context window of the model, in tokens. */
  readonly contextWindow?: number;
  /** Share of the window at which the history should be compressed. */
  readonly compressionThreshold?: number;
  /** Newest rounds to keep in full if they fit. */
  readonly minRetainRounds?: number;
  /** Maximum tokens that stay verbatim; by default half of the compression threshold. */
  readonly retainTokens?: number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** Plain data for `load`. */
interface HistoryDict {
  readonly version: 1;
  readonly entries: readonly JSONLEntry[];
}

export class HistoryManager {
  readonly #options: Required<HistoryOptions>;
  readonly #live = new LiveLog();
  readonly #view = new LogView();
  #entries: JSONLEntry[] = [];
  #snapshot: readonly JSONLEntry[] | undefined;
  /** Computed on first use and then kept up to date. */
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

  /** Adds frozen copies of the entries; an entry that is already frozen is not copied. */
  append(...entries: readonly JSONLEntry[]): void {
    for (const entry of entries) {
      const own = frozenCopy(entry);
      this.#entries.push(own);
      if (this.#tokens !== undefined) this.#tokens += this.#options.sizeOf(own);
    }
    this.#snapshot = undefined;
  }

  replace(entries: readonly JSONLEntry[]): void {
    this.#entries = entries.map(frozenCopy);
    this.#snapshot = undefined;
    this.#tokens = undefined;
  }

  clear(): void {
    this.replace([]);
  }

  /** All entries, oldest first, as an immutable snapshot. */
  entries(): readonly JSONLEntry[] {
    this.#snapshot ??= Object.freeze([...this.#entries]);
    return this.#snapshot;
  }

  newest(): JSONLEntry | undefined {
    return this.#entries.at(-1);
  }

  /** The entries as a new array that the caller may change; the entries themselves are frozen. */
  getHistory(): JSONLEntry[] {
    return [...this.#entries];
  }

  /** Entries that are in effect: undone entries have no effect, and rewound ones are not in the conversation. */
  live(): Live {
    return this.#live.of(this.entries());
  }

  /** The model's view of the entries. */
  view(): View {
    return this.#view.of(this.entries());
  }

  toDict(): HistoryDict {
    return { version: 1, entries: this.getHistory() };
  }

  /**
   * Replaces all entries. Skips and counts invalid entries; returns undefined and changes nothing if the data is not a
   * history.
   */
  load(data: unknown): { readonly loaded: number; readonly skipped: number } | undefined {
    const dict = dictSchema.safeParse(data);
    if (!dict.success) return undefined;
    const entries = dict.data.entries.flatMap((one) => parseEntry(one) ?? []);
    this.replace(entries);
    return { loaded: entries.length, skipped: dict.data.entries.length - entries.length };
  }

  /** Number of rounds; each prompt starts one. */
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
   * Replaces everything older than the newest rounds with a summary, which includes an earlier summary. If there are no
   * older rounds, compresses only if the history has reached its threshold, and then within the rounds. Returns false
   * if nothing changed because nothing could be left out or gained.
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
/** Maximum characters of earlier summaries: repeated folding drops their oldest text. */
const MAX_EARLIER_CHARACTERS = 8000;

/** Appends the earlier summary unless the new one already contains it. */
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
