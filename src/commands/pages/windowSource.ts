import type { ModelInfo } from '../../protocol/model.ts';

/** The source of a context window's size, as a remark after the number. */
export const windowSources: Readonly<Record<ModelInfo['source'], string>> = {
  catalogue: '(known for this model)',
  setting: '(from your settings)',
  server: '(reported by the server)',
  learned: '(learned from the server)',
  assumed: '(assumed; not reported by the server)',
};
