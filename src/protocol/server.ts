/**
 * What a server says about itself and its models, asked before a prompt is sent. Asked in `model/servers`, used
 * for the first minute, the model's real window and `clawdcode doctor`.
 */
import type { ModelError } from './model.ts';

export type ServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'openai' | 'other';

/** One model that a server offers; what it does not tell is absent. */
export interface ServedModel {
  readonly id: string;
  /** The window that requests really get, in tokens: as it is loaded, or would be. */
  readonly windowTokens?: number;
  /** The largest window that it was made for, in tokens. */
  readonly maxWindowTokens?: number;
  readonly loaded?: boolean;
  readonly tools?: boolean;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  /** Not for conversations: embeddings, rerankers, speech. */
  readonly unfit?: boolean;
}

export interface ServerFacts {
  readonly kind: ServerKind;
  /** Base URL of its OpenAI-compatible endpoint, up to and including `/v1`. */
  readonly baseUrl: string;
  readonly version?: string;
  /** In the server's order, loaded ones first. */
  readonly models: readonly ServedModel[];
}

/** `failed` says what happened and what to do next, like a failed request. */
export type ServerAnswer =
  | { readonly type: 'server'; readonly facts: ServerFacts }
  | { readonly type: 'failed'; readonly error: ModelError };

/** What a few short requests showed of a model: `clawdcode doctor` asks them. Absent = could not be found out. */
export interface ModelProbe {
  readonly answers: boolean;
  /** Milliseconds to the first piece of an answer. */
  readonly firstTokenMs?: number;
  readonly toolCalls?: 'native' | 'text' | 'none';
  readonly parallelCalls?: boolean;
  readonly streamingUsage?: boolean;
  /** Under which name it sends its reasoning. */
  readonly reasoningField?: string;
  readonly error?: ModelError;
}
