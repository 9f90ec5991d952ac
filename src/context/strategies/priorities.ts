/** How much each message matters: eight rules, the first that applies decides. */

import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { alwaysKept } from '../history/rounds.ts';
import { estimateTokensCached } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';
import type { MessagePriority, RankedItem, StrategyItem } from './types.ts';

/** Tokens of text above which a message counts as long. */
const LONG_TOKENS = 800;
/** Tokens of text below which a message counts as short. */
const SHORT_TOKENS = 20;
/** Messages at either end that count as the beginning and the end: what was asked first, what was said last. */
export const EDGE_MESSAGES = 2;

/** How many removable messages count as the beginning and as the end. */
export interface Edges {
  readonly start: number;
  readonly end: number;
}

/**
 * Ranks every item, in its order. An explicit priority is kept; all others are derived again each time, since
 * what was at the end yesterday is in the middle today.
 */
export function assignMessagePriorities(
  items: readonly StrategyItem[],
  edges: Edges = { start: EDGE_MESSAGES, end: EDGE_MESSAGES },
): RankedItem[] {
  const atEdge = edgeIds(items, edges);
  return items.map((item) => ({ ...item, priority: priorityOf(item, atEdge.has(item.id)) }));
}

/** The eight rules in their order. */
function priorityOf(item: StrategyItem, isAtEdge: boolean): MessagePriority {
  if (item.priority !== undefined) return item.priority;
  if (item.role === 'system') return 'CRITICAL';
  if (item.role === 'tool' || item.hasResults) return 'HIGH';
  if (isAtEdge) return 'HIGH';
  if (item.textTokens > LONG_TOKENS) return 'HIGH';
  if (item.textTokens < SHORT_TOKENS && !item.hasQuestion) return 'LOW';
  if (item.hasCalls) return 'HIGH';
  return 'NORMAL';
}

/** Whether a text asks something, in Latin or in full-width punctuation. */
export function hasQuestionMark(text: string): boolean {
  return /[?？]/.test(text);
}

/** Position in the order in which things go. */
export const rankOf: Readonly<Record<MessagePriority, number>> = { LOW: 0, NORMAL: 1, HIGH: 2, CRITICAL: 3 };

/** False for what no strategy may take: the system prompt, what is pinned, what is marked as critical. */
export function isRemovable(item: StrategyItem): boolean {
  return item.role !== 'system' && !item.isPinned && item.priority !== 'CRITICAL';
}

/** The ids at both ends of what can be removed; ends that meet cover everything. */
export function edgeIds(items: readonly StrategyItem[], { start, end }: Edges): ReadonlySet<string> {
  const ids = items.filter(isRemovable).map(({ id }) => id);
  return new Set([...ids.slice(0, start), ...ids.slice(Math.max(0, ids.length - end))]);
}

// From atoms to the items that strategies judge.

export interface ItemFacts {
  /** Tokens of the whole atom as it is sent, calibrated. */
  readonly sizeOf: (atom: Atom) => number;
  /** What the user or the program pinned, in addition to what is always kept. */
  readonly isPinned?: (atom: Atom) => boolean;
  /** True for results of which only a pointer is sent. They count as no tool output, so they go early. */
  readonly isMasked?: (result: JSONLEntry) => boolean;
}

/**
 * One item per atom, in order. Always pinned: instructions, the newest prompt, the latest word on mode and
 * environment, and calls that are still running. What the user typed ranks high whatever its length, since
 * "don't touch the database" is short and asks nothing; the rules alone would let it go first.
 */
export function strategyItems(
  atoms: readonly Atom[],
  { sizeOf, isPinned = () => false, isMasked = () => false }: ItemFacts,
): StrategyItem[] {
  const kept = alwaysKept(atoms);
  return atoms.map((atom) => {
    const { head, calls } = atom;
    const text = textOf(head);
    return {
      id: head.uuid,
      role: atom.kind === 'reply' ? 'assistant' : 'user',
      tokens: sizeOf(atom),
      // Of a text far longer than what counts as long, the beginning tells enough.
      textTokens: estimateTokensCached(headOf(text, LONG_TOKENS * 10)),
      timestamp: Date.parse(head.timestamp) || 0,
      hasQuestion: hasQuestionMark(text),
      hasCalls: calls.length > 0,
      hasResults: calls.some(({ result }) => result !== undefined && !isMasked(result)),
      isPinned: kept.has(atom) || isPinned(atom),
      ...(isPrompt(head) ? { priority: 'HIGH' } : {}),
    };
  });
}

function textOf({ message: { content } }: JSONLEntry): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map(textOfPart).join('\n');
}

function textOfPart(part: unknown): string {
  if (typeof part !== 'object' || part === null || !('text' in part)) return '';
  return typeof part.text === 'string' ? part.text : '';
}
