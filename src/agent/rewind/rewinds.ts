/** What the agent offers about going back: lists, plans, diffs, and the two ops. */
import type { RestoreStep } from '../../protocol/checkpoints.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { Op } from '../../protocol/ops.ts';
import type { RewindPlan, RewindReport, TurnRecord } from '../../protocol/rewind.ts';
import type { JobQueue } from '../jobQueue.ts';
import { createRewinder, type RewindPorts } from './rewind.ts';
import { changesOfTurn, changesSince, findTurn, newestTurns } from './turnHistory.ts';

export interface Rewinds {
  submit(op: Extract<Op, { type: 'rewind' | 'undo_rewind' }>): void;
  turns(limit: number): Promise<readonly TurnRecord[]>;
  plan(uuid: string): Promise<RewindPlan | undefined>;
  diff(uuid?: string): Promise<readonly RestoreStep[] | undefined>;
}

export interface RewindsPorts extends RewindPorts {
  readonly jobs: Pick<JobQueue, 'add' | 'busy'>;
  readonly emit: (event: AgentEvent) => void;
  /** Tells how full the window is now. */
  readonly measure: () => void;
}

const BUSY = 'Something is running. Press Esc to stop it, then rewind.';

export function createRewinds(ports: RewindsPorts): Rewinds {
  const { context, files, jobs, emit, measure, checkpoints } = ports;
  const rewinder = createRewinder(ports);
  const tell = (report: RewindReport): void => emit({ type: 'rewind_ended', report });
  return {
    submit(op) {
      const type = op.type === 'rewind' ? 'rewind' : 'undo';
      if (jobs.busy()) return tell({ type, outcome: 'refused', message: BUSY, conversation: false });
      jobs.add(async () => {
        const report = op.type === 'rewind' ? await rewinder.rewind(op.to, op.scope) : await rewinder.undo();
        tell(report);
        if (report.conversation) measure();
      });
    },
    turns: (limit) => newestTurns(context, limit),
    plan: rewinder.plan,
    async diff(uuid) {
      await checkpoints.settled();
      if (uuid === undefined) {
        const { changes } = await changesSince(context, -1);
        return files === undefined || changes.length === 0 ? [] : files.diff(changes);
      }
      const turn = await findTurn(context, uuid);
      if (turn === undefined) return undefined;
      const changes = await changesOfTurn(context, turn);
      return files === undefined || changes.length === 0 ? [] : files.diff(changes);
    },
  };
}
