import type { ModelInfo } from '../../protocol/model.ts';
import type { ServedModel, ServerKind } from '../../protocol/server.ts';
import { grouped } from '../../protocol/text/numbers.ts';

/** Tokens. A window of this size is enough for an agent, even if the model supports more. */
const ENOUGH = 32_768;

/**
 * The advice to show once if the server's window is far below what the model was made for, or below the window in the
 * settings: a server that truncates silently loses the beginning of the conversation.
 */
export function windowAdvice(
  served: Pick<ServedModel, 'id' | 'windowTokens' | 'maxWindowTokens'> & { readonly kind: ServerKind },
  model: Pick<ModelInfo, 'windowTokens' | 'source'>,
): string | undefined {
  const { id, kind, windowTokens, maxWindowTokens = 0 } = served;
  if (windowTokens === undefined) return undefined;
  const own = grouped(windowTokens);
  if (model.source === 'setting' && model.windowTokens > windowTokens) {
    return `The settings give ${id} a window of ${grouped(model.windowTokens)} tokens, but the server serves it with ${own}; ${fate(kind)}. ${remedy(kind, model.windowTokens)}`;
  }
  if (model.source !== 'server' || windowTokens >= ENOUGH || windowTokens > maxWindowTokens / 2)
    return undefined;
  const wanted = Math.min(maxWindowTokens, ENOUGH);
  return `The server gives ${id} a window of ${own} tokens; it was made for ${grouped(maxWindowTokens)}. ${remedy(kind, wanted)}`;
}

function fate(kind: ServerKind): string {
  return kind === 'ollama' ? 'longer requests are silently cut' : 'longer requests are rejected';
}

/**
 * How to set the window on each server. source: the documents named in ollama.ts, lmstudio.ts, llamacpp.ts and
 * modelList.ts.
 */
function remedy(kind: ServerKind, tokens: number): string {
  switch (kind) {
    case 'ollama':
      return `For more, start Ollama with OLLAMA_CONTEXT_LENGTH=${tokens}, or set PARAMETER num_ctx ${tokens} in a Modelfile of your own.`;
    case 'lmstudio':
      return `For more, load it again with a greater context length (lms load --context-length ${tokens}).`;
    case 'llamacpp':
      return `For more, start llama-server with a greater --ctx-size; it is divided by --parallel.`;
    case 'vllm':
      return `For more, start vLLM with --max-model-len ${tokens}.`;
    default:
      return 'For more, change it at the server.';
  }
}
