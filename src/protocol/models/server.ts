/**
 * Facts that a server reports about itself and its models before a prompt is sent. Queried in `model/servers`; used for
 * onboarding, the model's real context window and `clawdcode doctor`.
 */
import type { ModelError } from './model.ts';

export type ServerKind = 'ollama' | 'lmstudio' | 'llamacpp' | 'vllm' | 'openai' | 'other';

/** A model that a server offers; unreported facts are absent. */
export interface ServedModel {
  readonly id: string;
  /** The context window that requests really get, in tokens: as loaded, or as it would be loaded. */
  readonly windowTokens?: number;
  /** The model's maximum context window, in tokens. */
  readonly maxWindowTokens?: number;
  readonly loaded?: boolean;
  readonly tools?: boolean;
  readonly vision?: boolean;
  readonly reasoning?: boolean;
  /** True for models that cannot chat: embeddings, rerankers, speech. */
  readonly unfit?: boolean;
}

export interface ServerFacts {
  readonly kind: ServerKind;
  /** Base URL of its OpenAI-compatible endpoint, up to and including `/v1`. */
  readonly baseUrl: string;
  readonly version?: string;
  /** In the server's order, with loaded models first. */
  readonly models: readonly ServedModel[];
}

/** With `failed`, the error states what happened and what to do next, as for any failed request. */
export type ServerAnswer =
  | { readonly type: 'server'; readonly facts: ServerFacts }
  | { readonly type: 'failed'; readonly error: ModelError };

/** Results of a few short test requests to a model, made by `clawdcode doctor`. Absent = could not be determined. */
export interface ModelProbe {
  readonly answers: boolean;
  /** Milliseconds until the first part of a reply. */
  readonly firstTokenMs?: number;
  readonly toolCalls?: 'native' | 'text' | 'none';
  readonly parallelCalls?: boolean;
  readonly streamingUsage?: boolean;
  /** The field in which it sends reasoning. */
  readonly reasoningField?: string;
  readonly error?: ModelError;
}

/** Whether a sentence was found in a prompt of this length. */
export interface Needle {
  /** Share of the context window. */
  readonly percent: number;
  readonly tokens: number;
  readonly isFound: boolean;
  /** Why there was no answer. */
  readonly problem?: string;
}

/** Results of the tests that cost something; absent = could not be determined. */
export interface ModelExam {
  /** The answer followed a JSON schema that the request named. */
  readonly jsonSchema?: boolean;
  readonly images?: boolean;
  /** `unreported`: the server does not say what it served from a cache. */
  readonly promptCache?: 'yes' | 'no' | 'unreported';
  readonly needles?: readonly Needle[];
}

/** The results of `clawdcode doctor --probe` for a model at an endpoint. */
export interface ModelCard extends Omit<ModelProbe, 'error' | 'answers'>, ModelExam {
  /** ISO 8601, UTC. */
  readonly testedAt: string;
  /** The context window assumed for it, in tokens. */
  readonly windowTokens: number;
}
