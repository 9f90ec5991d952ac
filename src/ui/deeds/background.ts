import type { Deed } from './types.ts';

/** Moves what runs in front to the background; the agent says so where nothing can be moved. */
export const moveToBackground: Deed = ({ snapshot }) =>
  snapshot().session?.agent.submit({ type: 'background' });
