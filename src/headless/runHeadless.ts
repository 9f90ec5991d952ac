/** Runs one prompt without a screen; calls that need approval are denied unless a tool decides about them. */
import type { PermissionAnswer } from '../protocol/permissions.ts';
import { refusalOf } from './denials.ts';
import type { ExitCode } from './exitCodes.ts';
import { createPromptRunner } from './promptRunner.ts';
import { createReporter } from './reporter.ts';
import { createTally } from './tally.ts';
import type { HeadlessOptions } from './types.ts';

/** Runs the prompt to its end, writes the result, and returns the exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { agent, host, prompt: text, typed, now, askAboutCall: ask, writeError } = options;
  const tally = createTally(agent, now);
  const answer = (id: string, given: PermissionAnswer): void =>
    agent.submit({ type: 'answer', id, answer: given });
  const questions =
    ask &&
    (await import('./callQuestions.ts')).createCallQuestions({
      ...{ ask, answer },
      warn: (notice) => writeError(`clawdcode: ${notice}\n`),
    });
  const runner = createPromptRunner({
    agent,
    host,
    tally,
    reporter: await createReporter(options, tally),
    limits: options.limits ?? {},
    onQuestion(question) {
      if (questions === undefined) answer(question.id, refusalOf(question));
      else questions.put(question);
    },
    onEvent(event) {
      if (event.type === 'permission_answered') questions?.answered(event.id);
    },
  });
  try {
    return (await runner.run({ text, ...(typed === undefined ? {} : { typed }) })).exitCode;
  } finally {
    runner.close();
  }
}
