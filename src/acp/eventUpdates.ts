/** The agent's events as session updates, while a session runs. */
import { randomUUID } from 'node:crypto';
import type { SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { Agent } from '../agent/types.ts';
import { messageText } from '../headless/tally.ts';
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent, CompactionReport } from '../protocol/events.ts';
import type { SubagentStatus } from '../protocol/extensions/subagents.ts';
import type { ClientAbilities, ClientLink } from './clientLink.ts';
import { liveLine } from './displayLines.ts';
import { createImageFilter, withoutImages } from './images.ts';
import { createEntryReader } from './replay.ts';
import { fenced, textBlock, textContent, titleLine } from './text.ts';

interface EventPorts {
  readonly agent: Pick<Agent, 'state'>;
  readonly link: Pick<ClientLink, 'update'>;
  readonly abilities: ClientAbilities;
  /** The mode or the model has changed. */
  readonly onChoice: () => void;
  /** Receives messages that this client cannot show. */
  readonly log: (text: string) => void;
}

interface EventUpdates {
  handle(event: AgentEvent): void;
  /** The id of the newest call to which the model gave this id. */
  idOf(callId: string): string | undefined;
  /** Sends a message of the program itself, such as the output of a command. */
  say(text: string): void;
  notice(severity: 'info' | 'warning' | 'error', text: string): void;
}

