/** Keys that open a dialog; while something else is asked they do nothing. */
import type { Deed } from './types.ts';

/** `?`: the keys. */
export const showKeys: Deed = ({ snapshot, set }) => {
  if (snapshot().phase.type === 'session') set({ phase: { type: 'keys' } });
};

export const pickModel: Deed = async ({ snapshot, set, say }) => {
  const { session } = snapshot();
  if (session === undefined) return;
  try {
    const list = await session.host.listModels();
    if (snapshot().phase.type === 'session') set({ phase: { type: 'models', ...list } });
  } catch (error) {
    say('error', `The models cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
  }
};
