/** The sliding window: the newest rounds, within a budget, with large tool results cut. Pure. */

import { type Atom, atomEntries, isPrompt } from './atoms.ts';
import { alwaysKept, tailStart } from './rounds.ts';

/** An atom as the window sees it. */
interface WindowItem {
  /** Uuid of the atom's head. */
  readonly id: string;
  /** Seq of the atom's first entry; `lastSeq` is that of its last, the same if it has only one. */
  readonly seq: number;
  readonly lastSeq: number;
  /** True for a prompt, which starts a round. */
  readonly isPrompt: boolean;
  readonly hasCalls: boolean;
  /** True if it stays whatever round it is in. */
  readonly isPinned: boolean;
  /** Calibrated tokens of the whole atom with its results. */
  readonly tokens: number;
  /** Its tool results, the only part that may be cut; their tokens are included in those of the atom. */
  readonly results: readonly ToolPart[];
}

interface ToolPart {
  /** Uuid of the result's entry. */
  readonly uuid: string;
  readonly tokens: number;
}

interface SlidingWindowConfig {
  readonly rounds: number;
  /** Maximum tokens of one tool result; user messages are never cut. */
  readonly maxMessageTokens: number;
  readonly messagesBudget: number;
}

export interface WindowResult {
  /** Ids in the order of the conversation. */
  readonly included: readonly string[];
  /** Results to cut, and the tokens that each may keep. */
  readonly clips: readonly ToolPart[];
  /** Tokens of the included items after the cuts. Exceeds the budget only if the required items do. */
  readonly totalTokens: number;
  /** Number of results that are cut. */
  readonly truncatedCount: number;
  /** Items from `startSeq` on that are left out; items that a summary covers are not counted. */
  readonly excludedCount: number;
  /** Highest seq of the included entries; undefined if there are none. */
  readonly lastIncludedSeq: number | undefined;
}

/** Minimum tokens that a tool result is counted as, and that it keeps when it is cut. */
const TOOL_PART_TOKENS = 50;

export class SlidingWindow {
  readonly #config: SlidingWindowConfig;

  constructor(config: SlidingWindowConfig) {
    this.#config = config;
  }

  /**
   * Chooses among the items that begin at or after `startSeq`. The newest prompt, the newest item, the newest item with
   * calls and pinned items always stay, with their results cut to fit the budget; the other items, newest first, share
   * the rest.
   */
  applyWindow(
    items: readonly WindowItem[],
    startSeq = 0,
    budget: number = this.#config.messagesBudget,
  ): WindowResult {
    const eligible = items.filter(({ seq }) => seq >= startSeq);
    const window = newestRounds(eligible, this.#config.rounds);
    const required = requiredOf(window);
    const limit = this.#config.maxMessageTokens;
    const tight = tightLimit([...required], limit, budget);
    const limitFor = (item: WindowItem): number => (required.has(item) ? tight : limit);
    const sizeOf = (item: WindowItem): number => sizeWithin(item, limitFor(item));
    const reserved = sum([...required], sizeOf);
    const start = tailStart(window, {
      tokens: budget - reserved,
      sizeOf: (item) => (required.has(item) ? 0 : sizeOf(item)),
      isRequired: (item) => required.has(item),
    });
    // The newest item is required and costs nothing in `tailStart`, so the tail fits into what the budget leaves.
    const included = window.filter((item, index) => index >= start || required.has(item));
    const clips = included.flatMap((item) => clipsOf(item, limitFor(item)));
    return {
      included: included.map(({ id }) => id),
      clips,
      totalTokens: sum(included, sizeOf),
      truncatedCount: clips.length,
      excludedCount: eligible.length - included.length,
      lastIncludedSeq: included.reduce<number | undefined>(
        (highest, { lastSeq }) => (highest === undefined ? lastSeq : Math.max(highest, lastSeq)),
        undefined,
      ),
    };
  }
}

function newestRounds(items: readonly WindowItem[], rounds: number): readonly WindowItem[] {
  const starts = items.flatMap(({ isPrompt }, index) => (isPrompt ? [index] : []));
  // With fewer rounds than requested, keep all of them and everything before the first.
  const first = starts.length <= rounds ? 0 : (starts.at(-rounds) ?? 0);
  return items.filter(({ isPinned }, index) => index >= first || isPinned);
}

function requiredOf(window: readonly WindowItem[]): ReadonlySet<WindowItem> {
  const newest = [
    window.findLast(({ isPrompt }) => isPrompt),
    window.findLast(({ hasCalls }) => hasCalls),
    window.at(-1),
  ];
  return new Set([...window.filter(({ isPinned }) => isPinned), ...newest.flatMap((item) => item ?? [])]);
}

/** Tokens of an item with its results cut to `limit`; each result counts at least TOOL_PART_TOKENS. */
function sizeWithin({ tokens, results }: WindowItem, limit: number): number {
  const own = tokens - sum(results, (result) => result.tokens);
  return own + sum(results, (result) => partTokens(result, limit));
}

function partTokens({ tokens }: ToolPart, limit: number): number {
  return Math.max(TOOL_PART_TOKENS, Math.min(tokens, limit));
}

/** The limit at which the required items fit into the budget, if there is one. */
function tightLimit(required: readonly WindowItem[], limit: number, budget: number): number {
  const parts = required.flatMap(({ results }) => results).map((result) => partTokens(result, limit));
  const own = sum(required, (item) => sizeWithin(item, limit)) - parts.reduce((total, one) => total + one, 0);
  return Math.min(limit, Math.max(TOOL_PART_TOKENS, fairShare(parts, budget - own)));
}

/** The largest limit at which all sizes, cut to it, fit into `room` together; infinite if all fit uncut. */
export function fairShare(sizes: readonly number[], room: number): number {
  const sorted = [...sizes].sort((a, b) => a - b);
  let left = room;
  for (const [index, size] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

function clipsOf({ results }: WindowItem, limit: number): ToolPart[] {
  return results.filter(({ tokens }) => tokens > limit).map(({ uuid }) => ({ uuid, tokens: limit }));
}

function sum<T>(items: readonly T[], sizeOf: (item: T) => number): number {
  return items.reduce((total, item) => total + sizeOf(item), 0);
}

// Converts atoms to items of the sliding window.

export interface WindowFacts {
  /** Calibrated tokens of an atom as it is sent, and (`sizeOfResult`) of its `index`-th result. */
  readonly sizeOf: (atom: Atom) => number;
  readonly sizeOfResult: (atom: Atom, index: number) => number;
  /** True for atoms that the user pinned, in addition to those that are always kept. */
  readonly isPinned?: (atom: Atom) => boolean;
}

/** One item per atom, in order. */
export function windowItems(
  atoms: readonly Atom[],
  { sizeOf, sizeOfResult, isPinned = () => false }: WindowFacts,
): WindowItem[] {
  const kept = alwaysKept(atoms);
  return atoms.map((atom) => ({
    id: atom.head.uuid,
    seq: atom.head.seq,
    lastSeq: atomEntries(atom).reduce((highest, { seq }) => Math.max(highest, seq), atom.head.seq),
    isPrompt: isPrompt(atom.head),
    hasCalls: atom.calls.length > 0,
    isPinned: kept.has(atom) || isPinned(atom),
    tokens: sizeOf(atom),
    results: atom.calls.flatMap(({ result }, index) =>
      result === undefined ? [] : [{ uuid: result.uuid, tokens: sizeOfResult(atom, index) }],
    ),
  }));
}
