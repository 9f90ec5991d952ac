/** One turn as a job of the agent: prepares it, runs the loop, and always records the end of the turn. */
import { type ContextManager, estimateTokens } from '../context/index.ts';
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { PromptOp } from '../protocol/ops.ts';
import type { CheckpointKeeper } from './checkpoints.ts';
import type { Fallback } from './fallback.ts';
import type { PromptVerdict, TurnHooks } from './hooks/turnHooks.ts';
import type { Job } from './jobQueue.ts';
import type { Modes } from './modes.ts';
import { imagesTooLarge, type PromptQueue, promptEntries } from './prompts/promptQueue.ts';
import { changeStats, checkpointsOf } from './rewind/turns.ts';
import { type Delivered, runTurn, type TurnEnd, type TurnPorts } from './turn.ts';
import type { TurnModel } from './turnModel.ts';

export interface TurnJobPorts
  extends Omit<
    TurnPorts,
    | 'signal'
    | 'emit'
    | 'deliverQueued'
    | 'deliverNotes'
    | 'continueByHook'
    | 'afterCalls'
    | 'schemas'
    | 'context'
    | 'fallback'
  > {
  /** Absent without hooks. */
  readonly hooks?: TurnHooks | undefined;
  readonly context: ContextManager;
  readonly fallback: Fallback;
  readonly turnModel: Pick<TurnModel, 'use' | 'end'>;
  readonly prompts: PromptQueue;
  readonly modes: Pick<Modes, 'announce'>;
  readonly checkpoints: Pick<CheckpointKeeper, 'scanSoon' | 'settled'>;
  /** Returns notes about background tasks that ended since the last call. */
  readonly takeNotes: () => readonly NewEntry[];
  readonly schemas: () => readonly ToolSchema[];
  /** See `AgentDeps.expandPrompt`. */
  readonly expandPrompt?: ((prompt: PromptOp, signal: AbortSignal) => Promise<PromptOp>) | undefined;
  readonly emit: (event: AgentEvent) => void;
  readonly reportBug: (error: unknown) => void;
  /** See `AgentDeps.model.waitForFacts`. */
  readonly waitForModel: (signal: AbortSignal, tokens: () => number) => Promise<readonly string[]>;
}

/** Counts the changes on disk that calls made after this entry, in the form of a `turn_end` entry. */
function changesSince(
  entries: readonly JSONLEntry[],
  seq: number,
): { files?: number; added?: number; removed?: number } {
  const { files, lines } = changeStats(checkpointsOf(entries.filter((entry) => entry.seq > seq)));
  return files === 0 ? {} : { files, ...lines };
}

/** Upper bound for the tokens of one image. */
const IMAGE_TOKENS = 5000;

function tokensOf(prompts: readonly PromptOp[]): number {
  return prompts.reduce(
    (sum, { text, images = [] }) => sum + estimateTokens(text) + images.length * IMAGE_TOKENS,
    0,
  );
}

export function createTurnJob(ports: TurnJobPorts): Job {
  const { context, prompts, modes, checkpoints, takeNotes, schemas, emit, reportBug } = ports;
  const { expandPrompt = async (prompt) => prompt, hooks } = ports;
  const verdictOn = async (prompt: PromptOp, signal: AbortSignal): Promise<PromptVerdict> => {
    const reason = imagesTooLarge(prompt);
    if (reason !== undefined) return { type: 'blocked', reason };
    const verdict = (await hooks?.prompt(prompt.text, signal)) ?? { type: 'sent', notes: [] };
    if (verdict.type === 'sent') return verdict;
    return { ...verdict, reason: `A hook blocked this prompt, so it was not sent: ${verdict.reason}` };
  };
  const deliverQueued = async (signal: AbortSignal): Promise<Delivered> => {
    const taken = prompts.drain();
    if (taken.length === 0) return { type: 'none' };
    const whole = await Promise.all(taken.map((prompt) => expandPrompt(prompt, signal)));
    const checked = await Promise.all(
      whole.map(async (prompt, index) => ({
        entries: promptEntries(prompt),
        requestedModel: prompt.requestedModel,
        verdict: await verdictOn(prompt, signal),
        typed: taken[index],
      })),
    );
    for (const { verdict, requestedModel } of checked)
      if (verdict.type === 'sent' && requestedModel !== undefined) ports.turnModel.use(requestedModel);
    const sent = checked.flatMap(({ entries, verdict }) =>
      verdict.type === 'sent' ? [...entries, ...verdict.notes] : [],
    );
    if (sent.length > 0) await context.appendPrompts(sent, { tools: schemas(), emit });
    const blocked = checked.flatMap(({ verdict, typed }) =>
      verdict.type === 'blocked' && typed !== undefined ? [{ typed, reason: verdict.reason }] : [],
    );
    if (blocked.length > 0) emit({ type: 'queue_returned', prompts: blocked.map(({ typed }) => typed) });
    const [first] = blocked;
    if (first === undefined || sent.length > 0) return { type: 'some' };
    return { type: 'blocked', reason: first.reason };
  };
  const deliverNotes = async (signal: AbortSignal): Promise<void> => {
    const notes = [...takeNotes(), ...((await hooks?.takeNotes(signal)) ?? [])];
    if (notes.length > 0) await context.append(...notes);
  };
  const continueByHook = (signal: AbortSignal): ((lastMessage: string) => Promise<boolean>) | undefined => {
    if (hooks === undefined) return undefined;
    let continued = 0;
    return async (lastMessage) => {
      const notes = await hooks.stop(lastMessage, continued, signal);
      if (notes === undefined) return false;
      continued++;
      await context.append(...notes);
      return true;
    };
  };
  const afterCalls = (signal: AbortSignal): TurnPorts['afterCalls'] =>
    hooks &&
    (async (calls) => {
      const { notes, endsTurn } = await hooks.afterCalls(calls, signal);
      if (notes.length > 0) await context.append(...notes);
      return endsTurn;
    });
  /** Scans the project once per turn, while waiting for the model: git would delay the first request. */
  const scanOnce = (): (() => void) => {
    let hasScanned = false;
    return () => {
      ports.reply.onUnderway?.();
      if (!hasScanned) checkpoints.scanSoon();
      hasScanned = true;
    };
  };
  return async (signal) => {
    // The user may have taken the prompt back in the meantime.
    if (prompts.prompts().length === 0) return;
    emit({ type: 'turn_started' });
    let end: TurnEnd = { outcome: 'failed', steps: 0 };
    const startedAt = ports.toolCalls.now();
    const before = context.entries().at(-1)?.seq ?? -1;
    try {
      // Changes of an interrupted call belong to the previous turn.
      await checkpoints.settled();
      await modes.announce();
      ports.fallback.begin();
      const tokens = (): number => context.measure(schemas()).usedTokens + tokensOf(prompts.prompts());
      for (const text of await ports.waitForModel(signal, tokens))
        emit({ type: 'notice', level: 'warning', text });
      const reply = { ...ports.reply, onUnderway: scanOnce() };
      end = await runTurn({
        ...{ ...ports, reply, signal },
        deliverNotes: () => deliverNotes(signal),
        deliverQueued: () => deliverQueued(signal),
        continueByHook: continueByHook(signal),
        afterCalls: afterCalls(signal),
      });
      if (end.error !== undefined) await hooks?.stopFailure(end.error, signal);
    } catch (error) {
      reportBug(error);
    }
    ports.turnModel.end();
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
      if (outcome !== 'done') prompts.returnToComposer();
      emit({ type: 'turn_ended', ...end });
    }
  };
}
