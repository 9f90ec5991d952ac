import type { Command } from './types.ts';

/** Vim keys on or off, kept in the user's settings. */
export const vim: Command = {
  name: 'vim',
  aliases: [],
  description: 'switch vim keys on or off',
  run: () => ({ type: 'toggle_vim' }),
};
