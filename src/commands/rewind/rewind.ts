import type { Agent } from '../../agent/types.ts';
import { oneLine } from '../../context/index.ts';
import type { RewindPlan, TurnRecord } from '../../protocol/checkpoints.ts';
import { alignColumns } from '../figures.ts';
import { changesPage, changesStat } from '../pages/changesPage.ts';
import { heading, type Page, pageLine } from '../pages/page.ts';
import type { Command } from '../types.ts';

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

/** Summarizes a turn's changes; for example "+12 −3 in 2 files". Empty if it changed nothing. */
export function changedText({ files, lines }: Pick<TurnRecord, 'files' | 'lines'>): string {
  if (files === 0) return '';
  const where = `in ${files} ${files === 1 ? 'file' : 'files'}`;
  return lines === undefined ? where : `+${lines.added} −${lines.removed} ${where}`;
}

/** Finds the turn for a number (1 is the newest) or "last"; `problem` says why there is none. */
async function turnOf(
  word: string,
  agent: Pick<Agent, 'turns'>,
): Promise<{ readonly turn: TurnRecord } | { readonly problem: string }> {
  const back = word === 'last' ? 1 : Number(word);
  if (!Number.isSafeInteger(back) || back < 1)
    return { problem: 'Turns are numbered from the end: 1 is the latest.' };
  const turns = await agent.turns(back);
  const turn = turns.at(-back);
  if (turn !== undefined) return { turn };
  const many = turns.length === 1 ? 'one turn' : `${turns.length} turns`;
  return { problem: turns.length === 0 ? 'No prompts yet.' : `This session has ${many}.` };
}
