/** The outcome of a call in a few words, for the ledger line or stub that replaces it. */

import { shellOutput } from '../../protocol/entries/shellOutput.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import { type CommandRun, certainOutcome, commandRuns } from './commandRuns.ts';
import type { TestReport } from './testReports.ts';

export interface CallOutcome {
  /**
   * Short, the most informative first: `vitest: 1 failed, 5 passed`, `ok`, `exit 1 · 2.0 s`. Empty if nothing is
   * certain.
   */
  readonly words: readonly string[];
  readonly isFailure: boolean;
  /** For a failure: the name of a failed test or the first error line, of any length. */
  readonly detail: string | undefined;
}

/** Outcome of a call and its result; without a result it was interrupted. */
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

/** Outcome of a command that the user ran; undefined for other entries and for those of older versions. */
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
  /** Undefined if the call was not a command. */
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

/** Type checkers report in each other's format, so they are not named. */
function reportWords({ runner, passed, failed }: TestReport): string {
  if (runner === 'tsc' || runner === 'eslint') return `${failed} ${failed === 1 ? 'error' : 'errors'}`;
  return `${runner}: ${failed === 0 ? '' : `${failed} failed, `}${passed} passed`;
}
