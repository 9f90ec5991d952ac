import { adaptiveCompress } from './adaptiveCompress.ts';
import { chooseByFeatures, featuresOf } from './features.ts';
import { MiddleRemovalStrategy } from './MiddleRemovalStrategy.ts';
import { OldestRemovalStrategy } from './OldestRemovalStrategy.ts';
import type { RemovalStrategy } from './types.ts';

/** Looks at the conversation and chooses one of the two; where it cannot tell, both are tried. */
export const HybridStrategy: RemovalStrategy = {
  name: 'hybrid',
  remove(items, targetTokens, options) {
    const features = featuresOf(items, targetTokens);
    const { strategy, confidence } = chooseByFeatures(features);
    const percent = (share: number): string => `${Math.round(share * 100)} %`;
    const seen = `${features.length} messages, ${percent(features.toolShare)} tools, ${percent(features.severity)} to go`;
    if (confidence < options.confidence) {
      const result = adaptiveCompress(items, targetTokens, options);
      return { ...result, confidence, reason: `${seen}; unsure, ${result.reason}` };
    }
    const chosen = strategy === 'middle-removal' ? MiddleRemovalStrategy : OldestRemovalStrategy;
    const result = chosen.remove(items, targetTokens, options);
    return { ...result, confidence, reason: `${seen}; ${strategy}: ${result.reason}` };
  },
};
