import type { Command } from './types.ts';

/** Takes the last compaction back, where what it stands for still fits. */
export const uncompact: Command = {
  name: 'uncompact',
  aliases: ['uncompress'],
  description: 'undo the last compaction',
  run: () => ({ type: 'op', op: { type: 'uncompact' } }),
};
