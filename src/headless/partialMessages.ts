import { randomUUID } from 'node:crypto';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { replyHead } from './wireMessages.ts';

/**
 * Converts live text to the raw stream events of `--include-partial-messages`: every message and block that starts also
 * stops. Tool arguments are sent in full once the reply is in the log.
 */
export function createPartialMessages(model: () => string, write: (event: object) => void) {
  let id: string | undefined;
  let index = -1;
  let block: 'text' | 'thinking' | undefined;
  let end: object | undefined;

  const start = (): void => {
    if (id !== undefined) return;
    id = `msg_${randomUUID()}`;
    index = -1;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: model(),
      content: [],
      stop_reason: null,
      usage,
    };
    write({ type: 'message_start', message });
  };
  const startBlock = (content_block: object): void => {
    start();
    index++;
    write({ type: 'content_block_start', index, content_block });
  };
  const stopBlock = (): void => {
    if (block === undefined) return;
    block = undefined;
    write({ type: 'content_block_stop', index });
  };
  const delta = (type: 'text' | 'thinking', text: string): void => {
    if (block !== type) {
      stopBlock();
      startBlock({ type, [type]: '' });
      block = type;
    }
    write({ type: 'content_block_delta', index, delta: { type: `${type}_delta`, [type]: text } });
  };
  const call = ({ tool }: JSONLEntry): void => {
    if (tool === undefined) return;
    startBlock({ type: 'tool_use', id: tool.id, name: tool.name, input: {} });
    const partial_json = tool.arguments ?? JSON.stringify(tool.input);
    write({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } });
    write({ type: 'content_block_stop', index });
  };
  const finish = (): void => {
    if (id === undefined) return;
    stopBlock();
    id = undefined;
    write(end ?? { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null } });
    end = undefined;
    write({ type: 'message_stop' });
  };

  return {
    /** Id of the current message, which has not stopped yet. */
    messageId: () => id,
    /** Call before writing the event itself. */
    event(event: AgentEvent): void {
      if (event.type === 'text_delta') delta('text', event.text);
      else if (event.type === 'reasoning_delta') delta('thinking', event.text);
      else if (event.type === 'tool_call_delta') start();
      else if (event.type === 'entry' && event.entry.type === 'assistant') {
        stopBlock();
        const { stop_reason, usage } = replyHead(event.entry);
        end = { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
      } else if (event.type === 'entry' && event.entry.type === 'tool_use') call(event.entry);
      else if (isBoundary(event, end !== undefined)) finish();
    },
  };
}

/** True for events that can only come after a reply; a mode change during a reply does not end it. */
function isBoundary(event: AgentEvent, isRecorded: boolean): boolean {
  switch (event.type) {
    case 'step_started':
    case 'turn_ended':
    case 'reply_discarded':
    case 'retrying':
      return true;
    case 'entry':
    case 'tool_started':
    case 'tool_ended':
    case 'permission_question':
      return isRecorded;
    case 'turn_started':
    case 'text_delta':
    case 'reasoning_delta':
    case 'tool_call_delta':
    case 'tool_output':
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
    case 'notice':
      return false;
  }
}
