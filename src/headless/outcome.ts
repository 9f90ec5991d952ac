import { plainText } from '../commands/pages/page.ts';
import { previewPage } from '../commands/pages/previewPage.ts';
import type { CompactionPreview } from '../protocol/contextReport.ts';
import type { CompactionReport, TurnOutcome } from '../protocol/events.ts';
import type { ModelError } from '../protocol/models/model.ts';
import { EXIT, type ExitCode } from './exitCodes.ts';
import type { Tally } from './tally.ts';
import type { RunEnd } from './types.ts';

/** The outcome of a run: an answer, or the reason why there is none. */
export type Outcome =
  | {
      readonly ok: true;
      readonly exitCode: 0;
      readonly text: string;
      readonly steps: number;
      readonly structured?: { readonly value: unknown };
    }
  | {
      readonly ok: false;
      readonly exitCode: ExitCode;
      readonly subtype:
        | 'error_max_turns'
        | 'error_max_budget_usd'
        | 'error_max_structured_output_retries'
        | 'error_during_execution';
      readonly reason: string;
      readonly steps: number;
    };

/** Determines the outcome of a run. Only a finished turn, compaction or command has a result. */
export function outcomeOf(end: RunEnd, tally: Tally): Outcome {
  switch (end.type) {
    case 'turn':
      if (end.outcome === 'done') return doneOutcome(end, tally);
      return turnFailure(end.outcome, end.steps, end.error, tally.lastError());
    case 'limit':
      return end.limit === 'budget'
        ? { ...failure(EXIT.turnLimit, end.reason, end.steps), subtype: 'error_max_budget_usd' }
        : { ...failure(EXIT.failed, end.reason, end.steps), subtype: 'error_max_structured_output_retries' };
    case 'compaction':
      return compactionOutcome(end.report);
    case 'uncompact':
      return uncompactOutcome(end.report);
    case 'preview':
      return previewOutcome(end.preview);
    case 'answer':
      if (end.ok) return { ok: true, exitCode: 0, text: end.text, steps: 0 };
      return failure(EXIT.badInput, end.text, 0);
  }
}

function doneOutcome({ steps, structured }: Extract<RunEnd, { type: 'turn' }>, tally: Tally): Outcome {
  const done = { ok: true, exitCode: 0, steps } as const;
  if (structured === undefined) return { ...done, text: tally.text() };
  return { ...done, text: JSON.stringify(structured.value), structured };
}

function turnFailure(
  outcome: Exclude<TurnOutcome, 'done'>,
  steps: number,
  error: ModelError | undefined,
  notice: string | undefined,
): Outcome {
  switch (outcome) {
    case 'max_turns': {
      const reason = `The limit of ${steps} ${steps === 1 ? 'step' : 'steps'} has been reached. Raise --max-turns, or resume with --continue.`;
      return { ...failure(EXIT.turnLimit, reason, steps), subtype: 'error_max_turns' };
    }
    case 'loop': {
      const reason = 'The model kept making the same call with the same result, so the turn was stopped.';
      return failure(EXIT.failed, reason, steps);
    }
    case 'interrupted':
      return failure(EXIT.interrupted, 'Interrupted. Resume with --continue.', steps);
    case 'failed': {
      const reason = error?.message ?? notice ?? 'The turn failed.';
      return failure(error?.kind === 'auth' ? EXIT.noAccess : EXIT.failed, reason, steps);
    }
  }
}

function compactionOutcome(report: CompactionReport): Outcome {
  const { outcome, preTokens, postTokens, files, message } = report;
  if (outcome === 'cancelled') return failure(EXIT.interrupted, message ?? 'Compaction was cancelled.', 0);
  if (outcome === 'refused') return failure(EXIT.failed, message ?? 'There is nothing to compact.', 0);
  const kept = files.length === 0 ? '' : ` Files kept: ${files.join(', ')}.`;
  const text = `Compacted from ${preTokens} to ${postTokens} tokens.${kept}`;
  return { ok: true, exitCode: 0, text: message === undefined ? text : `${text} ${message}`, steps: 0 };
}

function uncompactOutcome({ outcome, preTokens, postTokens, message }: CompactionReport): Outcome {
  if (outcome !== 'done') return failure(EXIT.failed, message ?? 'No compaction to undo.', 0);
  const text = `${message ?? 'The last compaction was undone.'} From ${preTokens} to ${postTokens} tokens.`;
  return { ok: true, exitCode: 0, text, steps: 0 };
}

function previewOutcome(preview: CompactionPreview): Outcome {
  const text = plainText(previewPage(preview));
  if (preview.outcome === 'cancelled') return failure(EXIT.interrupted, text, 0);
  if (preview.outcome === 'refused') return failure(EXIT.failed, text, 0);
  return { ok: true, exitCode: 0, text, steps: 0 };
}

function failure(exitCode: ExitCode, reason: string, steps: number): Outcome & { ok: false } {
  return { ok: false, exitCode, subtype: 'error_during_execution', reason, steps };
}
