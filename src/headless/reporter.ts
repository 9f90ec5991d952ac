import type { AgentEvent } from '../protocol/events.ts';
import { type AllowanceLimits, allowance, NO_ONE_TO_ASK, reasonsOf } from './denials.ts';
import { outcomeOf } from './outcome.ts';
import { resultMessage } from './resultMessage.ts';
import { createStreamReporter } from './streamReporter.ts';
import { contextLineOf, type Tally } from './tally.ts';
import type { Reporter, ReportOptions } from './types.ts';
import { toLine } from './wireMessages.ts';

/** Creates the reporter for the requested output format. */
export async function createReporter(options: ReportOptions, tally: Tally): Promise<Reporter> {
  switch (options.outputFormat) {
    case 'text':
      return createTextReporter(options, tally);
    case 'json':
      return createJsonReporter(options, tally);
    case 'stream-json':
      return createStreamReporter(options, await options.host(), tally);
  }
}

/** Writes the answer to standard output; on failure only the error, to standard error. */
function createTextReporter(options: ReportOptions, tally: Tally): Reporter {
  const say = sayBy(options);
  return {
    begin() {
      if (options.agent.state().demo) say('Demo model: a built-in script that sends nothing anywhere.');
    },
    event: (event) => reportDiagnostics(event, say, options.allowanceLimits),
    async end(end) {
      const outcome = outcomeOf(end, tally);
      if (!outcome.ok) say(outcome.reason);
      else if (outcome.text !== '') options.write(asLines(outcome.text));
    },
  };
}

function createJsonReporter(options: ReportOptions, tally: Tally): Reporter {
  const say = sayBy(options);
  return {
    begin: () => undefined,
    event: (event) => reportDiagnostics(event, say, options.allowanceLimits),
    end: async (end) => options.write(toLine(resultMessage(outcomeOf(end, tally), tally, options))),
  };
}

/** Writes a message to standard error, marked as ours, since other programs of a script write there, too. */
function sayBy({ writeError }: Pick<ReportOptions, 'writeError'>) {
  return (text: string): void => writeError(asLines(`clawdcode: ${text}`));
}

/** Reports events during the run that someone waiting at a terminal should know about. */
function reportDiagnostics(
  event: AgentEvent,
  say: (text: string) => void,
  limits: AllowanceLimits = {},
): void {
  switch (event.type) {
    case 'notice':
      if (event.level !== 'info') say(event.text);
      return;
    case 'entry': {
      const line = contextLineOf(event.entry);
      if (line?.tone === 'warning') say(line.text);
      return;
    }
    case 'retrying': {
      const { error, delayMs, attempt, maxAttempts } = event;
      const seconds = Math.ceil(delayMs / 1000);
      say(`${error.message} Retrying in ${seconds} s (attempt ${attempt + 1} of ${maxAttempts}).`);
      return;
    }
    case 'permission_question': {
      const { question } = event;
      if (question.tool === undefined) return;
      if (question.preview.type === 'form') {
        say(`Not answered: ${question.tool} ${shown(question.title)}. ${NO_ONE_TO_ASK}.`);
        return;
      }
      const call = `${question.tool} ${shown(question.title)} (${shown(reasonsOf(question))})`;
      say(`Not allowed: ${call}. ${shown(allowance(question, limits))}`);
      return;
    }
    // Contained in the result, or irrelevant after the run.
    case 'turn_started':
    case 'turn_ended':
    case 'step_started':
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
    case 'reply_discarded':
    case 'tool_started':
    case 'tool_output':
    case 'tool_ended':
    case 'subagent_changed':
    case 'subagent_entry':
    case 'permission_answered':
    case 'hook':
    case 'queue_changed':
    case 'queue_returned':
    case 'compaction_started':
    case 'compaction_progress':
    case 'compaction_ended':
    case 'compaction_previewed':
    case 'rewind_ended':
    case 'context_measured':
    case 'mode_changed':
    case 'tasks_changed':
    case 'model_changed':
    case 'sandbox_probed':
      return;
    default:
      event satisfies never;
  }
}

/** Characters of each text that the model has written or named. */
const MAX_SHOWN = 1000;

function shown(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
