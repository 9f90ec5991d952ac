import { blankLine, type Fact, factsPage } from './pages/page.ts';
import type { Command } from './types.ts';

const keys: readonly Fact[] = [
  ['Enter', 'send; \\ and Enter, Ctrl+J or Alt+Enter for a new line'],
  ['Esc', 'interrupt; twice clears the draft or rewinds'],
  ['Shift+Tab', 'next permission mode'],
  ['↑ ↓', 'earlier prompts; ↑ edits queued ones'],
  ['@path', 'name a file'],
  ['!command', 'run it yourself; the model sees the output'],
  ['Ctrl+R', 'search earlier prompts'],
  ['Ctrl+C', 'twice quits'],
  ['?', 'on an empty line: all keys; /keys prints them'],
];

/** Lists the commands and the keys. */
export const help: Command = {
  name: 'help',
  aliases: [],
  description: 'show commands and keys',
  run: (_args, { commands }) => {
    const rows = commands.map(
      ({ name, argumentHint, aliases, description }): Fact => [
        `/${name}${argumentHint === undefined ? '' : ` ${argumentHint}`}`,
        aliases.length === 0 ? description : `${description} (also /${aliases.join(', /')})`,
      ],
    );
    const [named, pressed] = [factsPage(rows, 'Commands'), factsPage(keys, 'Keys')];
    return { type: 'page', page: (columns) => [...named(columns), blankLine, ...pressed(columns)] };
  },
};
