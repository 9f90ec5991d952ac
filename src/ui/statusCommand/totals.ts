/** Sums over a session's entries that nobody else keeps. Of a large session those of its end, which is in memory. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { StatusInput } from './statusInput.ts';

export interface StatusTotals {
  /** Milliseconds since the epoch; absent before the first entry. */
  readonly startedAt?: number;
  /** Milliseconds spent in replies. */
  readonly apiMs: number;
  readonly added: number;
  readonly removed: number;
  readonly lastUsage?: StatusInput['context_window']['current_usage'];
}

export const noTotals: StatusTotals = { apiMs: 0, added: 0, removed: 0 };

export function addEntry(totals: StatusTotals, { timestamp, message, toolResult }: JSONLEntry): StatusTotals {
  const changes = toolResult?.filesChanged ?? [];
  const { usage } = message;
  const cached = usage?.cached_tokens ?? 0;
  return {
    startedAt: totals.startedAt ?? Date.parse(timestamp),
    apiMs: totals.apiMs + (message.durationMs ?? 0),
    added: changes.reduce((sum, { added = 0 }) => sum + added, totals.added),
    removed: changes.reduce((sum, { removed = 0 }) => sum + removed, totals.removed),
    ...(usage === undefined
      ? totals.lastUsage && { lastUsage: totals.lastUsage }
      : {
          lastUsage: {
            input_tokens: Math.max(0, usage.input_tokens - cached),
            output_tokens: usage.output_tokens,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: cached,
          },
        }),
  };
}
