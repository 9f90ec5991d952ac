import { parseThemeSetting, themeSettings } from '../protocol/themeNames.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine, textLines } from './pages/page.ts';
import type { Command, KeysInfo } from './types.ts';

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

// The page of `/keys`: each key with its action, grouped by context, and how to change them.

/** Keys wider than this share of the screen get their own line. */
const KEYS_SHARE = 0.3;

function keysPage({ file, groups, problems }: KeysInfo): Page {
  return (columns) => [
    ...groups.flatMap(({ title, context, rows }) => [
      heading(`${title} (${context})`),
      ...rows.flatMap((row) => rowLines(row, columns)),
      blankLine,
    ]),
    ...textLines(`Change them in ${file}, for example:`, 0),
    ...textLines('{ "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }', 2),
    ...problems.flatMap((problem) => textLines(problem, 0, 'warning')),
  ];
}

function rowLines(
  { keys, description, action, isFixed }: KeysInfo['groups'][number]['rows'][number],
  columns: number,
): readonly PageLine[] {
  const room = Math.max(8, Math.floor(columns * KEYS_SHARE));
  const indent = ' '.repeat(2);
  const names = keys.length === 0 ? 'no key' : keys.join(', ');
  const rest = [description, { text: `  ${action}${isFixed ? ', fixed' : ''}`, role: 'dim' } as const];
  if (names.length <= room) {
    const line = pageLine(indent, { text: names.padEnd(room), role: 'accent' }, '  ', ...rest);
    return [hanging(line, room + 4)];
  }
  const left = ' '.repeat(room + 4);
  return [pageLine(indent, { text: names, role: 'accent' }), pageLine(left, ...rest)];
}
