import type { ModelInfo } from '../../protocol/models/model.ts';
import type { ServedModel, ServerKind } from '../../protocol/models/server.ts';
import { grouped } from '../../protocol/text/numbers.ts';

/** Tokens that are enough for an agent, even if the model supports more. */
const ENOUGH = 32_768;

/**
 * The advice to show once if the server's window is far below what the model supports, or below the window in the
 * settings: a server that truncates silently loses the beginning of the conversation.
 */
export function windowAdvice(
  served: Pick<ServedModel, 'id' | 'windowTokens' | 'maxWindowTokens'> & { readonly kind: ServerKind },
  model: Pick<ModelInfo, 'windowTokens' | 'source'>,
): string | undefined {
  const { id, kind, windowTokens, maxWindowTokens = 0 } = served;
  if (windowTokens === undefined) return undefined;
  const actual = grouped(windowTokens);
  if (model.source === 'setting' && model.windowTokens > windowTokens) {
    return `The settings give ${id} a context window of ${grouped(model.windowTokens)} tokens, but the server runs it with ${actual}; ${consequence(kind)}. ${remedy(kind, model.windowTokens)}`;
  }
  if (model.source !== 'server' || windowTokens >= ENOUGH || windowTokens > maxWindowTokens / 2)
    return undefined;
  const wanted = Math.min(maxWindowTokens, ENOUGH);
  return `The server runs ${id} with a context window of ${actual} tokens; the model supports ${grouped(maxWindowTokens)}. ${remedy(kind, wanted)}`;
}

function consequence(kind: ServerKind): string {
  return kind === 'ollama' ? 'longer requests are silently truncated' : 'longer requests are rejected';
}

/**
 * How to set the window on each server. source: the documents named in localServers.ts and modelList.ts.
 */
function remedy(kind: ServerKind, tokens: number): string {
  switch (kind) {
    case 'ollama':
      return `For more, start Ollama with OLLAMA_CONTEXT_LENGTH=${tokens}, or set PARAMETER num_ctx ${tokens} in your own Modelfile.`;
    case 'lmstudio':
      return `For more, reload it with a larger context length (lms load --context-length ${tokens}).`;
    case 'llamacpp':
      return `For more, start llama-server with a larger --ctx-size, which --parallel divides among its slots.`;
    case 'vllm':
      return `For more, start vLLM with --max-model-len ${tokens}.`;
    default:
      return 'For more, change it on the server.';
  }
}
