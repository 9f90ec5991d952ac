import { tasksPage } from './pages/tasksPage.ts';
import type { Command } from './types.ts';

/** Lists background tasks; the full screen also shows their output and stops them. */
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
