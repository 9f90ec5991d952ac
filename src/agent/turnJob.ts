/** One turn as a job of the agent: prepares it, runs the loop, and always records the end of the turn. */
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
  /** Returns notes about background tasks that ended since the model was last told. */
  readonly taskNotes: () => readonly NewEntry[];
  readonly schemas: () => readonly ToolSchema[];
  /** See `AgentDeps.expandPrompt`. */
  readonly expandPrompt?: ((prompt: PromptOp, signal: AbortSignal) => Promise<PromptOp>) | undefined;
  readonly emit: (event: AgentEvent) => void;
  readonly reportBug: (error: unknown) => void;
  /** See `AgentDeps.model.settle`. */
  readonly settleModel: (signal: AbortSignal, tokens: () => number) => Promise<readonly string[]>;
}

/** Counts the changes on disk that calls made after this entry, in the form of a `turn_end` entry. */
function changesSince(
  entries: readonly JSONLEntry[],
  seq: number,
): { files?: number; added?: number; removed?: number } {
  const { files, lines } = sizeOfWork(workOf(entries.filter((entry) => entry.seq > seq)));
  return files === 0 ? {} : { files, ...lines };
}

/** Upper bound for the tokens of one image. */
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
  /** Scans the project as the turn finds it, once, while waiting for the model: git would delay the first request. */
  const scanOnce = (): (() => void) => {
    let hasScanned = false;
    return () => {
      ports.reply.onUnderway?.();
      if (!hasScanned) checkpoints.lookSoon();
      hasScanned = true;
    };
  };
  return async (signal) => {
    // The user may have taken the prompt back in the meantime.
    if (prompts.all().length === 0) return;
    emit({ type: 'turn_started' });
    let end: TurnEnd = { outcome: 'failed', steps: 0 };
    const startedAt = ports.toolCalls.now();
    const before = context.entries().at(-1)?.seq ?? -1;
    try {
      // Changes of an interrupted call belong to the previous turn.
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
      // An interrupted or failed turn has no end of a step at which its last entries would be flushed to disk.
      await context.sync();
    } finally {
      if (outcome !== 'done') prompts.giveBack();
      emit({ type: 'turn_ended', ...end });
    }
  };
}
