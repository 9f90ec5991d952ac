import type { Command } from './types.ts';

/** Takes the last compaction back, where what it stands for still fits. */
export const uncompact: Command = {
  name: 'uncompact',
  aliases: ['uncompress'],
  description: 'take the last compaction back',
  run: () => ({ type: 'op', op: { type: 'uncompact' } }),
};
