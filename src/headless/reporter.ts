import type { AgentEvent } from '../protocol/events.ts';
import { allowance, reasonsOf } from './denials.ts';
import { contextNoteOf } from './entryText.ts';
import { outcomeOf } from './outcome.ts';
import { resultMessage } from './resultMessage.ts';
import { createStreamReporter } from './streamReporter.ts';
import type { Tally } from './tally.ts';
import { toLine } from './toLine.ts';
import type { HeadlessOptions, Reporter } from './types.ts';

/** The writer of the format that was asked for. */
export function createReporter(options: HeadlessOptions, tally: Tally): Reporter {
  switch (options.outputFormat) {
    case 'text':
      return createTextReporter(options, tally);
    case 'json':
      return createJsonReporter(options, tally);
    case 'stream-json':
      return createStreamReporter(options, tally);
  }
}

/** The answer on standard output; whatever went wrong on standard error, and then no answer. */
function createTextReporter(options: HeadlessOptions, tally: Tally): Reporter {
  const { write, writeError } = options;
  return {
    begin() {
      if (options.host.agent.state().demo)
        writeError('Demo model: built in, plays a script, sends nothing anywhere.\n');
    },
    event: (event) => tellAside(event, writeError),
    async end(end) {
      const outcome = outcomeOf(end, tally);
      if (!outcome.ok) writeError(asLines(outcome.reason));
      else if (outcome.text !== '') write(asLines(outcome.text));
    },
  };
}

function createJsonReporter({ host, write, writeError }: HeadlessOptions, tally: Tally): Reporter {
  return {
    begin: () => undefined,
    event: (event) => tellAside(event, writeError),
    end: async (end) => write(toLine(resultMessage(outcomeOf(end, tally), tally, host.agent))),
  };
}

/** What a person waiting at a terminal should know before the end. */
function tellAside(event: AgentEvent, writeError: (text: string) => void): void {
  if (event.type === 'notice' && event.level !== 'info') writeError(asLines(event.text));
  else if (event.type === 'entry') {
    const note = contextNoteOf(event.entry);
    if (note?.tone === 'warning') writeError(asLines(note.text));
  } else if (event.type === 'retrying') {
    const seconds = Math.ceil(event.delayMs / 1000);
    writeError(
      `${event.error.message} Retrying in ${seconds} s (${event.attempt} of ${event.maxAttempts}).\n`,
    );
  } else if (event.type === 'permission_question' && event.question.tool !== undefined) {
    const { question } = event;
    writeError(
      `Not allowed: ${question.tool} ${question.title} (${reasonsOf(question)}). ${allowance(question)} would allow it.\n`,
    );
  }
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
