import type { Command } from './types.ts';

/** Summarises the conversation so far; the agent reports what became of it. */
export const compact: Command = {
  name: 'compact',
  aliases: ['compress', 'summarize'],
  description: 'summarise the conversation to free context',
  argumentHint: '[focus]',
  run: (args) => ({ type: 'op', op: { type: 'compact', ...(args === '' ? {} : { focus: args }) } }),
};
