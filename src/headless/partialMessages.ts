import { randomUUID } from 'node:crypto';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { replyHead } from './wireMessages.ts';

/**
 * Turns live text into the raw stream events that `--include-partial-messages` promises: every message and
 * every block that starts also stops. Tool arguments come whole, when the reply is in the log.
 */
export function createPartialMessages(model: () => string, write: (event: object) => void) {
  let open = false;
  let index = -1;
  let block: 'text' | 'thinking' | undefined;
  let end: object | undefined;

  const start = (): void => {
    if (open) return;
    open = true;
    index = -1;
    const usage = { input_tokens: 0, output_tokens: 0 };
    const id = `msg_${randomUUID()}`;
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
    if (!open) return;
    stopBlock();
    open = false;
    write(end ?? { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null } });
    end = undefined;
    write({ type: 'message_stop' });
  };

  return {
    /** To be called before the event itself is written. */
    event(event: AgentEvent): void {
      if (event.type === 'text_delta') delta('text', event.text);
      else if (event.type === 'reasoning_delta') delta('thinking', event.text);
      else if (event.type === 'tool_call_delta') start();
      else if (event.type === 'entry' && event.entry.type === 'assistant') {
        stopBlock();
        const { stop_reason, usage } = replyHead(event.entry);
        end = { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
      } else if (event.type === 'entry' && event.entry.type === 'tool_use') call(event.entry);
      else finish();
    },
  };
}
