/**
 * A session driven by another program (`--input-format stream-json`): prompts and control requests come in as lines,
 * are answered as lines, and each prompt is a turn with a result. The turns run one after another; requests are
 * answered while they run.
 */
import { randomUUID } from 'node:crypto';
import type { Agent } from '../../agent/types.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { AskAboutCall } from '../callQuestions.ts';
import { EXIT, type ExitCode } from '../exitCodes.ts';
import type { Outcome } from '../outcome.ts';
import { createReportedRunner } from '../runHeadless.ts';
import type { LimitOptions, ReportOptions } from '../types.ts';
import { toLine } from '../wireMessages.ts';
import { answerRequest, type ControlPorts } from './controlRequests.ts';
import type { DriverLink } from './driverLink.ts';
import type { DriverMessage, DriverPrompt, DriverRequest } from './driverMessages.ts';
import type { InitializePorts } from './initialize.ts';
import { createPromptInbox, type PromptInbox } from './promptInbox.ts';

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
  const { agent, link, write, stop } = options;
  const host = await options.host();
  const send = (message: object): void => write(toLine(message));
  const inbox = createPromptInbox();
  const warn = (content: string): void => {
    const head = { type: 'system', subtype: 'informational', content, level: 'warning' };
    send({ ...head, session_id: agent.state().sessionId, uuid: randomUUID() });
  };
  const prompts = followPrompts(agent, options.replayUserMessages ? send : undefined);
  const runner = await createReportedRunner({
    ...options,
    outputFormat: 'stream-json',
    warn,
    onEvent: prompts.handle,
  });
  const control: ControlPorts = {
    ...{ host, inbox, warn, interrupt: prompts.interrupt, firstModel: agent.state().model.id },
    subagents: options.subagents,
    setup: options.setup,
    channels: options.channels,
    session: options.session,
    tally: runner.tally,
    mayBypass: options.mayBypass,
    parseMode: options.parseMode,
    entryOf: prompts.entryOf,
  };
  const endInput = (): void => {
    inbox.end();
    link.close();
  };
  const input = readMessages(options, {
    ...{ inbox, endInput },
    respond: async (request) => send(await answerRequest(request, control)),
  });
  const endAll = (): void => {
    inbox.clear();
    endInput();
  };
  if (stop.aborted) endAll();
  else stop.addEventListener('abort', endAll, { once: true });

  await options.settle(stop);
  let code: ExitCode = EXIT.ok;
  for (let prompt = await inbox.next(); prompt !== undefined; prompt = await inbox.next()) {
    prompts.begin(prompt);
    code = prompts.end(await runner.run(prompt));
  }
  runner.close();
  if (!stop.aborted) await input.ended;
  return input.isBroken() ? EXIT.badInput : code;
}

interface InputPorts {
  readonly inbox: PromptInbox;
  readonly respond: (request: DriverRequest) => Promise<void>;
  /** Called once nothing more is read. */
  readonly endInput: () => void;
}

/** Passes the driver's messages on, until it closes its side or breaks the protocol. */
function readMessages(
  { messages, link, writeError }: DrivenOptions,
  { inbox, respond, endInput }: InputPorts,
): { readonly ended: Promise<void>; readonly isBroken: () => boolean } {
  const say = (text: string): void => writeError(`clawdcode: ${text}\n`);
  let broken: string | undefined;
  let unanswered = 0;
  const answer = async (request: DriverRequest): Promise<void> => {
    unanswered++;
    await respond(request);
    unanswered--;
  };
  const take = (message: DriverMessage): void => {
    switch (message.type) {
      case 'prompt':
        if (!inbox.add(message.prompt)) broken = 'too many prompts are waiting.';
        return;
      case 'request':
        if (unanswered >= MAX_UNANSWERED) broken = 'too many requests are unanswered.';
        else void answer(message.request);
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
  const ended = (async () => {
    for await (const message of messages) {
      take(message);
      if (broken !== undefined) break;
    }
    if (broken !== undefined) say(`${broken} Nothing after it is read; prompts before it run to their end.`);
    endInput();
  })();
  return { ended, isBroken: () => broken !== undefined };
}

/** The driver's prompt that runs now, and the entries of those that ran. */
interface PromptFollower {
  begin(prompt: DriverPrompt): void;
  handle(event: AgentEvent): void;
  interrupt(): void;
  /** The exit code of the prompt: an interrupt is what the driver asked for, not a failure. */
  end(outcome: Outcome): ExitCode;
  /** The uuid of a prompt's entry, by the driver's own id. */
  entryOf(uuid: string): string | undefined;
}

/** `replay`: receives each prompt again when it is sent. */
function followPrompts(agent: Agent, replay: ((line: object) => void) | undefined): PromptFollower {
  const entries = new Map<string, string>();
  let current: DriverPrompt | undefined;
  let isInterrupted = false;
  let isSent = false;
  return {
    begin(prompt) {
      [current, isInterrupted, isSent] = [prompt, false, false];
    },
    handle(event) {
      if (event.type !== 'entry' || event.entry.subtype !== 'prompt' || current === undefined) return;
      // A turn may have more prompts than the driver's: the model is asked for an answer that fits the schema.
      if (isSent) return;
      isSent = true;
      const { uuid = event.entry.uuid, message } = current;
      entries.set(uuid, event.entry.uuid);
      replay?.(replayLine(message, uuid, agent.state().sessionId));
    },
    interrupt() {
      isInterrupted = current !== undefined;
      agent.submit({ type: 'interrupt' });
    },
    end({ exitCode }) {
      current = undefined;
      return isInterrupted && exitCode === EXIT.interrupted ? EXIT.ok : exitCode;
    },
    entryOf: (uuid) => entries.get(uuid),
  };
}

function replayLine(message: object, uuid: string, sessionId: string): object {
  return { type: 'user', message, parent_tool_use_id: null, isReplay: true, session_id: sessionId, uuid };
}
