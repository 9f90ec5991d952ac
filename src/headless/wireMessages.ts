/** The lines of stream-json that come from the log: pure, one entry to one line or none. */
import type { JSONLEntry } from '../protocol/entries.ts';
import { entryText, resultText } from './entryText.ts';
import { figures } from './tally.ts';

/** One line of output, before it is text. */
export interface Line {
  readonly type: string;
  readonly uuid?: string;
  readonly [field: string]: unknown;
}

/** The reply that later tool calls belong to. */
export interface ReplyHead {
  readonly id: string;
  readonly model: string | undefined;
  readonly stop_reason: string | null;
  readonly usage: object;
}

/** What every line of one reply repeats: its id, model, reason and tokens. */
export function replyHead(entry: JSONLEntry): ReplyHead {
  const { model, finishReason, usage } = entry.message;
  return {
    id: `msg_${entry.uuid}`,
    model,
    stop_reason: stopReason(finishReason),
    usage: figures(usage ?? { input_tokens: 0, output_tokens: 0 }),
  };
}

/** A reply's text and reasoning; nothing when it holds only calls, which have lines of their own. */
export function assistantLine(entry: JSONLEntry, head: ReplyHead): Line | undefined {
  const { reasoning, interrupted, failed } = entry.message;
  const text = entryText(entry);
  const content = [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning.text }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  if (content.length === 0) return undefined;
  return {
    ...fromAssistant(content, head),
    ...(interrupted === true ? { aborted: true } : {}),
    ...(failed === true ? { error: 'unknown' } : {}),
    uuid: entry.uuid,
  };
}

/** One call of a reply. */
export function toolUseLine(entry: JSONLEntry, head: ReplyHead): Line | undefined {
  const { tool } = entry;
  if (tool === undefined) return undefined;
  const content = [{ type: 'tool_use', id: tool.id, name: tool.name, input: tool.input }];
  return { ...fromAssistant(content, head), uuid: entry.uuid };
}

/** The one result of one call. */
export function toolResultLine(entry: JSONLEntry): Line | undefined {
  const { toolResult } = entry;
  if (toolResult === undefined) return undefined;
  const { id, status, error, display } = toolResult;
  const is_error = error !== undefined || (status !== undefined && status !== 'ok' && status !== 'partial');
  const content = [{ type: 'tool_result', tool_use_id: id, content: resultText(entry), is_error }];
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...(display === undefined ? {} : { tool_use_result: display }),
    uuid: entry.uuid,
  };
}

/** What the program says to the model in the middle of a turn. */
export function nudgeLine(entry: JSONLEntry): Line {
  const message = { role: 'user', content: entryText(entry) };
  return { type: 'user', message, parent_tool_use_id: null, isSynthetic: true, uuid: entry.uuid };
}

/** Our reasons by the names that readers of stream-json know. */
export function stopReason(reason: string | undefined): string | null {
  const names: Readonly<Record<string, string>> = {
    stop: 'end_turn',
    tool_calls: 'tool_use',
    length: 'max_tokens',
    content_filter: 'refusal',
  };
  return reason === undefined ? null : (names[reason] ?? reason);
}

function fromAssistant(content: readonly object[], { id, model, stop_reason, usage }: ReplyHead): Line {
  const message = { id, type: 'message', role: 'assistant', model, content, stop_reason, usage };
  return { type: 'assistant', message, parent_tool_use_id: null };
}
