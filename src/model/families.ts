/** The table of known model names: each provider with its source and date. */
import { anthropicModels } from './providers/anthropic.ts';
import { googleModels } from './providers/google.ts';
import { openaiModels } from './providers/openai.ts';
import { otherModels } from './providers/others.ts';
import type { Family, ProviderModels } from './providers/types.ts';

export const providers: readonly ProviderModels[] = [
  openaiModels,
  anthropicModels,
  googleModels,
  ...otherModels,
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
