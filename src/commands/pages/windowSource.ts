import type { ModelInfo } from '../../protocol/model.ts';

/** Where the size of a context window comes from; to put behind it. */
export const windowSources: Readonly<Record<ModelInfo['source'], string>> = {
  catalogue: '(known for this model)',
  setting: '(from your settings)',
  server: '(reported by the server)',
  learned: '(learned from the server)',
  assumed: '(assumed; not reported by the server)',
};
