/**
 * The port to a status line command: the JSON it reads from standard input, with the same names and shapes as in other
 * agents, and the result of a run.
 */
import type { AgentState } from '../../agent/types.ts';
import type { StatusInfo } from '../../commands/types.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

/** The result of a run. */
export type StatusLineOutput =
  | { readonly type: 'text'; readonly text: string }
  /** The reason, ready to show. */
  | { readonly type: 'failed'; readonly message: string };

/** The user's own status line: a command that reads facts and prints a few lines. */
export interface StatusLineCommand {
  /** Columns left blank on the left. */
  readonly padding: number;
  /** Milliseconds between runs even if nothing has changed; absent = runs only on changes. */
  readonly refreshMs?: number | undefined;
  /** Bounded in time and size; never rejects. */
  run(input: StatusLineInput): Promise<StatusLineOutput>;
}

/** The command's input, as JSON. */
export interface StatusLineInput {
  readonly hook_event_name: 'Status';
  readonly session_id: string;
  readonly session_name: string | null;
  readonly transcript_path: string | null;
  readonly cwd: string;
  readonly version: string;
  readonly model: { readonly id: string; readonly display_name: string };
  readonly workspace: {
    readonly current_dir: string;
    readonly project_dir: string;
    readonly added_dirs: readonly string[];
  };
  readonly cost: {
    /** Null if the price is unknown. */
    readonly total_cost_usd: number | null;
    readonly total_duration_ms: number;
    readonly total_api_duration_ms: number;
    readonly total_lines_added: number;
    readonly total_lines_removed: number;
  };
  readonly context_window: {
    readonly context_window_size: number;
    /** Null before the first measurement. */
    readonly used_percentage: number | null;
    readonly remaining_percentage: number | null;
    /** Usage of the last reply; null before the first. */
    readonly current_usage: {
      readonly input_tokens: number;
      readonly output_tokens: number;
      readonly cache_creation_input_tokens: number;
      readonly cache_read_input_tokens: number;
    } | null;
  };
  readonly permission_mode: string;
  readonly output_style: { readonly name: string };
}

export function statusLineInput(
  state: AgentState,
  info: Pick<StatusInfo, 'cwd' | 'version' | 'sessionFile'>,
  totals: StatusTotals,
  now: number,
): StatusLineInput {
  const { model, measure, usage } = state;
  const used = measure && Math.round((100 * measure.usedTokens) / Math.max(1, measure.windowTokens));
  return {
    hook_event_name: 'Status',
    session_id: state.sessionId,
    session_name: state.title ?? null,
    transcript_path: info.sessionFile ?? null,
    cwd: info.cwd,
    version: info.version,
    model: { id: model.id, display_name: model.id },
    workspace: { current_dir: info.cwd, project_dir: state.root, added_dirs: [] },
    cost: {
      total_cost_usd: usage.costUsd ?? null,
      total_duration_ms: totals.startedAt === undefined ? 0 : Math.max(0, now - totals.startedAt),
      total_api_duration_ms: totals.apiMs,
      total_lines_added: totals.added,
      total_lines_removed: totals.removed,
    },
    context_window: {
      context_window_size: measure?.windowTokens ?? model.windowTokens,
      used_percentage: used ?? null,
      remaining_percentage: used === undefined ? null : Math.max(0, 100 - used),
      current_usage: totals.lastUsage ?? null,
    },
    permission_mode: state.mode,
    output_style: { name: 'default' },
  };
}

/** Sums over a session's entries, needed only here. For a large session they cover only its end, which is in memory. */
interface StatusTotals {
  /** Milliseconds since the epoch; absent before the first entry. */
  readonly startedAt?: number;
  /** Milliseconds spent waiting for replies. */
  readonly apiMs: number;
  readonly added: number;
  readonly removed: number;
  readonly lastUsage?: StatusLineInput['context_window']['current_usage'];
}

export const noTotals: StatusTotals = { apiMs: 0, added: 0, removed: 0 };

export function addEntry(totals: StatusTotals, { timestamp, message, toolResult }: JSONLEntry): StatusTotals {
  const changes = toolResult?.filesChanged ?? [];
  const { usage } = message;
  const { cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage ?? {};
  return {
    startedAt: totals.startedAt ?? Date.parse(timestamp),
    apiMs: totals.apiMs + (message.durationMs ?? 0),
    added: changes.reduce((sum, { added = 0 }) => sum + added, totals.added),
    removed: changes.reduce((sum, { removed = 0 }) => sum + removed, totals.removed),
    ...(usage === undefined || usage.estimated === true
      ? totals.lastUsage && { lastUsage: totals.lastUsage }
      : {
          lastUsage: {
            input_tokens: Math.max(0, usage.input_tokens - cached - written),
            output_tokens: usage.output_tokens,
            cache_creation_input_tokens: written,
            cache_read_input_tokens: cached,
          },
        }),
  };
}
