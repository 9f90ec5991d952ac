import { changesPage, changesStat } from '../pages/changesPage.ts';
import type { Command } from '../types.ts';
import { turnOf } from './turnChoice.ts';

/** Shows the changes on disk of this session or of one turn. */
export const diff: Command = {
  name: 'diff',
  aliases: [],
  description: 'show what this session changed on disk; last or a number: one turn',
  argumentHint: '[last, 1, 2 …]',
  run: async (args, { agent }) => {
    const chosen = args === '' ? undefined : await turnOf(args, agent);
    if (chosen !== undefined && 'problem' in chosen)
      return { type: 'notice', level: 'error', text: chosen.problem };
    const steps = (await agent.diff(chosen?.turn.uuid)) ?? [];
    const who = chosen === undefined ? 'This session' : `“${chosen.turn.text}”`;
    if (steps.length === 0) return { type: 'notice', text: `${who} changed no file.` };
    const title = `${who} changed ${changesStat(steps)}`;
    return { type: 'page', page: changesPage({ title, steps, root: agent.state().root }) };
  },
};
