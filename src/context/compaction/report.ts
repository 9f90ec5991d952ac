/** What is told of a compaction: the report for whoever watches, the preview for whoever asks first. */
import type { CompactionReport } from '../../protocol/events.ts';
import type { CompactionOutcome } from './job.ts';

type Facts = Pick<CompactionReport, 'trigger' | 'preTokens' | 'postTokens' | 'durationMs'>;

/** The report of an outcome, ready to show. */
export function reportOf(outcome: CompactionOutcome, facts: Facts): CompactionReport {
  switch (outcome.type) {
    case 'cancelled':
      return {
        ...facts,
        outcome: 'cancelled',
        files: [],
        message: 'Compaction was stopped; nothing has changed.',
      };
    case 'refused':
      return { ...facts, outcome: 'refused', files: [], message: outcome.message };
    case 'clipped':
      return {
        ...facts,
        outcome: 'done',
        files: [],
        message: 'Large tool results were shortened; the whole is kept.',
      };
    case 'compacted': {
      const files = outcome.metadata.filesIncluded ?? [];
      if (outcome.fallback === undefined) return { ...facts, outcome: 'done', files };
      const why = outcome.fallback.replace(/\.$/, '');
      const message = `The summary could not be written: ${why}. A fallback, counted from the log, stands in for it; /uncompact takes it back.`;
      return { ...facts, outcome: 'fallback', files, message };
    }
  }
}

/** Of a request that nobody had to work on. */
export function refusedReport(
  trigger: CompactionReport['trigger'],
  tokens: number,
  message: string,
): CompactionReport {
  return {
    outcome: 'refused',
    trigger,
    preTokens: tokens,
    postTokens: tokens,
    files: [],
    durationMs: 0,
    message,
  };
}
