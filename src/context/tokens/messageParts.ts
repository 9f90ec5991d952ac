/** What of a message, or of a tool, costs tokens: texts to be counted, and what is the same for all texts. */
import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { imageTokens } from './images.ts';

export interface Countable {
  readonly texts: readonly string[];
  /** Framing and images. */
  readonly fixed: number;
}

/** Per message: role and separators. */
const MESSAGE_OVERHEAD = 4;
/** Per call, and per tool: braces, names of fields. */
const CALL_OVERHEAD = 10;

/** `byTiles`: how the model's provider charges for images. */
export function partsOfMessage(message: Message, byTiles: boolean): Countable {
  const texts: string[] = [];
  let fixed = MESSAGE_OVERHEAD;
  if (typeof message.content === 'string') texts.push(message.content);
  else {
    for (const part of message.content) {
      if (part.type === 'text') texts.push(part.text);
      else fixed += imageTokens(part.data, byTiles);
    }
  }
  if (message.role === 'tool') texts.push(message.toolCallId);
  if (message.role === 'assistant') {
    if (message.reasoning !== undefined) texts.push(message.reasoning.text);
    for (const call of message.toolCalls) {
      fixed += CALL_OVERHEAD;
      texts.push(call.id, call.name, call.arguments);
    }
  }
  return { texts, fixed };
}

export function partsOfTool(tool: ToolSchema): Countable {
  return { texts: [JSON.stringify(tool)], fixed: CALL_OVERHEAD };
}
