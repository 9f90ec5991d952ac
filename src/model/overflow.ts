/** Recognizes "the request is larger than the context window" in the wording of known servers. Pure. */

/** Each pattern matches the wording of one or more servers; a first group, if any, is the window in tokens. */
const wordings: readonly RegExp[] = [
  // OpenAI, Azure, DeepSeek, OpenRouter, vLLM, SGLang, Fireworks
  /maximum context length(?: is|:| of)? ?(\d[\d,]*)/i,
  // vLLM since 0.11: "the model's context length is only 4096 tokens"
  /context length is (?:only )?(\d[\d,]*) tokens/i,
  /longer than the (?:maximum )?model(?:'s)? (?:context )?length(?: of)? ?\(?(\d[\d,]*)/i,
  // OpenAI, newer
  /input tokens exceed the configured limit of (\d[\d,]*)/i,
  /exceeds? the context window/i,
  /context_length_exceeded|context length exceeded|context_window_exceeded/i,
  // llama.cpp: the field is more reliable than the sentence
  /"n_ctx": ?(\d+)/,
  /exceeds the available context size(?: \((\d+) tokens\))?/i,
  /exceed_context_size/i,
  // LM Studio
  /context length of (?:only )?(\d[\d,]*) tokens/i,
  /n_keep: \d+ >= n_ctx: (\d+)/i,
  /greater than the context length/i,
  /context size has been exceeded/i,
  // Ollama
  /prompt too long; exceeded max context length/i,
  /input (?:length )?exceeds (?:the )?(?:maximum )?context length/i,
  // Anthropic and servers that imitate it; Bedrock
  /prompt is too long: \d+ tokens > (\d+)/i,
  /exceed context limit: \d+ \+ \d+ > (\d+)/i,
  /(?:prompt|input) is too long/i,
  /request_too_large|request exceeds the maximum size/i,
  // Gemini
  /input token count.{0,30}exceeds the maximum number of tokens allowed[^\d]{0,3}(\d+)?/i,
  // Mistral, xAI, Cerebras, Moonshot, GitHub Copilot, Together, TGI, DashScope, Zhipu, MiniMax
  /too large for model with (\d+) maximum context length/i,
  /maximum prompt length is (\d+)/i,
  /current length is \d+ while limit is (\d+)/i,
  /exceeded model token limit: (\d+)/i,
  /prompt token count of \d+ exceeds the limit of (\d+)/i,
  /max_new_tokens`? must be <= (\d+)/i,
  /range of input length should be \[\d+, (\d+)\]/i,
  /prompt exceeds max length/i,
  /context window exceeds limit/i,
  // Groq, and a fallback for several others
  /reduce the length of the (?:messages|input|prompt)/i,
  /shorten (?:your|the) (?:prompt|input|messages)/i,
];

/**
 * Reads an overflow error: undefined if the failure is a different one, otherwise the window in tokens if the text
 * contains it.
 */
export function readOverflow(body: string): { readonly windowTokens?: number } | undefined {
  let found = false;
  for (const wording of wordings) {
    const match = wording.exec(body);
    if (match === null) continue;
    found = true;
    const windowTokens = Number(match[1]?.replaceAll(',', ''));
    if (Number.isSafeInteger(windowTokens) && windowTokens > 0) return { windowTokens };
  }
  return found ? {} : undefined;
}
