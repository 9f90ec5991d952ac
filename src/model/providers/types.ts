import type { ModelInfo } from '../../protocol/model.ts';
import type { ReasoningField } from '../wire.ts';

/** Models that are alike in all that is said here. What is not certain is left out. */
export interface Family {
  /** Tested against the model's name in lower case, without vendor prefix. */
  readonly match: RegExp;
  /** Tokens of input and reply together; of input alone where the provider bounds that. */
  readonly window: number;
  readonly maxOutput: number;
  readonly tokenizer?: ModelInfo['tokenizer'];
  /** US dollars per million tokens: input, cached input, output. */
  readonly price?: readonly [number, number, number];
  /** The endpoint refuses a history without its earlier reasoning. */
  readonly returnsReasoning?: boolean;
  /** How it thinks, where that can be seen or set: the field of its thoughts, the values of `reasoning_effort`. */
  readonly reasoning?: { readonly field?: ReasoningField; readonly efforts?: readonly string[] };
  readonly vision?: boolean;
  readonly tools?: boolean;
  /** Anybody may serve it, with a window of their own. */
  readonly open?: boolean;
}

/** How a provider remembers the beginning of a prompt. */
export interface CacheRules {
  /** Of itself, or only up to marks in the request. */
  readonly kind: 'automatic' | 'explicit';
  /** Shorter beginnings are not remembered; of several figures the smallest. */
  readonly minTokens?: number;
  /** The least time for which it is remembered. */
  readonly ttlSeconds?: number;
}

/** Published tables of models, as npm packages: both of September 2026. */
export const publishedTables = '@oh-my-pi/pi-catalog 18.2.11 and @llmgateway/models 1.324.0';

export interface ProviderModels {
  readonly provider: string;
  /** The provider's own pages: where a figure is to be looked up. */
  readonly source: string;
  /**
   * What the lines were compared with, where it has the model: if two tables differ, the smaller window stands here,
   * and no price. Without it nothing was found to compare with.
   */
  readonly comparedWith?: string;
  /** Year and month of what they were compared with, or else in which they were written down. */
  readonly asOf: string;
  readonly cache?: CacheRules;
  /** Served by the provider alone, so that they are the same wherever they are asked for; but for `open` families. */
  readonly closed?: boolean;
  /** More specific families come first. */
  readonly families: readonly Family[];
}
