/** Whether the window is so full that something has to be done. Asked before every request. */
import { grouped } from '../../protocol/text/numbers.ts';

/** Utilization from which the user is warned. */
const WARNING_AT = 0.75;

export interface CheckInput {
  readonly currentTokens: number;
  /** Of the model that the next request goes to, as of now: it may have changed since the last one. */
  readonly maxTokens: number;
  /** False when compression is off or no strategy is there; it is measured and warned about all the same. */
  readonly isEnabled: boolean;
  /** Share of the window from which messages are removed: `context.removal.at`, and never below the trigger. */
  readonly at: number;
  /** True where a summary makes room before messages have to be removed. */
  readonly isCompacted?: boolean;
  /** `context.removal.checkIntervalMs`: how often the statistics are renewed. Never holds up a decision. */
  readonly checkIntervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** When the statistics were last made; absent before the first time. */
  readonly lastStatisticsAt?: number;
}

export interface CheckResult {
  /** Tokens over window; 1 where the window is none. */
  readonly utilization: number;
  readonly level: 'ok' | 'warning' | 'full';
  readonly shouldCompress: boolean;
  readonly isStatisticsDue: boolean;
  /** For the reader, from `warning` on. */
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
    // Where a summary is written in time, the user has nothing to do.
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
  if (!isEnabled) return `${share} and nothing makes room automatically: run /compact.`;
  return level === 'full' ? `${share}; room is made before the next request.` : `${share}.`;
}
