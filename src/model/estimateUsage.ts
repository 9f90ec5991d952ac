/** Tokens of a request and its reply, for servers that report none. Pure. */
import type { Message, Usage } from '../protocol/messages.ts';
import type { ModelRequest, Reply } from '../protocol/models/model.ts';

/** Bytes of UTF-8 per token: typical for English and code, and about right for other scripts. */
const BYTES_PER_TOKEN = 4;
const IMAGE_TOKENS = 1500;

/** Accurate to about a third, which is enough for a total that is marked as estimated. */
export function estimateUsage({ messages, tools }: ModelRequest, { message }: Reply): Usage {
  const sizes = messages.map(tokensOf);
  const schemas = tools.length === 0 ? 0 : tokensIn(JSON.stringify(tools));
  return {
    inputTokens: schemas + sizes.reduce((sum, size) => sum + size, 0),
    outputTokens: tokensOf(message) + tokensIn(message.reasoning?.text ?? ''),
    isEstimated: true,
  };
}

function tokensOf(message: Message): number {
  const { content } = message;
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  const words = calls.reduce((sum, call) => sum + tokensIn(call.name) + tokensIn(call.arguments), 0);
  if (typeof content === 'string') return words + tokensIn(content);
  return content.reduce((sum, part) => sum + (part.type === 'text' ? tokensIn(part.text) : IMAGE_TOKENS), 0);
}

const tokensIn = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
