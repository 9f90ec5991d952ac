import type { Command } from './types.ts';

/** Leaves; the session stays resumable. */
export const exit: Command = {
  name: 'exit',
  aliases: ['quit'],
  description: 'quit; the session stays resumable',
  run: () => ({ type: 'exit' }),
};
