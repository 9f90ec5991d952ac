/** Runs one prompt without a screen, and denies every question. */
import { refusalOf } from './denials.ts';
import type { ExitCode } from './exitCodes.ts';
import { createPromptRunner } from './promptRunner.ts';
import { createReporter } from './reporter.ts';
import { createTally } from './tally.ts';
import type { HeadlessOptions } from './types.ts';

/** Runs the prompt to its end, writes the result, and returns the exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { agent, host, prompt: text, typed, now } = options;
  const tally = createTally(agent, now);
  const runner = createPromptRunner({
    agent,
    host,
    tally,
    reporter: await createReporter(options, tally),
    limits: options.limits ?? {},
    onQuestion: (question) => agent.submit({ type: 'answer', id: question.id, answer: refusalOf(question) }),
  });
  try {
    return (await runner.run({ text, ...(typed === undefined ? {} : { typed }) })).exitCode;
  } finally {
    runner.close();
  }
}
