/**
 * The token budget shared by the results of one reply, first come, first served: a result may use the full limit of a
 * single one while budget is left, but a useful minimum is reserved for each call still to come. Derived from the log
 * alone.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { type AdmissionLimits, POINTER_TOKENS } from './admit.ts';

export class ResultShares {
  /** Tokens of recorded results; entries never change. */
  readonly #tokens = new WeakMap<JSONLEntry, number>();

  /**
   * Limits of the next result of the newest reply. `single` are the limits of a reply with one call; `windowTokens` is
   * the context window.
   */
  limitsOfNext(
    entries: readonly JSONLEntry[],
    single: AdmissionLimits,
    windowTokens: number,
  ): AdmissionLimits {
    const { calls, results } = newestReply(entries);
    if (calls <= 1) return single;
    const used = results.reduce((sum, result) => sum + this.#tokensOf(result), 0);
    const budget = windowTokens * SHARE_OF_RESULTS;
    const left = budget - used;
    const later = Math.max(0, calls - results.length - 1);
    const firstCome = left - later * USEFUL_TOKENS;
    const equalShare = left / (later + 1);
    const maxTokens = Math.max(LEAST_TOKENS, Math.floor(Math.max(firstCome, equalShare)));
    return {
      maxLines: single.maxLines,
      maxBytes: single.maxBytes,
      maxTokens: Math.min(single.maxTokens ?? maxTokens, maxTokens),
      isSpent: left - Math.min(later * POINTER_TOKENS, MOST_FOR_POINTERS * budget) < LEAST_TOKENS,
    };
  }

  #tokensOf(result: JSONLEntry): number {
    const known = this.#tokens.get(result);
    if (known !== undefined) return known;
    const { output } = result.toolResult ?? {};
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
    const tokens = estimateTokens(text, HIGH);
    this.#tokens.set(result, tokens);
    return tokens;
  }
}

/**
 * A quarter of the window. `HIGH` overestimates source code and prose by 10 to 30 % (`npm run bench:tokens`), so by its
 * count a quarter is 0.3: four results of 45 kB of code fit a window of 200,000 tokens.
 */
const SHARE_OF_RESULTS = 0.3;
/** Tokens reserved for each call still to come: about 80 lines of code, or 3 kB. */
const USEFUL_TOKENS = 1000;
/** A shorter result is less useful than a pointer to the full output. */
const LEAST_TOKENS = 150;
/** Maximum share of the budget for pointers: with hundreds of calls in a small window, some is left for content. */
const MOST_FOR_POINTERS = 0.75;

/** Number of calls in the newest reply, and their results so far. */
function newestReply(entries: readonly JSONLEntry[]): {
  readonly calls: number;
  readonly results: readonly JSONLEntry[];
} {
  const results: JSONLEntry[] = [];
  let calls = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || entry.type === 'assistant') break;
    if (entry.type === 'tool_use') calls += 1;
    // The line of this reply is lost: the results before its calls belong to another reply.
    else if (entry.type === 'tool_result' && calls > 0) break;
    else if (entry.type === 'tool_result') results.push(entry);
  }
  return { calls, results };
}
