/** Assigns a priority to each message: the first of eight rules that applies decides. */

import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText } from '../../protocol/messages.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { alwaysKept } from '../history/rounds.ts';
import { estimateTokensCached } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';
import type { MessagePriority, RankedItem, StrategyItem } from './types.ts';

/** Messages with more tokens of text count as long. */
const LONG_TOKENS = 800;
/** Messages with fewer tokens of text count as short. */
const SHORT_TOKENS = 20;
/** Number of messages that count as the beginning and as the end of the conversation. */
export const EDGE_MESSAGES = 2;

/** Number of removable messages that count as the beginning and as the end. */
interface Edges {
  readonly start: number;
  readonly end: number;
}

/**
 * Ranks every item and keeps their order. Explicit priorities are kept; all others are computed again each time, since
 * a message at the end will later be in the middle.
 */
export function assignMessagePriorities(
  items: readonly StrategyItem[],
  edges: Edges = { start: EDGE_MESSAGES, end: EDGE_MESSAGES },
): RankedItem[] {
  const atEdge = edgeIds(items, edges);
  return items.map((item) => ({ ...item, priority: priorityOf(item, atEdge.has(item.id)) }));
}

/** Applies the eight rules in order. */
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

/** True if a text contains a question mark, Latin or full-width. */
function hasQuestionMark(text: string): boolean {
  return /[?？]/.test(text);
}

/** Order in which items are removed, lowest first. */
export const rankOf: Readonly<Record<MessagePriority, number>> = { LOW: 0, NORMAL: 1, HIGH: 2, CRITICAL: 3 };

/** False for items that no strategy may remove: the system prompt, pinned items and critical ones. */
export function isRemovable(item: StrategyItem): boolean {
  return item.role !== 'system' && !item.isPinned && item.priority !== 'CRITICAL';
}

/** Ids at both ends of the removable items; the ends may overlap. */
export function edgeIds(items: readonly StrategyItem[], { start, end }: Edges): ReadonlySet<string> {
  const ids = items.filter(isRemovable).map(({ id }) => id);
  return new Set([...ids.slice(0, start), ...ids.slice(Math.max(0, ids.length - end))]);
}

// Converts atoms to items for the strategies.

interface ItemFacts {
  /** Calibrated tokens of the whole atom as it is sent. */
  readonly sizeOf: (atom: Atom) => number;
  /** True for atoms that the user or the program pinned, in addition to those that are always kept. */
  readonly isPinned?: (atom: Atom) => boolean;
  /** True for results that are masked. They do not count as tool output, so they are removed early. */
  readonly isMasked?: (result: JSONLEntry) => boolean;
}

/**
 * One item per atom, in order. Always pinned: instructions, the newest prompt, the latest mode and environment notes,
 * and running calls. Prompts rank high whatever their length: "don't touch the database" is short and asks nothing, so
 * by the rules alone it would be removed first.
 */
export function strategyItems(
  atoms: readonly Atom[],
  { sizeOf, isPinned = () => false, isMasked = () => false }: ItemFacts,
): StrategyItem[] {
  const kept = alwaysKept(atoms);
  return atoms.map((atom) => {
    const { head, calls } = atom;
    const text = contentText(head.message.content);
    return {
      id: head.uuid,
      role: atom.kind === 'reply' ? 'assistant' : 'user',
      tokens: sizeOf(atom),
      // Far beyond the length that counts as long, the beginning is enough.
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
