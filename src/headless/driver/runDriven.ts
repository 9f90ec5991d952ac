/**
 * A session driven by another program (`--input-format stream-json`): prompts and control requests come in as lines,
 * are answered as lines, and each prompt is a turn with a result. The turns run one after another; requests are
 * answered while they run.
 */
import { randomUUID } from 'node:crypto';
import type { PermissionAnswer } from '../../protocol/permissions.ts';
import { type AskAboutCall, createCallQuestions } from '../callQuestions.ts';
import { refusalOf } from '../denials.ts';
import { EXIT, type ExitCode } from '../exitCodes.ts';
import { createPromptRunner } from '../promptRunner.ts';
import { createReporter } from '../reporter.ts';
import { createTally } from '../tally.ts';
import type { LimitOptions, ReportOptions } from '../types.ts';
import { toLine } from '../wireMessages.ts';
import { answerRequest, type ControlPorts } from './controlRequests.ts';
import type { DriverLink } from './driverLink.ts';
import type { DriverMessage, DriverPrompt, DriverRequest } from './driverMessages.ts';
import type { InitializePorts } from './initialize.ts';
import { createPromptInbox } from './promptInbox.ts';

interface DrivenOptions
  extends Omit<ReportOptions, 'outputFormat'>,
    Pick<InitializePorts, 'subagents' | 'setup'>,
    Pick<ControlPorts, 'channels' | 'session'> {
  readonly limits?: LimitOptions;
  /** Requests to the driver; hooks and servers of its own may have used it before. */
  readonly link: DriverLink;
  /** Resolves when the MCP servers have connected or failed; called once messages are read. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** The driver's messages, until it closes its side; never throws. */
  readonly messages: AsyncIterable<DriverMessage>;
  /** Repeat each prompt in the output when it is sent. */
  readonly replayUserMessages: boolean;
  /** Who decides about calls that need approval; absent = they are denied, as in any headless run. */
  readonly askAboutCall?: AskAboutCall | undefined;
  /** See `ControlPorts`. */
  readonly mayBypass: boolean;
  readonly parseMode: ControlPorts['parseMode'];
  /** Ends the run after the current turn, as if the driver had closed its side and withdrawn its other prompts. */
  readonly stop: AbortSignal;
}

/** More requests at the same time than any driver has. */
const MAX_UNANSWERED = 1000;

/** Runs until the driver has closed its side and the last turn has ended; returns the exit code of that turn. */
export async function runDriven(options: DrivenOptions): Promise<ExitCode> {
  const { agent, now, link, messages, write, writeError, stop } = options;
  const host = await options.host();
  const say = (text: string): void => writeError(`clawdcode: ${text}\n`);
  const send = (message: object): void => write(toLine(message));
  const tally = createTally(agent, now);
  const inbox = createPromptInbox();
  const warn = (content: string): void => {
    const head = { type: 'system', subtype: 'informational', content, level: 'warning' };
    send({ ...head, session_id: agent.state().sessionId, uuid: randomUUID() });
  };
  const answer = (id: string, given: PermissionAnswer): void =>
    agent.submit({ type: 'answer', id, answer: given });
  const questions = options.askAboutCall && createCallQuestions({ ask: options.askAboutCall, answer, warn });
  /** Uuids of the prompts' entries by the driver's own ids. */
  const entries = new Map<string, string>();
  let current: DriverPrompt | undefined;
  let isInterrupted = false;
  let isSent = false;
  const sent = (prompt: DriverPrompt, entry: string): void => {
    const { uuid = entry, message } = prompt;
    entries.set(uuid, entry);
    if (options.replayUserMessages) send(replayLine(message, uuid, agent.state().sessionId));
  };
  const runner = createPromptRunner({
    agent,
    host: options.host,
    tally,
    reporter: await createReporter({ ...options, outputFormat: 'stream-json' }, tally),
    limits: options.limits ?? {},
    onQuestion(question) {
      if (questions === undefined) answer(question.id, refusalOf(question));
      else questions.put(question);
    },
    onEvent(event) {
      if (event.type === 'permission_answered') questions?.answered(event.id);
      if (event.type !== 'entry' || event.entry.subtype !== 'prompt' || current === undefined) return;
      // A turn may have more prompts than the driver's: the model is asked for an answer that fits the schema.
      if (!isSent) sent(current, event.entry.uuid);
      isSent = true;
    },
  });

  const interrupt = (): void => {
    isInterrupted = current !== undefined;
    agent.submit({ type: 'interrupt' });
  };
  const control: ControlPorts = {
    ...{ host, inbox, interrupt, warn, firstModel: agent.state().model.id },
    subagents: options.subagents,
    setup: options.setup,
    channels: options.channels,
    session: options.session,
    tally,
    mayBypass: options.mayBypass,
    parseMode: options.parseMode,
    entryOf: (uuid) => entries.get(uuid),
  };
  let broken: string | undefined;
  let unanswered = 0;
  const respond = async (request: DriverRequest): Promise<void> => {
    unanswered++;
    send(await answerRequest(request, control));
    unanswered--;
  };
  const take = (message: DriverMessage): void => {
    switch (message.type) {
      case 'prompt':
        if (!inbox.add(message.prompt)) broken = 'too many prompts are waiting.';
        return;
      case 'request':
        if (unanswered >= MAX_UNANSWERED) broken = 'too many requests are unanswered.';
        else void respond(message.request);
        return;
      case 'response':
        link.settle(message.response);
        return;
      case 'ignored':
        if (message.notice !== undefined) say(message.notice);
        return;
      case 'malformed':
        broken = message.problem;
        return;
    }
  };
  const endInput = (): void => {
    inbox.end();
    link.close();
  };
  const reading = (async () => {
    for await (const message of messages) {
      take(message);
      if (broken !== undefined) break;
    }
    if (broken !== undefined) say(`${broken} Nothing after it is read; prompts before it run to their end.`);
    endInput();
  })();
  const endAll = (): void => {
    inbox.clear();
    endInput();
  };
  if (stop.aborted) endAll();
  else stop.addEventListener('abort', endAll, { once: true });

  await options.settle(stop);
  let code: ExitCode = EXIT.ok;
  for (let prompt = await inbox.next(); prompt !== undefined; prompt = await inbox.next()) {
    [current, isInterrupted, isSent] = [prompt, false, false];
    const outcome = await runner.run(prompt);
    current = undefined;
    // An interrupt is what the driver asked for, not a failure.
    code = isInterrupted && outcome.exitCode === EXIT.interrupted ? EXIT.ok : outcome.exitCode;
  }
  runner.close();
  if (!stop.aborted) await reading;
  return broken === undefined ? code : EXIT.badInput;
}

function replayLine(message: object, uuid: string, sessionId: string): object {
  return { type: 'user', message, parent_tool_use_id: null, isReplay: true, session_id: sessionId, uuid };
}
