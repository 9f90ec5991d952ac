import type { Command } from './types.ts';

/** Characters that a title may have: more would not be read in a list. */
const MAX_CHARACTERS = 200;

/** Gives the session a name of the user's own; a title that the model or the first request gave stands back. */
export const rename: Command = {
  name: 'rename',
  aliases: ['name'],
  description: 'give this session a title of your own',
  argumentHint: '[title]',
  run: (args, { agent }) => {
    const title = [...args.replace(/\s+/g, ' ').trim()].slice(0, MAX_CHARACTERS).join('');
    if (title !== '') return { type: 'op', op: { type: 'set_title', title } };
    const current = agent.state().title;
    const now =
      current === undefined ? 'This session has no title yet' : `This session is called “${current}”`;
    return { type: 'notice', text: `${now}. /rename TITLE changes it.` };
  },
};
