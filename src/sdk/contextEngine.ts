/** The context engine for other programs: a small surface over `ContextManager`. See `api/context.ts`. */
import * as z from 'zod';
import {
  AmbiguousSessionIdError,
  ContextManager,
  type ContextManagerDeps,
  InvalidSessionIdError,
  MemorySessionStore,
  SessionExistsError,
  SessionLockedError,
  SessionNotFoundError,
  type SummaryModel,
  type TokenEncoder,
} from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Message } from '../protocol/messages.ts';
import type { ModelError, ModelInfo } from '../protocol/models/model.ts';
import { createWorkQueue } from '../protocol/workQueue.ts';
import type {
  Compaction,
  Context,
  ContextOptions,
  Measure,
  RequestMessage,
  Summarize,
} from './api/context.ts';
import { createAppender } from './contextMessages.ts';
import {
  type CheckedContextOptions,
  checkContextOptions,
  checkModel,
  infoOf,
  openStore,
  storeBehind,
} from './contextOptions.ts';
import { ContextError, messageOf } from './errors.ts';

interface EngineHost {
  readonly version: string;
  /** Starts a thread only when it is used. */
  readonly createEncoder: () => TokenEncoder;
}

/** Opens the context with this id; a new one without. */
export async function openEngine(
  id: string | undefined,
  given: ContextOptions,
  host: EngineHost,
): Promise<Context> {
  const options = checkContextOptions(given);
  const { systemPrompt = '', id: sessionId } = options;
  let info = infoOf(options.model);
  const deps = depsOf(options, host, () => info);
  const manager = new ContextManager(deps);
  await translated(async () => {
    if (id !== undefined) await manager.loadSession(id);
    else await manager.createSession(undefined, {}, { systemPrompt, ...(sessionId && { sessionId }) });
    // Otherwise summaries would say that a shell is elsewhere.
    manager.setCwd(deps.root);
  }, id ?? sessionId);
  return {
    ...contextOf(manager, options),
    setModel(model) {
      info = infoOf(checkModel(model));
    },
    async close() {
      await manager.close();
      await deps.encoder?.close();
    },
  };
}

function depsOf(
  { store = openStore(undefined, ''), summarize, settings }: CheckedContextOptions,
  { version, createEncoder }: EngineHost,
  model: () => ModelInfo,
): ContextManagerDeps {
  const own = storeBehind(store) ?? new MemorySessionStore({ programVersion: version });
  return {
    ...{ store: own, settings, model },
    root: store.folder ?? '/',
    summarize: summarize === undefined ? noSummary : summarizer(summarize),
    // No file is ever quoted.
    isSensitive: () => true,
    ...(model().tokenizer === 'unknown' ? {} : { encoder: createEncoder() }),
  };
}

const noSummary: SummaryModel = async () => ({
  type: 'failed',
  error: { kind: 'bad_request', message: 'There is no summarizer.', retryable: false },
});

function summarizer(summarize: Summarize): SummaryModel {
  return async ({ model, messages, maxOutputTokens }, { signal, onProgress }) => {
    try {
      const content = z
        .string({ error: 'summarize returned no text' })
        .parse(await summarize({ model, messages: messages.map(publicMessage), maxOutputTokens, signal }));
      onProgress(content.length);
      const message = { role: 'assistant', content, toolCalls: [] } as const;
      return { type: 'done', reply: { message, finishReason: 'stop' } };
    } catch (error) {
      if (signal.aborted) return { type: 'aborted' };
      const why = error instanceof z.ZodError ? (error.issues[0]?.message ?? '') : messageOf(error);
      return { type: 'failed', error: { kind: 'bad_request', message: why, retryable: false } };
    }
  };
}

