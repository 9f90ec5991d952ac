/** Runs one prompt without a screen; calls that need approval are denied unless a tool decides about them. */
import type { AgentEvent } from '../protocol/events.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import type { AskAboutCall } from './callQuestions.ts';
import { refusalOf } from './denials.ts';
import type { ExitCode } from './exitCodes.ts';
import { createPromptRunner, type PromptRunner } from './promptRunner.ts';
import { createReporter } from './reporter.ts';
import { createTally, type Tally } from './tally.ts';
import type { HeadlessOptions, LimitOptions, ReportOptions } from './types.ts';

/** Runs the prompt to its end, writes the result, and returns the exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<ExitCode> {
  const { prompt: text, typed, writeError } = options;
  const runner = await createReportedRunner({
    ...options,
    warn: (notice) => writeError(`clawdcode: ${notice}\n`),
  });
  try {
    return (await runner.run({ text, ...(typed === undefined ? {} : { typed }) })).exitCode;
  } finally {
    runner.close();
  }
}

interface ReportedRunnerOptions extends ReportOptions {
  readonly limits?: LimitOptions | undefined;
  /** Who decides about calls that need approval; absent = they are denied. */
  readonly askAboutCall?: AskAboutCall | undefined;
  /** Reports a part of a decision that has no effect. */
  readonly warn: (notice: string) => void;
  /** Receives every event after it was reported. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Creates a runner whose prompts are reported in the output format, and whose questions `askAboutCall` answers. */
export async function createReportedRunner(
  options: ReportedRunnerOptions,
): Promise<PromptRunner & { readonly tally: Tally }> {
  const { agent, host, now, limits = {}, askAboutCall: ask, warn, onEvent } = options;
  const tally = createTally(agent, now);
  const answer = (id: string, given: PermissionAnswer): void =>
    agent.submit({ type: 'answer', id, answer: given });
  const questions = ask && (await import('./callQuestions.ts')).createCallQuestions({ ask, answer, warn });
  const runner = createPromptRunner({
    ...{ agent, host, tally, limits },
    reporter: await createReporter(options, tally),
    onQuestion(question) {
      if (questions === undefined) answer(question.id, refusalOf(question, options.allowanceLimits));
      else questions.put(question);
    },
    onEvent(event) {
      if (event.type === 'permission_answered') questions?.answered(event.id);
      onEvent?.(event);
    },
  });
  return { ...runner, tally };
}
