/**
 * The demo model: a built-in, deterministic stand-in that needs no network. It is not a language model: it recognizes
 * three requests and plays each as a short script, but through the same port as a real model, so tools, permissions,
 * log, compaction and resume work as usual.
 */
import type { AssistantMessage, Message, Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelEvent, ModelInfo, ModelRequest } from '../protocol/models/model.ts';
import { demoReply } from './demoScripts.ts';

export const DEMO_MODEL = 'demo';

export const demoModelInfo: ModelInfo = {
  id: DEMO_MODEL,
  windowTokens: 32_000,
  maxOutputTokens: 4096,
  source: 'catalogue',
  tokenizer: 'unknown',
  price: { input: 0, cachedInput: 0, output: 0 },
};

/** Milliseconds between two words, so that the reply visibly streams. */
const WORD_DELAY = 12;

export function createDemoClient(sleep: (ms: number, signal: AbortSignal) => Promise<void>): ModelClient {
  return {
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      const message = demoReply(request);
      for (const text of message.content.match(/\S+\s*|\s+/g) ?? []) {
        await sleep(WORD_DELAY, signal);
        if (signal.aborted) return;
        yield { type: 'text_delta', text };
      }
      for (const [index, call] of message.toolCalls.entries()) {
        yield { type: 'tool_call_delta', index, name: call.name, argumentsLength: call.arguments.length };
      }
      if (signal.aborted) return;
      const finishReason = message.toolCalls.length > 0 ? 'tool_calls' : 'stop';
      yield {
        type: 'done',
        reply: { message, finishReason, usage: usageOf(request, message), model: DEMO_MODEL },
      };
    },
  };
}

/** The demo model counts four characters as one token. */
function usageOf(request: ModelRequest, message: AssistantMessage): Usage {
  const input = request.messages.reduce(
    (sum, one) => sum + lengthOf(one),
    JSON.stringify(request.tools).length,
  );
  return { inputTokens: Math.ceil(input / 4), outputTokens: Math.ceil(lengthOf(message) / 4) };
}

function lengthOf(message: Message): number {
  const calls = message.role === 'assistant' ? JSON.stringify(message.toolCalls).length : 0;
  const content = typeof message.content === 'string' ? message.content : JSON.stringify(message.content);
  return content.length + calls;
}
