/** From atoms to the items that strategies judge. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { alwaysKept } from '../history/alwaysKept.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { estimateTokensCached } from '../tokens/estimateCached.ts';
import { headOf } from '../tokens/wellFormed.ts';
import { hasQuestionMark, LONG_TOKENS } from './priorities.ts';
import type { StrategyItem } from './types.ts';

export interface ItemFacts {
  /** Tokens of the whole atom as it is sent, calibrated. */
  readonly sizeOf: (atom: Atom) => number;
  /** What the user or the program holds on to, besides what is always kept. */
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
