/** Runs one turn: from a prompt until the model makes no more tool calls. */
import type { ContextManager } from '../context/index.ts';
import type { AgentEvent, TurnOutcome } from '../protocol/events.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { ModelError, ModelRequest, Reply } from '../protocol/models/model.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import type { NewQuestion } from './authorize.ts';
import type { Fallback } from './fallback.ts';
import { type ReplyOutcome, type ReplyPorts, streamReply } from './reply.ts';
import { type FinishedCall, runToolCalls, type ToolCallPorts } from './toolCalls.ts';

export interface TurnPorts {
  readonly context: ContextManager;
  readonly reply: Omit<ReplyPorts, 'signal' | 'emit' | 'maxAttempts'>;
  readonly fallback: Pick<Fallback, 'maxAttempts' | 'answered' | 'use'>;
  readonly toolCalls: Omit<ToolCallPorts, 'context' | 'signal' | 'emit'>;
  readonly schemas: () => readonly ToolSchema[];
  /** See `AgentDeps.waitForTools`. */
  readonly waitForTools?: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** Appends queued prompts; returns whether there were any, or why none of them was sent. */
  readonly deliverQueued: () => Promise<Delivered>;
  /** The turn would end with this message; true if a hook continues it. Absent without hooks. */
  readonly continueByHook?: ((lastMessage: string) => Promise<boolean>) | undefined;
  /** All calls of a reply have results; true if a hook ends the turn. Absent without hooks. */
  readonly afterCalls?: ((calls: readonly FinishedCall[]) => Promise<boolean>) | undefined;
  /** Appends notes for the model's next request: background tasks that have ended. */
  readonly deliverNotes: () => Promise<void>;
  /** Maximum number of steps, after which the turn ends as `max_turns`; absent = no limit. */
  readonly maxSteps: number | undefined;
  /** False in headless runs, which cannot ask the user: a turn that keeps repeating itself then ends. */
  readonly interactive: boolean;
}

export type Delivered =
  | { readonly type: 'none' }
  | { readonly type: 'some' }
  | { readonly type: 'blocked'; readonly reason: string };

export interface TurnEnd {
  readonly outcome: TurnOutcome;
  readonly steps: number;
  readonly error?: ModelError;
}

export async function runTurn(ports: TurnPorts): Promise<TurnEnd> {
  const { context, signal, emit } = ports;
  const repeats = watchRepeats({ ...ports, ...ports.toolCalls });
  for (let step = 1; ; step++) {
    const end = (outcome: TurnOutcome, error?: ModelError): TurnEnd => ({
      outcome,
      steps: step,
      ...(error === undefined ? {} : { error }),
    });
    if (ports.maxSteps !== undefined && step > ports.maxSteps)
      return { ...end('max_turns'), steps: step - 1 };
    if (signal.aborted) return { ...end('interrupted'), steps: step - 1 };
    await ports.waitForTools?.(signal);
    await ports.deliverNotes();
    const delivered = await ports.deliverQueued();
    if (delivered.type === 'blocked' && step === 1)
      return { ...end('failed', notSent(delivered.reason)), steps: 0 };
    emit({ type: 'step_started', step });

    const result = await nextReply(ports);
    if (result.type === 'interrupted') return end('interrupted');
    if (result.type === 'failed') return end('failed', result.error);

    const { message, finishReason } = result.reply;
    if (message.toolCalls.length === 0) {
      warnIfIncomplete(result.reply, emit);
      // A headless run ends with the turn: a draft summary would cost tokens and never be used.
      await context.maintain({ tools: ports.schemas(), signal, emit, mayDraft: ports.interactive });
      const mayContinue = finishReason === 'stop' && !signal.aborted;
      if (mayContinue && (await ports.deliverQueued()).type === 'some') continue;
      if (mayContinue && (await ports.continueByHook?.(message.content)) === true) continue;
      return end('done');
    }
    const ran = await runToolCalls(message.toolCalls, { ...ports.toolCalls, context, signal, emit });
    await context.maintain({ tools: ports.schemas(), signal, emit });
    if (ran.type === 'halted') return end('done');
    if (ran.type === 'stopped') return end('interrupted');
    if ((await ports.afterCalls?.(ran.calls)) === true) return end(signal.aborted ? 'interrupted' : 'done');
    if ((await repeats(ran.calls)) === 'end_turn') return end(signal.aborted ? 'interrupted' : 'loop');
  }
}

