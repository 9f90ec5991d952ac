import { tasksPage } from './pages/tasksPage.ts';
import type { Command } from './types.ts';

/** Lists what runs in the background; on a screen its output can be followed, and it can be stopped. */
export const tasks: Command = {
  name: 'tasks',
  aliases: ['bashes', 'ps'],
  description: 'background tasks: list, output, stop',
  run: (_args, { agent }) => ({
    type: 'dialog',
    dialog: 'tasks',
    page: tasksPage(agent.state().tasks),
  }),
};
