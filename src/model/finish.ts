/** Reads what servers say about the end of a reply: its reason and its token usage. Pure. */
import type { FinishReason, Usage } from '../protocol/messages.ts';
import { count, record, text } from './json.ts';

/** Wordings beyond OpenAI's own four; `cut` means that the server itself gave up in mid-reply. */
const reasons: Readonly<Record<string, FinishReason | 'cut'>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length', // Mistral
  content_filter: 'content_filter',
  safety: 'content_filter', // Gemini
  sensitive: 'content_filter', // Zhipu
  error: 'cut', // OpenRouter, Mistral
  abort: 'cut', // vLLM, SGLang
  network_error: 'cut', // Zhipu
  insufficient_system_resource: 'cut', // DeepSeek
};

/** Our reason for the server's word; a word that nobody knows is an ordinary end. */
export function readFinishReason(word: string, hasCalls: boolean): FinishReason | 'cut' {
  const key = word.toLowerCase();
  const reason = Object.hasOwn(reasons, key) ? (reasons[key] ?? 'stop') : 'stop';
  if (reason === 'stop' && hasCalls) return 'tool_calls';
  return reason === 'tool_calls' && !hasCalls ? 'stop' : reason;
}

/** Usage wherever a chunk carries it: at the top, in Groq's `x_groq`, or beside Moonshot's choice. */
export function readUsage(chunk: unknown): Usage | undefined {
  const { usage, x_groq, choices } = record(chunk);
  const choice = Array.isArray(choices) ? record(choices[0]) : {};
  const found = [usage, record(x_groq).usage, choice.usage].find(
    (candidate) => typeof candidate === 'object' && candidate !== null,
  );
  const fields = record(found);
  const inputTokens = count(fields.prompt_tokens) ?? count(fields.input_tokens);
  const outputTokens = count(fields.completion_tokens) ?? count(fields.output_tokens);
  // Some local servers send zeros when they did not count.
  if (inputTokens === undefined || outputTokens === undefined || inputTokens + outputTokens === 0) return;
  const cached =
    count(record(fields.prompt_tokens_details).cached_tokens) ??
    count(fields.prompt_cache_hit_tokens) ?? // DeepSeek
    count(fields.cached_tokens); // Moonshot
  const reasoning = count(record(fields.completion_tokens_details).reasoning_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(cached === undefined ? {} : { cachedTokens: Math.min(cached, inputTokens) }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

/** The reason of a chunk's first choice, if it has one. */
export function finishWord(choice: Readonly<Record<string, unknown>>): string | undefined {
  return text(choice.finish_reason);
}
