/** Decides where a provider with explicit prompt caching is told to cache. Pure. */
import type { ModelRequest } from '../../../protocol/model.ts';

/**
 * Indices of the messages after which the prompt is cached, besides tools and system prompt; at most three, ascending:
 *
 * - the end of the part that only a compaction changes, so that a rewind or a shortened result costs no more;
 * - the end of the previous request, since a cache is only searched for some twenty blocks back;
 * - the end of this request, for the next one.
 */
export function cacheBreakpoints({ messages, stableMessages = 0 }: ModelRequest): readonly number[] {
  const last = messages.length - 1;
  const reply = messages.findLastIndex(({ role }) => role === 'assistant');
  const wanted = [stableMessages - 1, reply - 1, last];
  return [...new Set(wanted)].filter((at) => at >= 0 && messages[at]?.role !== 'system');
}