export function createEventUpdates(ports: EventPorts): EventUpdates {
  const { agent, link, abilities } = ports;
  const reader = createEntryReader();
  const output = createLiveOutput(link, reader.idOf);
  const reply = createReplyStream(link);
  const compactions = createCompactionUpdates(link);
  const send = (update: SessionUpdate): void => void link.update(update);
  const notice = (severity: 'info' | 'warning' | 'error', text: string): void => {
    if (abilities.notices) send({ sessionUpdate: 'notice', severity, title: titleLine(text) });
    else if (severity !== 'info') ports.log(text);
  };
  const entry = (one: JSONLEntry): void => {
    if (one.type === 'assistant') reply.end(messageText(one));
    if (one.subtype === 'title')
      send({
        sessionUpdate: 'session_info_update',
        title: agent.state().title ?? null,
        updatedAt: one.timestamp,
      });
    const line = one.subtype === 'compact_boundary' && abilities.compaction ? undefined : liveLine(one);
    if (line !== undefined) reply.program(line);
    for (const update of reader.read(one)) send(update);
  };
  return {
    idOf: reader.idOf,
    say: (text) => reply.program(text),
    notice,
    handle(event) {
      switch (event.type) {
        case 'entry':
          return entry(event.entry);
        case 'step_started':
          return reply.begin();
        case 'text_delta':
          return reply.text(event.text);
        case 'reasoning_delta':
          return reply.thought(event.text);
        case 'reply_discarded':
          return reply.discard();
        case 'tool_started': {
          const toolCallId = reader.idOf(event.callId);
          if (toolCallId !== undefined)
            send({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' });
          return;
        }
        case 'tool_output':
          return output.add(event.callId, event.text);
        case 'tool_ended':
          return output.end(event.callId);
        case 'subagent_changed': {
          const toolCallId = reader.idOf(event.status.callId);
          if (toolCallId !== undefined)
            send({ sessionUpdate: 'tool_call_update', toolCallId, content: [progressOf(event.status)] });
          return;
        }
        case 'context_measured':
          return send({ sessionUpdate: 'usage_update', ...usageOf(event.measure, agent) });
        case 'mode_changed':
        case 'model_changed':
          return ports.onChoice();
        case 'compaction_started':
        case 'compaction_ended':
          if (abilities.compaction) compactions.handle(event);
          return;
        case 'notice':
          return notice(event.level, event.text);
        case 'retrying':
          return notice(
            'warning',
            `${event.error.message} Attempt ${event.attempt + 1} of ${event.maxAttempts} follows.`,
          );
        // Part of a prompt's answer, of another update, or only of interest to a screen.
        case 'turn_started':
        case 'turn_ended':
        case 'tool_call_delta':
        case 'subagent_entry':
        case 'permission_question':
        case 'permission_answered':
        case 'hook':
        case 'queue_changed':
        case 'queue_returned':
        case 'compaction_progress':
        case 'compaction_previewed':
        case 'rewind_ended':
        case 'tasks_changed':
        case 'sandbox_probed':
          return;
      }
      event satisfies never;
    },
  };
}

/** The streaming reply, and the part of it that has been sent. */
function createReplyStream({ update }: Pick<ClientLink, 'update'>) {
  let messageId: string = randomUUID();
  let sent = '';
  const images = { text: createImageFilter(), thought: createImageFilter() };
  const chunk = (
    sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk',
    text: string,
    id = messageId,
  ): void => {
    if (text !== '') void update({ sessionUpdate, messageId: id, content: textBlock(text) });
  };
  const finish = (): void => {
    chunk('agent_thought_chunk', images.thought.end());
    chunk('agent_message_chunk', images.text.end());
  };
  const begin = (): void => {
    finish();
    messageId = randomUUID();
    sent = '';
  };
  const text = (delta: string): void => {
    sent += delta;
    chunk('agent_message_chunk', images.text.push(delta));
  };
  return {
    begin,
    text,
    thought: (delta: string): void => chunk('agent_thought_chunk', images.thought.push(delta)),
    /** The complete reply: normally everything has streamed already. */
    end(whole: string): void {
      if (whole.length > sent.length && whole.startsWith(sent)) text(whole.slice(sent.length));
      begin();
    },
    /** Text that the client has already shown cannot be removed. */
    discard(): void {
      finish();
      if (sent !== '') chunk('agent_message_chunk', '\n\n*The reply was cut off and starts over:*\n\n');
      begin();
    },
    program: (own: string): void => chunk('agent_message_chunk', withoutImages(own), randomUUID()),
  };
}

function createCompactionUpdates({ update }: Pick<ClientLink, 'update'>) {
  let id: string | undefined;
  const statusOf = ({ outcome }: CompactionReport): string =>
    outcome === 'done' || outcome === 'fallback'
      ? 'completed'
      : outcome === 'cancelled'
        ? 'cancelled'
        : 'failed';
  return {
    handle(event: Extract<AgentEvent, { type: 'compaction_started' | 'compaction_ended' }>): void {
      if (event.type === 'compaction_started') {
        id = randomUUID();
        void update({ sessionUpdate: 'compaction_update', compactionId: id, status: 'in_progress' });
      } else if (id !== undefined) {
        const { message } = event.report;
        const error = message === undefined ? {} : { error: message };
        void update({
          ...{ sessionUpdate: 'compaction_update', compactionId: id, status: statusOf(event.report) },
          ...error,
        });
        id = undefined;
      }
    },
  };
}

function usageOf({ usedTokens, windowTokens }: ContextMeasure, { state }: Pick<Agent, 'state'>) {
  const { costUsd } = state().usage;
  return {
    used: usedTokens,
    size: windowTokens,
    ...(costUsd === undefined ? {} : { cost: { amount: costUsd, currency: 'USD' } }),
  };
}

const progressOf = ({ step, doing }: SubagentStatus): ToolCallContent =>
  textContent(fenced(titleLine(step === 0 ? doing : `Step ${step}: ${doing}`)));

// Sends the end of the output of running commands, a few times a second, and no faster than the client reads.

/** Characters: each update repeats all of it. The result has more. */
const MAX_SHOWN = 8_000;
/** Milliseconds between two updates of one call. */
const PAUSE_MS = 200;

interface LiveOutput {
  add(callId: string, text: string): void;
  end(callId: string): void;
}

interface Running {
  text: string;
  isSending: boolean;
  isStale: boolean;
}

/** `idOf`: the id under which the client knows a call. */
function createLiveOutput(
  { update }: Pick<ClientLink, 'update'>,
  idOf: (callId: string) => string | undefined,
): LiveOutput {
  const running = new Map<string, Running>();
  const send = (callId: string, one: Running): void => {
    const toolCallId = idOf(callId);
    if (toolCallId === undefined || running.get(callId) !== one) return;
    one.isSending = true;
    one.isStale = false;
    const content = [textContent(fenced(one.text, 'console'))];
    void update({ sessionUpdate: 'tool_call_update', toolCallId, content }).then(async () => {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
      one.isSending = false;
      if (one.isStale) send(callId, one);
    });
  };
  return {
    add(callId, text) {
      const one = running.get(callId) ?? { text: '', isSending: false, isStale: false };
      running.set(callId, one);
      one.text = `${one.text}${text}`.slice(-MAX_SHOWN);
      one.isStale = true;
      if (!one.isSending) send(callId, one);
    },
    end: (callId) => void running.delete(callId),
  };
}
