/** Announces unfinished work when it starts: calls, retries, compactions, queued prompts. Pure. */

import { toolNames } from '../../protocol/toolNames.ts';
import { activityOf, type View } from '../controller/view.ts';
import { sanitizeLine, shownLine } from '../print/sanitize.ts';
import { callLabel } from '../print/toolLine.ts';

/** The previous announcements. */
interface Announced {
  readonly tools: ReadonlySet<string>;
  readonly retry: string | undefined;
  readonly isCompacting: boolean;
  readonly queued: number;
  readonly isBusy: boolean;
  readonly finished: number;
  /**
   * Time of the last announcement, in milliseconds since the epoch, and how long to wait before announcing again that
   * work is still running.
   */
  readonly announcedAt: number;
  readonly patienceMs: number;
}

/** Milliseconds of silence before the first such announcement; doubled each time. */
const PATIENCE_MS = 15_000;
const LONGEST_PATIENCE_MS = 240_000;

export const noAnnouncements: Announced = {
  tools: new Set(),
  retry: undefined,
  isCompacting: false,
  queued: 0,
  isBusy: false,
  finished: 0,
  announcedAt: 0,
  patienceMs: PATIENCE_MS,
};

/** Returns one line for each change in the view. */
export function announce(
  before: Announced,
  view: View,
  now: number,
): { readonly announced: Announced; readonly lines: readonly string[] } {
  const retry = view.retry && `${view.retry.attempt} ${view.retry.until}`;
  const lines = [
    ...view.tools
      .filter(({ callId }) => !before.tools.has(callId))
      .map(({ tool, title }) => `Running ${named(tool, title)}`),
    ...(view.retry !== undefined && retry !== before.retry ? [retryWords(view.retry, now)] : []),
    ...(view.compacting !== undefined && !before.isCompacting ? [`${activityOf(view)}.`] : []),
    // A prompt that starts a turn also passes through the queue; only prompts that have to wait are announced.
    ...(before.isBusy && view.queue.length > before.queued
      ? view.queue
          .slice(before.queued)
          .map(({ text, display }) => `Queued, sent with the next step: ${shownLine(display ?? text)}`)
      : []),
    ...(view.finished > before.finished && !view.busy && view.questions.length === 0 ? ['Ready.'] : []),
  ];
  const isSilent = lines.length === 0 && view.busy && view.questions.length === 0 && before.isBusy;
  const isDue = isSilent && now - before.announcedAt >= before.patienceMs;
  const announced: Announced = {
    tools: new Set(view.tools.map(({ callId }) => callId)),
    retry,
    isCompacting: view.compacting !== undefined,
    queued: view.queue.length,
    isBusy: view.busy,
    // The end of work during a question is announced once the question is answered.
    finished: view.questions.length === 0 ? view.finished : before.finished,
    announcedAt: isSilent && !isDue ? before.announcedAt : now,
    patienceMs: isDue
      ? Math.min(LONGEST_PATIENCE_MS, before.patienceMs * 2)
      : isSilent
        ? before.patienceMs
        : PATIENCE_MS,
  };
  return { announced, lines: isDue ? [stillWords(view, now)] : lines };
}

/** Returns text such as "Bash: npm test". */
function named(tool: string, title: string): string {
  const shown = callLabel(tool, title);
  const clean = shownLine(shown.title, shown.tool === toolNames.bash);
  const name = shownLine(shown.tool).replace(' · ', ' ');
  return clean === '' || clean === tool ? name : `${name}: ${clean}`;
}

function retryWords({ error, attempt, maxAttempts, until }: NonNullable<View['retry']>, now: number): string {
  const seconds = Math.max(1, Math.ceil((until - now) / 1000));
  return `Error: ${sanitizeLine(error.message)} Retrying in ${durationWords(seconds)}, attempt ${attempt} of ${maxAttempts}. Ctrl+C stops it.`;
}

function stillWords(view: View, now: number): string {
  const seconds = Math.round((now - (view.startedAt ?? now)) / 1000);
  const [tool] = view.tools;
  const activity = activityOf(view);
  const what =
    tool === undefined
      ? activity.charAt(0).toLowerCase() + activity.slice(1)
      : `running ${named(tool.tool, tool.title)}`;
  return `Still ${what}, ${durationWords(seconds)} so far.`;
}

/** "12 seconds", "2 minutes". */
function durationWords(seconds: number): string {
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  const minutes = Math.round(seconds / 60);
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}
