/** The prompts of one session: they run one after another, and a cancellation also drops the queued ones. */
import type { StopReason } from '@agentclientprotocol/sdk';
import type { CommandHost } from '../commands/types.ts';
import { type Outcome, outcomeOf } from '../headless/outcome.ts';
import { createPromptRunner, type RunPrompt } from '../headless/promptRunner.ts';
import { createTally } from '../headless/tally.ts';
import type { RunEnd } from '../headless/types.ts';
import type { AgentEvent } from '../protocol/events.ts';

interface PromptQueueOptions
  extends Pick<Parameters<typeof createPromptRunner>[0], 'onQuestion' | 'onEvent'> {
  readonly host: CommandHost;
  /** Receives every event of the agent, including those between prompts. */
  readonly handle: (event: AgentEvent) => void;
  /** Called before each prompt; resolves when it can run. */
  readonly settle: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface PromptQueue {
  /** Undefined if too many are waiting. An abort is a cancellation. */
  run(prompt: RunPrompt, signal: AbortSignal): Promise<PromptEnd> | undefined;
  cancel(): void;
  isBusy(): boolean;
}

/** More prompts at the same time than any client has. */
const MAX_WAITING = 20;

const IN_EDITOR = 'Use the menus of your editor, or start clawdcode in a terminal.';

const cancelled: PromptEnd = { type: 'stopped', reason: 'cancelled' };

export function createPromptQueue(options: PromptQueueOptions): PromptQueue {
  const { agent } = options.host;
  const runTurn = createTurns(options);
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Replaced at each cancellation, so that earlier prompts no longer start. */
  let current = new AbortController();
  const cancel = (): void => {
    current.abort();
    current = new AbortController();
    agent.submit({ type: 'interrupt' });
    // The first interrupt of a turn that waits for a summary ends only the wait.
    if (agent.state().busy) agent.submit({ type: 'interrupt' });
  };
  return {
    cancel,
    isBusy: () => waiting > 0 || agent.state().busy,
    run(prompt, given) {
      if (waiting >= MAX_WAITING) return undefined;
      const signal = AbortSignal.any([given, current.signal]);
      const run = async (): Promise<PromptEnd> => {
        if (!signal.aborted) await options.settle(signal);
        if (signal.aborted) return cancelled;
        given.addEventListener('abort', cancel, { once: true });
        const end = await runTurn(prompt);
        given.removeEventListener('abort', cancel);
        return signal.aborted ? cancelled : end;
      };
      waiting++;
      const ended = last.then(run).finally(() => waiting--);
      last = ended.catch(() => undefined);
      return ended;
    },
  };
}

/** Runs prompts on the agent, one at a time. */
function createTurns({ host, handle, now, onQuestion, onEvent }: PromptQueueOptions) {
  const tally = createTally(host.agent, now);
  let end: RunEnd = { type: 'turn', outcome: 'failed', steps: 0 };
  const runner = createPromptRunner({
    ...{
      agent: host.agent,
      host: async () => host,
      tally,
      limits: {},
      withoutTerminal: IN_EDITOR,
      onQuestion,
    },
    ...(onEvent && { onEvent }),
    reporter: {
      begin: () => undefined,
      event: handle,
      async end(given) {
        end = given;
      },
    },
  });
  return async (prompt: RunPrompt): Promise<PromptEnd> => {
    await runner.run(prompt);
    return promptEnd(end, outcomeOf(end, tally), tally.finishReason());
  };
}

// How a prompt's turn ended, in the protocol's terms. Pure.

type PromptEnd =
  /** `text`: what the client shows in addition to the reply. */
  | { readonly type: 'stopped'; readonly reason: StopReason; readonly text?: string }
  | { readonly type: 'failed'; readonly message: string };

/** `finishReason`: of the last reply. */
export function promptEnd(end: RunEnd, outcome: Outcome, finishReason: string | undefined): PromptEnd {
  const text = outcome.ok ? outcome.text : outcome.reason;
  if (end.type !== 'turn') return { type: 'stopped', reason: 'end_turn', text };
  switch (end.outcome) {
    case 'done':
      return { type: 'stopped', reason: finishReason === 'length' ? 'max_tokens' : 'end_turn' };
    case 'interrupted':
      return { type: 'stopped', reason: 'cancelled' };
    case 'max_turns':
      return { type: 'stopped', reason: 'max_turn_requests' };
    case 'loop':
      return { type: 'stopped', reason: 'end_turn', text };
    case 'failed':
      return { type: 'failed', message: text };
  }
}
