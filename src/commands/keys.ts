import { alignColumns } from './textTable.ts';
import type { Command } from './types.ts';

/** Prints every key, what it does, and the name under which it can be given other keys. */
export const keys: Command = {
  name: 'keys',
  aliases: ['keybindings', 'hotkeys'],
  description: 'show the keys, and how to change them',
  run: async (_args, host) => {
    const info = await host.keys?.();
    if (info === undefined) return { type: 'notice', text: 'There are no keys here: this is no terminal.' };
    const tables = info.groups.map(({ title, context, rows }) =>
      [
        `${title} (${context})`,
        ...alignColumns(
          rows.map(({ keys: names, description, action, isFixed }) => [
            names.join(', ') || 'no key',
            `${description} · ${action}${isFixed ? ', fixed' : ''}`,
          ]),
        ),
      ].join('\n'),
    );
    const how = `Change them in ${info.file}, for example { "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }`;
    return { type: 'notice', text: [...tables, [how, ...info.problems].join('\n')].join('\n\n') };
  },
};
