import type { Command } from './types.ts';

/** Vim keys on or off, kept in the user's settings. */
export const vim: Command = {
  name: 'vim',
  aliases: [],
  description: 'toggle vim mode',
  run: () => ({ type: 'toggle_vim' }),
};
