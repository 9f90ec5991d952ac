/** The table of known model names: one file per provider, with its source and date. */

import { alibabaModels } from './providers/alibaba.ts';
import { anthropicModels } from './providers/anthropic.ts';
import { cohereModels } from './providers/cohere.ts';
import { deepseekModels } from './providers/deepseek.ts';
import { googleModels } from './providers/google.ts';
import { metaModels } from './providers/meta.ts';
import { microsoftModels } from './providers/microsoft.ts';
import { minimaxModels } from './providers/minimax.ts';
import { mistralModels } from './providers/mistral.ts';
import { moonshotModels } from './providers/moonshot.ts';
import { openaiModels } from './providers/openai.ts';
import type { Family, ProviderModels } from './providers/types.ts';
import { xaiModels } from './providers/xai.ts';
import { zhipuModels } from './providers/zhipu.ts';

export const providers: readonly ProviderModels[] = [
  openaiModels,
  anthropicModels,
  googleModels,
  deepseekModels,
  alibabaModels,
  zhipuModels,
  moonshotModels,
  minimaxModels,
  mistralModels,
  metaModels,
  xaiModels,
  cohereModels,
  microsoftModels,
];

export interface FoundFamily {
  readonly family: Family;
  readonly provider: ProviderModels;
}

/** Finds the family of a model by its bare name in lower case, and its provider; undefined for an unknown name. */
export function familyOf(name: string): FoundFamily | undefined {
  for (const provider of providers) {
    const family = provider.families.find(({ match }) => match.test(name));
    if (family !== undefined) return { family, provider };
  }
  return undefined;
}