function notSent(message: string): ModelError {
  return { kind: 'bad_request', message, retryable: false };
}

type ReplyResult =
  | { readonly type: 'reply'; readonly reply: Reply }
  | { readonly type: 'interrupted' }
  | { readonly type: 'failed'; readonly error: ModelError };

/** Builds the request, streams the reply and records it before anything acts on it. */
async function nextReply(ports: TurnPorts): Promise<ReplyResult> {
  const { context, signal, emit, fallback } = ports;
  let showImages: (() => void) | undefined;
  while (true) {
    const tools = ports.schemas();
    const built = await context.buildRequest({ tools, signal, emit });
    if (signal.aborted) return { type: 'interrupted' };
    if (built.type === 'too_large') {
      return { type: 'failed', error: { kind: 'overflow', message: built.message, retryable: false } };
    }
    const { request } = built;
    const maxAttempts = fallback.maxAttempts(() => context.measure(tools));
    const limit = maxAttempts === undefined ? {} : { maxAttempts };
    const outcome = await streamReply(request, { ...ports.reply, ...limit, signal, emit });
    const { durationMs, sent } = outcome;
    switch (outcome.type) {
      case 'done':
        // The user may have switched the model while this reply was streaming.
        await context.appendReply({ model: request.model, ...outcome.reply }, { durationMs, sent });
        fallback.answered();
        return { type: 'reply', reply: outcome.reply };
      case 'interrupted':
        if (outcome.partial === undefined) await context.appendRequest('interrupted', sent);
        else
          await context.appendReply(
            { model: request.model, ...outcome.partial },
            { interrupted: true, durationMs, sent },
          );
        return { type: 'interrupted' };
      case 'failed': {
        if (
          showImages === undefined &&
          outcome.partial === undefined &&
          mayRefuseImages(outcome.error, request)
        ) {
          await context.appendRequest(outcome.error.kind, sent);
          showImages = context.hideImages();
          emit({ type: 'notice', level: 'warning', text: imagesSuspected(request.model) });
          continue;
        }
        // It fails without images, too.
        showImages?.();
        const next = await afterFailure(outcome, request, tools, ports);
        if (next === 'again') continue;
        return next;
      }
    }
  }
}

/** Returns `again` if the request, built again, may succeed; otherwise records what was received. */
async function afterFailure(
  { error, partial, durationMs, sent }: Extract<ReplyOutcome, { type: 'failed' }>,
  request: ModelRequest,
  tools: readonly ToolSchema[],
  { context, signal, emit, fallback }: TurnPorts,
): Promise<'again' | ReplyResult> {
  // A discarded reply is not logged, but its request is.
  const isLogged = partial === undefined || error.kind === 'overflow';
  if (isLogged) await context.appendRequest(error.kind, sent);
  if (error.kind === 'overflow' && (await context.shrinkAfterOverflow(error, { tools, signal, emit }))) {
    if (partial !== undefined) emit({ type: 'reply_discarded' });
    return 'again';
  }
  if (partial === undefined && refusesImages(error, request)) {
    context.hideImages();
    emit({ type: 'notice', level: 'warning', text: imagesRefused(request.model) });
    return 'again';
  }
  if (signal.aborted) return { type: 'interrupted' };
  if (fallback.use(request.model, error, () => context.measure(tools))) {
    if (!isLogged) await context.appendRequest(error.kind, sent);
    if (partial !== undefined) emit({ type: 'reply_discarded' });
    return 'again';
  }
  if (partial !== undefined)
    await context.appendReply(
      { model: request.model, ...partial },
      { failed: true, durationMs, ...(isLogged ? {} : { sent }) },
    );
  return { type: 'failed', error };
}

function warnIfIncomplete({ message, finishReason }: Reply, emit: TurnPorts['emit']): void {
  const warn = (text: string): void => emit({ type: 'notice', level: 'warning', text });
  if (finishReason === 'length') warn('The reply was cut at the model’s output limit. Ask it to continue.');
  else if (finishReason === 'content_filter') warn('The endpoint’s content filter stopped the reply.');
  else if (message.content.trim() === '')
    warn('The model returned an empty reply. Try again, or choose another model.');
}

