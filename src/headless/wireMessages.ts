/** The lines of stream-json that come from the log: pure, at most one line per entry. */
import type { JSONLEntry } from '../protocol/entries.ts';
import { figures, messageText, resultText } from './tally.ts';

/** One line of output, before serialization. */
export interface Line {
  readonly type: string;
  readonly uuid?: string;
  readonly [field: string]: unknown;
}

/** The reply to which the following tool calls belong. */
export interface ReplyHead {
  readonly id: string;
  readonly model: string | undefined;
  readonly stop_reason: string | null;
  readonly usage: object;
}

/** The fields that every line of one reply repeats: id, model, stop reason and usage. */
export function replyHead(entry: JSONLEntry): ReplyHead {
  const { model, finishReason, usage } = entry.message;
  return {
    id: `msg_${entry.uuid}`,
    model,
    stop_reason: stopReason(finishReason),
    usage: figures(usage ?? { input_tokens: 0, output_tokens: 0 }),
  };
}

/** A reply's text and reasoning; undefined if it contains only calls, which have their own lines. */
export function assistantLine(entry: JSONLEntry, head: ReplyHead): Line | undefined {
  const { reasoning, interrupted, failed } = entry.message;
  const text = messageText(entry);
  const content = [
    ...(reasoning === undefined || reasoning.text === ''
      ? []
      : [{ type: 'thinking', thinking: reasoning.text }]),
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

/** One tool call of a reply. */
export function toolUseLine(entry: JSONLEntry, head: ReplyHead): Line | undefined {
  const { tool } = entry;
  if (tool === undefined) return undefined;
  const content = [{ type: 'tool_use', id: tool.id, name: tool.name, input: tool.input }];
  return { ...fromAssistant(content, head), uuid: entry.uuid };
}

/** The result of one tool call. */
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

/** A message from the program to the model in the middle of a turn. */
export function nudgeLine(entry: JSONLEntry): Line {
  const message = { role: 'user', content: messageText(entry) };
  return { type: 'user', message, parent_tool_use_id: null, isSynthetic: true, uuid: entry.uuid };
}

/** Maps our finish reasons to the names that readers of stream-json know. */
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

/** JSON on one line with a line feed; escapes U+2028 and U+2029, which some readers treat as line endings. */
export function toLine(message: object): string {
  const json = JSON.stringify(message);
  return `${json.replace(/[\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16)}`)}\n`;
}
