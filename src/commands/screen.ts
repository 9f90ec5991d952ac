import { parseThemeSetting, themeSettings } from '../protocol/themeNames.ts';
import { keysPage } from './pages/keysPage.ts';
import type { Command } from './types.ts';

/** Lists every key with its action, and the action's name for changing the key. */
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

/** Toggles vim mode; saved in the user's settings. */
export const vim: Command = {
  name: 'vim',
  aliases: [],
  description: 'toggle vim mode',
  run: () => ({ type: 'toggle_vim' }),
};

/** Switches the theme by name, or opens a list with samples. */
export const theme: Command = {
  name: 'theme',
  aliases: ['themes', 'colors'],
  description: 'choose a theme',
  argumentHint: '[name]',
  run: (args) => {
    if (args === '') return { type: 'set_theme' };
    const setting = parseThemeSetting(args);
    if (setting !== undefined) return { type: 'set_theme', setting };
    const text = `There is no theme "${args}". There are: ${themeSettings.join(', ')}.`;
    return { type: 'notice', level: 'error', text };
  },
};
