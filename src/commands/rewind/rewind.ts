import { oneLine } from '../../context/index.ts';
import type { RewindPlan, TurnRecord } from '../../protocol/checkpoints.ts';
import { alignColumns } from '../figures.ts';
import { changesPage } from '../pages/changesPage.ts';
import { heading, type Page, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';
import { changedText, turnOf } from './turnChoice.ts';

/** Maximum number of turns listed in output without a full screen. */
const LISTED = 20;

/** Rewinds to before a turn: the conversation, the files, or both. Undoes the last rewind. */
export const rewind: Command = {
  name: 'rewind',
  aliases: ['undo', 'checkpoint'],
  description: 'rewind to before a turn; undo reverts it',
  argumentHint: '[1, 2 …, undo]',
  run: async (args, { agent }) => {
    if (agent.state().busy) {
      const text = 'Something is running. Press Esc to stop it, then rewind.';
      return { type: 'notice', level: 'error', text };
    }
    if (args === 'undo') return { type: 'op', op: { type: 'undo_rewind' } };
    if (args === '') {
      const page = turnsPage(await agent.turns(LISTED));
      return { type: 'dialog', dialog: 'rewind', page };
    }
    const chosen = await turnOf(args, agent);
    if ('problem' in chosen) {
      const text = `${chosen.problem} /rewind lists the turns, /rewind undo undoes the last rewind.`;
      return { type: 'notice', level: 'error', text };
    }
    const { turn } = chosen;
    const plan = await agent.planRewind(turn.uuid);
    const page = plan === undefined ? turnsPage([turn]) : planPage(plan, agent.state().root);
    return { type: 'dialog', dialog: 'rewind', turn, page };
  },
};

function turnsPage(turns: readonly TurnRecord[]): Page {
  const rows = turns.map((turn, index) => [
    String(turns.length - index),
    turn.timestamp.slice(0, 16).replace('T', ' '),
    changedText(turn),
    oneLine(turn.text, 80),
  ]);
  const lines =
    rows.length === 0
      ? [pageLine('No prompts yet.')]
      : [heading('Turns, 1 being the latest'), ...alignColumns(rows).map((row) => pageLine(row))];
  return () => lines;
}

function planPage({ turn, plan, notes, noFiles }: RewindPlan, root: string): Page {
  const steps = plan.steps.filter(({ action }) => action !== 'nothing');
  const title = `Rewinding to before “${turn.text}” would change ${steps.length === 0 ? 'no file' : 'these files'}`;
  const all = noFiles === undefined ? notes : [noFiles, ...notes];
  return changesPage({ title, steps, root, notes: all });
}
