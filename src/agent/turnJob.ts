/** One turn as a job of the agent: what comes before the loop and after it, whatever happens in between. */
import { type ContextManager, estimateTokens } from '../context/index.ts';
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { PromptOp } from '../protocol/ops.ts';
import type { CheckpointKeeper } from './checkpoints.ts';
import type { Job } from './jobQueue.ts';
import type { Modes } from './modes.ts';
import { type PromptQueue, promptEntries } from './promptQueue.ts';
import { sizeOfWork, workOf } from './rewind/turns.ts';
import { runTurn, type TurnEnd, type TurnPorts } from './turn.ts';

export interface TurnJobPorts
  extends Omit<TurnPorts, 'signal' | 'emit' | 'deliverQueued' | 'deliverNotes' | 'schemas' | 'context'> {
  readonly context: ContextManager;
  readonly prompts: PromptQueue;
  readonly modes: Pick<Modes, 'announce'>;
  readonly checkpoints: Pick<CheckpointKeeper, 'lookSoon' | 'settled'>;
  /** What became of background tasks since the model last heard of them. */
  readonly taskNotes: () => readonly NewEntry[];
  readonly schemas: () => readonly ToolSchema[];
  /** See `AgentDeps.expandPrompt`. */
  readonly expandPrompt?: ((prompt: PromptOp, signal: AbortSignal) => Promise<PromptOp>) | undefined;
  readonly emit: (event: AgentEvent) => void;
  readonly reportBug: (error: unknown) => void;
  /** See `AgentDeps.model.settle`. */
  readonly settleModel: (signal: AbortSignal, tokens: () => number) => Promise<readonly string[]>;
}

/** What calls changed on disk after this entry, as the entry of a turn's end has it. */
function changesSince(
  entries: readonly JSONLEntry[],
  seq: number,
): { files?: number; added?: number; removed?: number } {
  const { files, lines } = sizeOfWork(workOf(entries.filter((entry) => entry.seq > seq)));
  return files === 0 ? {} : { files, ...lines };
}

/** More than any image takes, in tokens. */
const IMAGE_TOKENS = 5000;

function tokensOf(prompts: ReturnType<PromptQueue['all']>): number {
  return prompts.reduce(
    (sum, { text, images = [] }) => sum + estimateTokens(text) + images.length * IMAGE_TOKENS,
    0,
  );
}

export function createTurnJob(ports: TurnJobPorts): Job {
  const { context, prompts, modes, checkpoints, taskNotes, schemas, emit, reportBug } = ports;
  const deliverQueued = async (signal: AbortSignal): Promise<boolean> => {
    const taken = prompts.takeAll();
    if (taken.length === 0) return false;
    const { expandPrompt = async (prompt) => prompt } = ports;
    const whole = await Promise.all(taken.map((prompt) => expandPrompt(prompt, signal)));
    await context.appendPrompts(whole.flatMap(promptEntries), { tools: schemas(), emit });
    return true;
  };
  const deliverNotes = async (): Promise<void> => {
    const notes = taskNotes();
    if (notes.length > 0) await context.append(...notes);
  };
  /** Scans the tree as the turn finds it, once, while the model thinks: git would delay the first request. */
  const scanOnce = (): (() => void) => {
    let hasScanned = false;
    return () => {
      ports.reply.onUnderway?.();
      if (!hasScanned) checkpoints.lookSoon();
      hasScanned = true;
    };
  };
  return async (signal) => {
    // The prompt may have been taken back meanwhile.
    if (prompts.all().length === 0) return;
    emit({ type: 'turn_started' });
    let end: TurnEnd = { outcome: 'failed', steps: 0 };
    const startedAt = ports.toolCalls.now();
    const before = context.entries().at(-1)?.seq ?? -1;
    try {
      // What a stopped call changed belongs to the turn before this one.
      await checkpoints.settled();
      await modes.announce();
      const tokens = (): number => context.measure(schemas()).usedTokens + tokensOf(prompts.all());
      for (const text of await ports.settleModel(signal, tokens))
        emit({ type: 'notice', level: 'warning', text });
      const reply = { ...ports.reply, onUnderway: scanOnce() };
      end = await runTurn({
        ...{ ...ports, reply, signal, deliverNotes },
        deliverQueued: () => deliverQueued(signal),
      });
    } catch (error) {
      reportBug(error);
    }
    const { outcome, steps, error } = end;
    try {
      const facts = {
        outcome,
        steps,
        durationMs: ports.toolCalls.now() - startedAt,
        ...changesSince(context.entries(), before),
        ...(error === undefined ? {} : { error }),
      };
      await context.addMessage('system', outcome, facts, 'turn_end');
      // A turn that was stopped or failed had no end of a step to bring its last words onto the disk.
      await context.sync();
    } finally {
      if (outcome !== 'done') prompts.giveBack();
      emit({ type: 'turn_ended', ...end });
    }
  };
}
