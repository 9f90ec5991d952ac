import type { Command } from './types.ts';

/** Opens an earlier session, by id, the beginning of one, or title; an unknown one is an error, never a new session. */
export const resume: Command = {
  name: 'resume',
  aliases: ['continue', 'sessions'],
  description: 'resume an earlier session',
  argumentHint: '[session]',
  run: async (args, host) => {
    if (args === '') return { type: 'dialog', dialog: 'resume' };
    if ((await host.findSession(args)) === 'found') return { type: 'open_session', target: { id: args } };
    const text = `There is no session "${args}" in this project: give an id, the beginning of one, or a title. /resume alone lists them.`;
    return { type: 'notice', level: 'error', text };
  },
};
