import { keysPage } from './pages/keysPage.ts';
import type { Command } from './types.ts';

/** Prints every key, what it does, and the name under which it can be given other keys. */
export const keys: Command = {
  name: 'keys',
  aliases: ['keybindings', 'hotkeys'],
  description: 'show the keys and how to change them',
  run: async (_args, host) => {
    const info = await host.keys?.();
    if (info !== undefined) return { type: 'page', page: keysPage(info) };
    return { type: 'notice', text: 'Keyboard shortcuts need a terminal.' };
  },
};
