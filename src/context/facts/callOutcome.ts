/** How a call ended, in a few words: for the line or the stub that stands for it once it has left the request. */

import { shellOutput } from '../../protocol/entries/shellOutput.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import { type CommandRun, certainOutcome, commandRuns } from './commandRuns.ts';
import type { TestReport } from './testReports.ts';

export interface CallOutcome {
  /** Short, the most telling first: `vitest: 1 failed, 5 passed`, `ok`, `exit 1 · 2.0 s`. Empty when nothing is certain. */
  readonly words: readonly string[];
  readonly isFailure: boolean;
  /** Of a failure: a test that failed or the first line that reports an error. Of any length. */
  readonly detail: string | undefined;
}

/** Of a call and its result; without one it was interrupted. */
export function callOutcome(call: JSONLEntry, result: JSONLEntry | undefined): CallOutcome {
  const { toolResult } = result ?? {};
  const [run] = result === undefined ? [] : commandRuns([call, result]);
  const output = toolResult?.output ?? '';
  return outcomeOf({
    status: result === undefined ? 'interrupted' : (toolResult?.status ?? 'ok'),
    summary: toolResult?.display?.summary ?? '',
    output: typeof output === 'string' ? output : JSON.stringify(output),
    run,
  });
}

/** Of a command that the user ran; undefined for other entries, and for those of older programs. */
export function shellOutcome(entry: JSONLEntry): CallOutcome | undefined {
  const [run] = commandRuns([entry]);
  const { status, display } = (entry.subtype === 'shell' ? entry.data : undefined) ?? {};
  if (run === undefined || status === undefined) return undefined;
  const summary = display?.summary ?? '';
  return outcomeOf({ status, summary, output: shellOutput(entry) ?? '', run });
}

interface Ended {
  readonly status: string;
  readonly summary: string;
  readonly output: string;
  /** Undefined for a call that was no command. */
  readonly run: CommandRun | undefined;
}

function outcomeOf({ status, summary, output, run }: Ended): CallOutcome {
  const { tests, isSuccess } =
    run === undefined ? { tests: undefined, isSuccess: summary === '' } : certainOutcome(run);
  const hasFailed = status !== 'ok' && status !== 'partial';
  const isFailure = hasFailed || (tests !== undefined && tests.failed > 0);
  const report = tests === undefined ? '' : reportWords(tests);
  const state =
    hasFailed && summary === '' ? status : isSuccess && status === 'ok' && report === '' ? 'ok' : '';
  return {
    words: [report, state, summary].filter((word) => word !== ''),
    isFailure,
    detail: isFailure ? (tests === undefined ? firstErrorLine(output) : tests.failing[0]) : undefined,
  };
}

/** Checkers report errors in each other's words: they are not named. */
function reportWords({ runner, passed, failed }: TestReport): string {
  if (runner === 'tsc' || runner === 'eslint') return `${failed} ${failed === 1 ? 'error' : 'errors'}`;
  return `${runner}: ${failed === 0 ? '' : `${failed} failed, `}${passed} passed`;
}
