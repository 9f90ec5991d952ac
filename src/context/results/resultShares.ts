/**
 * What the results of one reply may take together. A reply may ask for a thousand things at once: each result
 * gets an equal part of what those before it left. Derived from the log alone.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import type { AdmissionLimits } from './admit.ts';

/** The limits of the next result of the newest reply; `single` are those of a result that comes alone. */
export class ResultShares {
  /** What a recorded result takes; entries never change. */
  readonly #sizes = new WeakMap<JSONLEntry, Size>();

  limitsOfNext(
    entries: readonly JSONLEntry[],
    single: AdmissionLimits,
    windowTokens: number,
  ): AdmissionLimits {
    const { calls, results } = newestReply(entries);
    if (calls <= 1) return single;
    let bytes = windowTokens * BYTES_PER_WINDOW_TOKEN;
    let tokens = windowTokens * SHARE_OF_WINDOW;
    for (const result of results) {
      const size = this.#sizeOf(result);
      bytes -= size.bytes;
      tokens -= size.tokens;
    }
    const left = Math.max(1, calls - results.length);
    return {
      maxLines: single.maxLines,
      maxBytes: Math.min(single.maxBytes, Math.max(LEAST_BYTES, Math.floor(bytes / left))),
      maxTokens: Math.min(single.maxTokens ?? tokens, Math.max(LEAST_TOKENS, Math.floor(tokens / left))),
      isSpent: bytes < LEAST_BYTES || tokens < LEAST_TOKENS,
    };
  }

  #sizeOf(result: JSONLEntry): Size {
    const known = this.#sizes.get(result);
    if (known !== undefined) return known;
    const { output } = result.toolResult ?? {};
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
    const size = { bytes: Buffer.byteLength(text), tokens: estimateTokens(text, HIGH) };
    this.#sizes.set(result, size);
    return size;
  }
}

interface Size {
  readonly bytes: number;
  readonly tokens: number;
}

/** A quarter of the window for all results of a reply; as most text goes, that many tokens are this many bytes. */
const SHARE_OF_WINDOW = 0.25;
const BYTES_PER_WINDOW_TOKEN = 1;
/** A part smaller than this says nothing. */
const LEAST_BYTES = 500;
const LEAST_TOKENS = 150;

/** How many calls the newest reply has, and the results that they have so far. */
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
    // Before the calls of a reply whose own line is lost lie those of another.
    else if (entry.type === 'tool_result' && calls > 0) break;
    else if (entry.type === 'tool_result') results.push(entry);
  }
  return { calls, results };
}
