import type { ModelInfo } from '../../protocol/models/model.ts';
import type { ReasoningField } from '../wire.ts';

/** Models that share all of these properties. Uncertain properties are left out. */
export interface Family {
  /** Matched against the model's name in lower case, without vendor prefix. */
  readonly match: RegExp;
  /** Tokens of input and reply together; of the input alone if the provider limits that separately. */
  readonly window: number;
  readonly maxOutput: number;
  readonly tokenizer?: ModelInfo['tokenizer'];
  /** US dollars per million tokens: input, cached input, output. */
  readonly price?: readonly [number, number, number];
  /** The endpoint rejects a history without its earlier reasoning. */
  readonly returnsReasoning?: boolean;
  /**
   * How the model reasons, if that can be observed or set: the field with its reasoning, the values of `reasoning_effort`.
   */
  readonly reasoning?: {
    readonly field?: ReasoningField;
    readonly efforts?: readonly string[];
    readonly thinking?: ModelInfo['thinking'];
  };
  readonly vision?: boolean;
  readonly tools?: boolean;
  /** Open weights: any server may run it, with its own window. */
  readonly open?: boolean;
}

/** How a provider caches the beginning of a prompt. */
interface CacheRules {
  /** Automatic, or only up to markers in the request. */
  readonly kind: 'automatic' | 'explicit';
  /** Price of writing to the cache, as a multiple of the input price; absent = as other input. */
  readonly writePrice?: number;
}

/** Published tables of models, as npm packages; both from September 2026. */
export const publishedTables = '@oh-my-pi/pi-catalog 18.2.11 and @llmgateway/models 1.324.0';

export interface ProviderModels {
  readonly provider: string;
  /** The provider's own pages, where figures can be checked. */
  readonly source: string;
  /**
   * The tables that the lines were compared with: if two differ, the smaller window is used, and no price. Absent if
   * nothing was found to compare with.
   */
  readonly comparedWith?: string;
  /** Year and month of the tables compared with, or else of when the lines were written. */
  readonly asOf: string;
  readonly cache?: CacheRules;
  /** Served only by this provider, so that the models are the same at every gateway; except `open` families. */
  readonly closed?: boolean;
  /** More specific families come first. */
  readonly families: readonly Family[];
}
