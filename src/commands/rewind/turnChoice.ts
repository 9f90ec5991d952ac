import type { Agent } from '../../agent/types.ts';
import type { TurnRecord } from '../../protocol/checkpoints.ts';

/** Summarizes a turn's changes; for example "+12 −3 in 2 files". Empty if it changed nothing. */
export function changedText({ files, lines }: Pick<TurnRecord, 'files' | 'lines'>): string {
  if (files === 0) return '';
  const where = `in ${files} ${files === 1 ? 'file' : 'files'}`;
  return lines === undefined ? where : `+${lines.added} −${lines.removed} ${where}`;
}

/** Finds the turn for a number (1 is the newest) or "last"; `problem` says why there is none. */
export async function turnOf(
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
