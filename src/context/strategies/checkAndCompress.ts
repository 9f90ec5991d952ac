/** Checks before every request whether the window is so full that room has to be made; ContextReducer then makes it. */
import { grouped } from '../../protocol/text/numbers.ts';

/** Utilization from which the user is warned. */
const WARNING_AT = 0.75;

interface CheckInput {
  readonly currentTokens: number;
  /** Context window of the model for the next request; may have changed since the last one. */
  readonly maxTokens: number;
  /** False if automatic reduction is off or no strategy is set; the utilization is still measured and warned about. */
  readonly isEnabled: boolean;
  /** Share of the window from which messages are removed: `context.removal.at`, but never below the trigger. */
  readonly at: number;
  /** True if a summary makes room before messages have to be removed. */
  readonly isCompacted?: boolean;
  /** `context.removal.checkIntervalMs`: minimum time between two updates of the statistics. Never delays a decision. */
  readonly checkIntervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Time of the last update of the statistics; absent before the first. */
  readonly lastStatisticsAt?: number;
}

export interface CheckResult {
  /** Tokens divided by the window; 1 if the window is 0. */
  readonly utilization: number;
  readonly level: 'ok' | 'warning' | 'full';
  readonly shouldCompress: boolean;
  readonly isStatisticsDue: boolean;
  /** Message for the user, from level `warning` on. */
  readonly warning?: string;
}

export function checkAndCompress(input: CheckInput): CheckResult {
  const { currentTokens, maxTokens, at, isEnabled, now, lastStatisticsAt } = input;
  const utilization = maxTokens > 0 ? currentTokens / maxTokens : 1;
  const isFull = utilization >= at;
  const level = isFull ? 'full' : utilization >= Math.min(WARNING_AT, at) ? 'warning' : 'ok';
  const elapsed = lastStatisticsAt === undefined ? Number.POSITIVE_INFINITY : now - lastStatisticsAt;
  return {
    utilization,
    level,
    shouldCompress: isEnabled && isFull,
    // A clock that was set back must not stop the statistics.
    isStatisticsDue: elapsed < 0 || elapsed >= input.checkIntervalMs,
    // If a summary makes room in time, the user need not act.
    ...(level === 'ok' || (level === 'warning' && isEnabled && input.isCompacted === true)
      ? {}
      : { warning: warningOf(input, { utilization, level }) }),
  };
}

function warningOf(
  { currentTokens, maxTokens, isEnabled }: CheckInput,
  { utilization, level }: Pick<CheckResult, 'utilization' | 'level'>,
): string {
  const share =
    currentTokens > maxTokens
      ? `The context has outgrown the window (about ${grouped(currentTokens)} of ${grouped(maxTokens)} tokens)`
      : `The context is ${Math.round(utilization * 100)} % full`;
  if (!isEnabled) return `${share} and automatic compaction is off: run /compact.`;
  return level === 'full' ? `${share}; it will be reduced before the next request.` : `${share}.`;
}
