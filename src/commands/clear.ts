import type { Command } from './types.ts';

/** Starts a new session; the old one stays on disk. */
export const clear: Command = {
  name: 'clear',
  aliases: ['new', 'reset'],
  description: 'start a new session; this one stays resumable',
  run: () => ({ type: 'open_session', target: 'new' }),
};
