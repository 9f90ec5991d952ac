import { parseThemeSetting, themeSettings } from '../protocol/themeNames.ts';
import type { Command } from './types.ts';

/** Chooses the colours: from a list that shows a sample of each, or by name. */
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