/**
 * True if a request failed because of its images. A server that does not support images would reject every later request
 * of the session as well. For models known not to support images, the client leaves them out itself.
 */
export function refusesImages({ kind, message }: ModelError, { messages }: ModelRequest): boolean {
  if (kind !== 'bad_request' && kind !== 'server' && kind !== 'model_not_found') return false;
  return SIGNS.test(message) && messages.some(hasImage);
}

/** True if the server does not say what it rejects: it may be an image, and then each later request fails as well. */
function mayRefuseImages(error: ModelError, request: ModelRequest): boolean {
  const { kind, status } = error;
  return (
    kind === 'bad_request' &&
    status !== undefined &&
    !refusesImages(error, request) &&
    request.messages.some(hasImage)
  );
}

/** Typical server messages: "image input is not supported", "does not support vision", "content must be a string". */
const SIGNS =
  /image|vision|multi-?modal|modalit|mmproj|content (?:must|should) be a string|string_type|content.{0,40}(?:valid|expected).{0,10} string/i;

function imagesRefused(model: string): string {
  return `${model} rejected the images of this session. They are replaced with descriptions; /model switches to a model with vision.`;
}

function imagesSuspected(model: string): string {
  return `${model} rejected the request, perhaps because of its images. It is sent again with descriptions instead of them.`;
}

function hasImage({ content }: ModelRequest['messages'][number]): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image');
}

// Detects a model that repeats itself: the same calls with the same results, step after step.

/** Repetitions in a row after which the model gets a note. */
const TELL_AT = 3;
/** Repetitions after which the user is asked; a headless turn ends. */
const MAX_REPEATS = 4;

interface RepeatPorts {
  readonly context: Pick<ContextManager, 'addMessage'>;
  readonly ask: (question: NewQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  /** False in headless runs, which cannot ask the user: the turn then ends. */
  readonly interactive: boolean;
}

/**
 * Watches one turn for repetition: gets the finished calls of each step, tells the model with a note that it repeats
 * itself, and if that does not help asks the user whether the turn may continue.
 */
function watchRepeats({
  context,
  ask,
  newId,
  signal,
  interactive,
}: RepeatPorts): (calls: readonly FinishedCall[]) => Promise<'continue' | 'end_turn'> {
  const guard = createLoopGuard();
  return async (calls) => {
    const verdict = guard.record(calls);
    const names = calls.map((call) => call.name).join(', ');
    if (verdict === 'tell_model') {
      const content = `You have made the same call (${names}) ${TELL_AT} times in a row with the same result. Do not repeat it: try a different approach, or say what is missing.`;
      await context.addMessage('user', content, undefined, 'nudge');
    }
    if (verdict !== 'ask_user') return 'continue';
    if (!interactive || (await ask(question(newId(), names), signal)).behavior !== 'allow') return 'end_turn';
    guard.reset();
    return 'continue';
  };
}

function question(id: string, names: string): NewQuestion {
  return {
    id,
    title: 'The model is repeating itself',
    headline: 'The model is repeating itself. Continue?',
    preview: {
      type: 'text',
      text: `The same call (${names}) keeps giving the same result. Let it continue?`,
    },
    reason: 'the model was told about it and repeated the call',
  };
}

interface LoopGuard {
  /** Records the calls and results of one finished step; returns what to do about them. */
  record(
    step: readonly { name: string; arguments: string; output: string }[],
  ): 'continue' | 'tell_model' | 'ask_user';
  /** Restarts counting after the user chose to continue. */
  reset(): void;
}

function createLoopGuard(): LoopGuard {
  let last = '';
  let count = 0;
  return {
    record(step) {
      const signature = JSON.stringify(step.map((call) => [call.name, call.arguments, call.output]));
      count = signature === last ? count + 1 : 1;
      last = signature;
      if (count >= MAX_REPEATS) return 'ask_user';
      return count === TELL_AT ? 'tell_model' : 'continue';
    },
    reset() {
      count = 0;
      last = '';
    },
  };
}