function contextOf(
  manager: ContextManager,
  { tools = [] }: CheckedContextOptions,
): Omit<Context, 'setModel' | 'close'> {
  const never = new AbortController().signal;
  /** Calls `act` with what collects the compactions it causes. */
  const collecting = async <T>(
    signal: AbortSignal | undefined,
    act: (options: {
      tools: typeof tools;
      signal: AbortSignal;
      emit: (event: AgentEvent) => void;
    }) => Promise<T>,
  ): Promise<{ readonly value: T; readonly compactions: readonly Compaction[] }> => {
    signal?.throwIfAborted();
    const compactions: Compaction[] = [];
    const emit = (event: AgentEvent): void => {
      if (event.type === 'compaction_ended') compactions.push(compactionOf(event.report));
    };
    const value = await act({ tools, signal: signal ?? never, emit });
    signal?.throwIfAborted();
    return { value, compactions };
  };
  /** One after another: a result belongs to the call before it. */
  const appendOne = createAppender(manager, tools);
  const inOrder = createWorkQueue();
  return {
    id: manager.getCurrentSessionId() ?? '',
    file: manager.filePath() || undefined,
    append(...messages) {
      return inOrder(async () => {
        for (const message of messages) await appendOne(message);
      });
    },
    async request({ signal } = {}) {
      const { value, compactions } = await collecting(signal, (options) => manager.buildRequest(options));
      if (value.type === 'too_large') throw tooLarge(measureOf(manager.measure(tools)));
      const { messages, maxOutputTokens } = value.request;
      return {
        messages: messages.map(publicMessage),
        tools,
        maxOutputTokens,
        compactions,
        measure: measureOf(manager.measure(tools)),
      };
    },
    async shrink({ contextWindow, signal } = {}) {
      const error: ModelError = {
        kind: 'overflow',
        message: 'The request is too long.',
        retryable: false,
        ...(contextWindow === undefined ? {} : { windowTokens: contextWindow }),
      };
      return (await collecting(signal, (options) => manager.shrinkAfterOverflow(error, options))).value;
    },
    async compact({ focus, signal } = {}) {
      const { value } = await collecting(signal, (options) =>
        manager.compressCurrentContext({ ...options, ...(focus === undefined ? {} : { focus }) }),
      );
      return compactionOf(value);
    },
    uncompact: async () => compactionOf(await manager.uncompact({ tools, emit: () => {} })),
    measure: async () => measureOf(await manager.refine(tools)),
    messages: () => manager.getMessages().map(publicMessage),
    recall: async (what, { signal } = {}) => (await manager.recall(what, signal ?? never)).text,
    fork: () => manager.forkSession(),
  };
}

function tooLarge({ usedTokens, windowTokens }: Measure): ContextError {
  const text = `The request has about ${usedTokens} tokens, too many for a window of ${windowTokens} with its reply.`;
  return new ContextError('too_large', text);
}

const compactionOf = ({ outcome, trigger, preTokens, postTokens, message }: Compaction): Compaction => ({
  ...{ outcome, trigger, preTokens, postTokens },
  ...(message === undefined ? {} : { message }),
});

const measureOf = ({ usedTokens, windowTokens, triggerTokens, exact, parts }: Measure): Measure => ({
  ...{ usedTokens, windowTokens, triggerTokens, exact },
  parts: parts.map(({ name, tokens }) => ({ name, tokens })),
});

/** Without the fields that only our own model clients understand. */
function publicMessage(message: Message): RequestMessage {
  switch (message.role) {
    case 'system':
    case 'tool':
      return { ...message };
    case 'user': {
      const { content } = message;
      if (typeof content === 'string') return { role: 'user', content };
      return {
        role: 'user',
        content: content.map((part) => (part.type === 'text' ? part.text : '[image]')).join('\n'),
      };
    }
    case 'assistant': {
      const { content, toolCalls } = message;
      const calls = toolCalls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
      return { role: 'assistant', content, toolCalls: calls };
    }
  }
}

/** Turns the errors of the store, which are for users of the program, into those of this module. */
async function translated(act: () => Promise<void>, id: string | undefined): Promise<void> {
  try {
    await act();
  } catch (cause) {
    const found = problems.find(([type]) => cause instanceof type);
    if (found === undefined) throw cause;
    const [, code, text] = found;
    throw new ContextError(code, text.replace('%', JSON.stringify(id)), { cause });
  }
}

const problems = [
  [SessionLockedError, 'locked', 'Another process has the context % open.'],
  [SessionExistsError, 'exists', 'There is already a context %.'],
  [InvalidSessionIdError, 'options', 'options.id: an id has letters, digits, ".", "_" and "-", not %.'],
  [SessionNotFoundError, 'not_found', 'There is no context %.'],
  [AmbiguousSessionIdError, 'not_found', 'Several contexts begin with %.'],
] as const;
