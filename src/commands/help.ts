import { alignColumns } from './textTable.ts';
import type { Command } from './types.ts';

const keys = [
  ['Enter', 'send; \\ and Enter, Ctrl+J or Alt+Enter for a new line'],
  ['Esc', 'stop what runs; twice clears the draft, or goes back to an earlier turn'],
  ['Shift+Tab', 'next permission mode'],
  ['↑ ↓', 'earlier prompts; ↑ takes back what is queued'],
  ['@path', 'name a file'],
  ['!command', 'run it yourself; the model sees the output'],
  ['Ctrl+R', 'search earlier prompts'],
  ['Ctrl+C', 'twice leaves'],
  ['?', 'on an empty line: all keys; /keys prints them'],
] as const;

/** Lists the commands and the keys. */
export const help: Command = {
  name: 'help',
  aliases: [],
  description: 'show commands and keys',
  run: (_args, { commands }) => {
    const rows = commands.map(({ name, argumentHint, aliases, description }) => [
      `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
      aliases.length === 0 ? description : `${description} (also /${aliases.join(', /')})`,
    ]);
    const text = ['Commands', ...alignColumns(rows), '', 'Keys', ...alignColumns(keys)].join('\n');
    return { type: 'notice', text };
  },
};
