/** Going back: the turns by number, then what goes back, with all that it does to the files. */
import type { Agent } from '../../../agent/types.ts';
import type { RewindPlan, RewindScope, TurnRecord } from '../../../protocol/rewind.ts';
import { formatAge } from '../../print/numbers.ts';
import { sanitizeLine } from '../../print/sanitize.ts';
import { wayDialog } from '../../rewind/rewindState.ts';
import { dialogueOf } from './askDialog.ts';
import type { DialoguePorts } from './types.ts';

/** Turns that are told; `/rewind 30` goes further. */
const TOLD = 20;

/** Reads what it needs, then asks. */
export async function rewind(
  agent: Agent,
  turn: TurnRecord | undefined,
  ports: DialoguePorts,
): Promise<void> {
  const close = (): void => ports.controller.closeDialog();
  try {
    if (turn === undefined) return askTurn(agent, await agent.turns(TOLD), ports);
    const plan = await agent.planRewind(turn.uuid);
    if (plan !== undefined) return askWay(agent, plan, ports);
    ports.tell('Error: that turn is no longer part of the conversation.');
  } catch (error) {
    ports.tell(
      `Error: the session cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  close();
}

function askTurn(agent: Agent, turns: readonly TurnRecord[], ports: DialoguePorts): void {
  const close = (): void => ports.controller.closeDialog();
  const newest = turns.toReversed();
  if (newest.length === 0) {
    ports.tell('No prompts yet, so there is nothing to rewind to.');
    close();
    return;
  }
  ports.ask({
    tell: [
      'Question: rewind to before which turn? 1 is the latest.',
      ...newest.map(
        ({ text, timestamp, files }, index) =>
          `${index + 1}. ${sanitizeLine(text).slice(0, 100)}; ${formatAge(new Date(timestamp), new Date(ports.now()))}${files === 0 ? '' : `, ${files} files changed`}`,
      ),
      'Answer with a number; u undoes the last rewind. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') close();
      else if (text.toLowerCase() === 'u') {
        agent.submit({ type: 'undo_rewind' });
        close();
      } else {
        const chosen = /^\d+$/.test(text) ? newest[Number(text) - 1] : undefined;
        if (chosen === undefined) return 'Answer with the number of a turn, or an empty line.';
        void rewind(agent, chosen, ports);
      }
      return undefined;
    },
    cancel: close,
  });
}

function askWay(agent: Agent, plan: RewindPlan, ports: DialoguePorts): void {
  const { turn } = plan;
  const close = (): void => ports.controller.closeDialog();
  const submit = (scope: RewindScope): void => {
    agent.submit({ type: 'rewind', to: turn.uuid, scope });
    close();
  };
  ports.ask(
    dialogueOf(wayDialog(plan, agent.state().root), (way) => {
      if (way === 'cancel') close();
      else if (way === 'fork') ports.controller.forkBefore(turn);
      else submit(way);
    }),
  );
}
