/** Chooses the removal strategy and its amounts by model. */

import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';
import type { RemovalPlanOptions, StrategyName } from './types.ts';

interface ModelStrategy {
  readonly strategy: StrategyName;
  /** Removable messages to keep at the beginning and (`preserveEnd`) at the end, and the minimum to keep in total. */
  readonly preserveStart: number;
  readonly preserveEnd: number;
  readonly minMessages: number;
  /** Share of the window to which removal reduces the request. */
  readonly targetShare: number;
  /** One line for `/context settings`. */
  readonly reason: string;
}

interface Endpoint {
  /** `openai`, `anthropic`, `ollama` …, if known. */
  readonly provider?: string;
  readonly baseUrl?: string;
}

/**
 * The table row for a model. The model's id decides first, since a local proxy may serve any model, then the provider's
 * name, then the address; otherwise the default row is used.
 */
export function strategyForModel(
  modelId: string,
  { provider = '', baseUrl = '' }: Endpoint = {},
): ModelStrategy {
  const id = modelId.toLowerCase();
  const host = hostOf(baseUrl);
  const name = provider.toLowerCase().replace(/[\s_-]/g, '');
  const row =
    TABLE.find(({ ids }) => ids?.test(id)) ??
    TABLE.find(({ providers }) => providers?.test(name)) ??
    TABLE.find(({ hosts }) => host !== '' && hosts?.test(host));
  return (row ?? OTHER).choice;
}

interface Row {
  readonly ids?: RegExp;
  /** Lower case, without spaces, underscores and dashes. */
  readonly providers?: RegExp;
  /** Host and port in lower case. */
  readonly hosts?: RegExp;
  readonly choice: ModelStrategy;
}

/** The design specifies the strategies and which models keep more; the exact amounts are ours. */
const TABLE: readonly Row[] = [
  {
    ids: /(?:^|[/.:])o[1-9](?:$|[-:])/,
    choice: {
      strategy: 'middle-removal',
      preserveStart: 8,
      preserveEnd: 20,
      minMessages: 20,
      targetShare: 0.7,
      reason: 'reasoning models need more context: more is kept at both ends',
    },
  },
  {
    ids: /(?:^|[/.:])(?:chatgpt|gpt-[3-9])/,
    providers: /^(?:openai|azure(?:openai)?)$/,
    hosts: /(?:^|\.)openai\.(?:com|azure\.com)(?::\d+)?$/,
    choice: {
      strategy: 'hybrid',
      preserveStart: 4,
      preserveEnd: 10,
      minMessages: 10,
      targetShare: 0.6,
      reason: 'keeps a balance of beginning and end, depending on the conversation',
    },
  },
  {
    ids: /(?:^|[/.:])claude/,
    providers: /^(?:anthropic|claude)$/,
    hosts: /(?:^|\.)anthropic\.com(?::\d+)?$/,
    choice: {
      strategy: 'oldest-removal',
      preserveStart: 2,
      preserveEnd: 20,
      minMessages: 20,
      targetShare: 0.6,
      reason: 'the newest messages matter most: the oldest are removed first, and more is kept at the end',
    },
  },
  {
    ids: /(?:^|[/.:])gemini/,
    providers: /^(?:google|gemini|googleai|vertex(?:ai)?)$/,
    hosts: /(?:^|\.)(?:generativelanguage|aiplatform)\.googleapis\.com(?::\d+)?$/,
    choice: {
      strategy: 'middle-removal',
      preserveStart: 10,
      preserveEnd: 30,
      minMessages: 30,
      targetShare: 0.75,
      reason: 'the window is large: little is removed, and only from the middle',
    },
  },
  {
    providers: /^(?:lmstudio|ollama|llamacpp|llama\.cpp|llamaserver|vllm|local)$/,
    hosts:
      /^(?:[^.:[\]]+|[^:]+\.local(?:host|domain)?|host\.docker\.internal|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|10\.[\d.]+|192\.168\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+)(?::\d+)?$|:(?:1234|11434)$/,
    choice: {
      strategy: 'hybrid',
      preserveStart: 2,
      preserveEnd: 6,
      minMessages: 6,
      targetShare: 0.45,
      reason: 'local models have small windows: more is removed at once',
    },
  },
];

const OTHER: Row = {
  choice: {
    strategy: 'hybrid',
    preserveStart: 4,
    preserveEnd: 10,
    minMessages: 10,
    targetShare: 0.6,
    reason: 'nothing specific is known about this model: depends on the conversation',
  },
};

/** Host with port; empty if the URL is invalid. */
function hostOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return '';
  return new URL(baseUrl).host.toLowerCase();
}

// Derives the removal policy from settings and model, for each request.

export interface RemovalPolicy extends RemovalPlanOptions {
  /** Share of the window to which removal reduces the request; below `removal.at`. */
  readonly targetShare: number;
  /** Source of the strategy. */
  readonly source: 'model' | 'setting';
  /** One line for `/context settings`. */
  readonly reason: string;
}

/** Uses the model's row unless a removal strategy is set; amounts in the settings override the row. */
export function removalPolicyFor(
  { strategy, removal }: Pick<ContextSettings, 'strategy' | 'removal'>,
  modelId: string,
  endpoint: Endpoint = {},
): RemovalPolicy {
  const row = strategyForModel(modelId, endpoint);
  const chosen = isRemovalStrategy(strategy) ? strategy : undefined;
  return {
    strategy: chosen ?? row.strategy,
    preserveStart: removal.preserveStart ?? row.preserveStart,
    preserveEnd: removal.preserveEnd ?? row.preserveEnd,
    minMessages: removal.minMessages ?? row.minMessages,
    confidence: removal.confidence,
    targetShare: Math.min(row.targetShare, removal.at * MOST_OF_TRIGGER),
    source: chosen === undefined ? 'model' : 'setting',
    reason: chosen === undefined ? row.reason : 'chosen in the settings',
  };
}

/** A removal that frees less would be triggered again by the next result. */
const MOST_OF_TRIGGER = 0.85;

/** True for the removal strategies among the settings. */
export function isRemovalStrategy(name: string): name is StrategyName {
  return name === 'middle-removal' || name === 'oldest-removal' || name === 'hybrid';
}
