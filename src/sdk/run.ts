/**
 * A running session as its host sees it: prompts and requests go in, results and events come out. Owns the connection
 * to the program; everything that waits for it is settled when it ends.
 */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { controlResponseSchema } from '../protocol/controlMessages.ts';
import type { ResultEvent, SessionEvent } from './api/events.ts';
import type { UserMessage } from './api/options.ts';
import type { ContextUsage, Controls } from './api/sdk.ts';
import type { CheckedOptions } from './checkOptions.ts';
import { ClawdCodeError } from './errors.ts';
import { answerRequest, createHostAnswers } from './hostAnswers.ts';
import type { Connect, ProgramEnd, Transport } from './launch.ts';
import { launchOf } from './launch.ts';

export interface Host {
  readonly connect: Connect;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
}

interface Listener {
  readonly onEvent: (event: SessionEvent) => void;
  /** Called once, after the last event; `error` if the session did not end as it should. */
  readonly onEnd: (error: unknown) => void;
}

export interface Run extends Controls {
  /** Prompts are run one after another. Rejects if the session ends before the result. */
  send(message: UserMessage): Promise<ResultEvent>;
  /** The session ends once it has run its prompts. */
  endInput(): void;
  listen(listener: Listener): () => void;
}

interface Waiting<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

const head = z.looseObject({ type: z.string(), session_id: z.string().optional() });
const controlRequest = z.looseObject({ request_id: z.string(), request: z.unknown() });
const cancelRequest = z.looseObject({ request_id: z.string() });
/** The answer to `get_context_usage`. */
const contextUsageSchema = z
  .looseObject({
    totalTokens: z.number(),
    rawMaxTokens: z.number(),
    autoCompactThreshold: z.number(),
    categories: z.array(z.looseObject({ name: z.string(), tokens: z.number(), kind: z.string() })),
  })
  .transform(
    ({ totalTokens, rawMaxTokens, autoCompactThreshold, categories }): ContextUsage => ({
      usedTokens: totalTokens,
      windowTokens: rawMaxTokens,
      compactsAtTokens: autoCompactThreshold,
      parts: categories.filter(({ kind }) => kind === 'used').map(({ name, tokens }) => ({ name, tokens })),
    }),
  );

/** The answer to `rewind_files`. */
const rewoundSchema = z.object({
  canRewind: z.boolean(),
  error: z.string().exactOptional(),
  filesChanged: z.array(z.string()).default([]),
  moreFilesChanged: z.number().default(0),
  insertions: z.number().default(0),
  deletions: z.number().default(0),
});

export function openRun(options: CheckedOptions, host: Host): Run {
  const launch = launchOf(options, host.env);
  const { signal } = options;
  const answers = createHostAnswers(options, host.version);
  const listeners = new Set<Listener>();
  /** Prompts without a result, oldest first. */
  const prompts: Waiting<ResultEvent>[] = [];
  const requests = new Map<string, Waiting<unknown>>();
  let { sessionId } = launch;
  let end: { readonly error: unknown } | undefined;
  let isClosing = false;

  const transport: Transport = host.connect(launch, options.onWarning ?? (() => {}));
  const send = (message: object): void => transport.write(JSON.stringify(message));
  const asked = createAnswering(answers, send);

  const take = (line: string): void => {
    const message = parseLine(line);
    switch (message?.type) {
      case undefined:
        return;
      case 'control_request': {
        const { request_id: id, request } = controlRequest.parse(message);
        asked.put(id, request);
        return;
      }
      case 'control_cancel_request':
        asked.cancel(cancelRequest.parse(message).request_id);
        return;
      case 'control_response': {
        const { response } = controlResponseSchema.parse(message);
        const waiting = requests.get(response.request_id);
        requests.delete(response.request_id);
        if (response.subtype === 'success') waiting?.resolve(response.response);
        else waiting?.reject(new ClawdCodeError('request', response.error));
        return;
      }
      default:
        emit(message as unknown as SessionEvent);
    }
  };
  const emit = (event: SessionEvent): void => {
    sessionId = event.session_id ?? sessionId;
    for (const { onEvent } of [...listeners]) onEvent(event);
    if (event.type === 'result') prompts.shift()?.resolve(event);
  };
  const finish = (error: unknown): void => {
    if (end !== undefined) return;
    end = { error };
    signal?.removeEventListener('abort', onAbort);
    asked.cancelAll();
    const reason = error ?? new ClawdCodeError('ended', 'The session was closed.');
    for (const { reject } of [...prompts.splice(0), ...requests.values()]) reject(reason);
    requests.clear();
    for (const { onEnd } of [...listeners]) onEnd(error);
    listeners.clear();
  };
  const onAbort = (): void => {
    transport.stop();
    finish(signal?.reason);
  };
  const reading = (async () => {
    try {
      for await (const line of transport.lines) take(line);
    } catch (error) {
      // A line that is not ours: nothing after it can be understood.
      transport.stop();
      finish(formatError(error));
    }
    const ending = await transport.ended;
    const isExpected = isClosing || (prompts.length === 0 && ending.exitCode !== undefined);
    finish(isExpected ? undefined : endError(ending));
  })();

  const wait = <T>(put: (waiting: Waiting<T>) => void): Promise<T> => {
    const promise = new Promise<T>((resolve, reject) => {
      if (end === undefined) put({ resolve, reject });
      else reject(end.error ?? new ClawdCodeError('ended', 'The session has ended.'));
    });
    // The host may not wait for it, so the end is reported to listeners as well.
    promise.catch(() => undefined);
    return promise;
  };
  const ask = (request: object): Promise<unknown> =>
    wait((waiting) => {
      const request_id = randomUUID();
      requests.set(request_id, waiting);
      send({ type: 'control_request', request_id, request });
    });

  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  if (launch.opening !== undefined) {
    // Events say what is wrong; the end of the program says that it failed.
    void ask({ subtype: 'initialize', ...launch.opening });
  }
  return {
    get sessionId() {
      return sessionId;
    },
    send: (prompt) =>
      wait((waiting) => {
        prompts.push(waiting);
        send(messageOf(prompt));
      }),
    endInput: transport.endInput,
    listen(listener) {
      if (end === undefined) listeners.add(listener);
      else listener.onEnd(end.error);
      return () => listeners.delete(listener);
    },
    ...requestsOf(ask),
    async close() {
      isClosing = true;
      transport.stop();
      await reading;
    },
  };
}

function messageOf({ content, uuid, verbatim }: Parameters<Run['send']>[0]): object {
  const own = { ...(uuid && { uuid }), ...(verbatim === true && { client_composed: true }) };
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...own };
}

/** Answers requests of the program, each until it is cancelled. */
function createAnswering(answers: ReturnType<typeof createHostAnswers>, send: (message: object) => void) {
  const open = new Map<string, AbortController>();
  return {
    put(id: string, request: z.infer<typeof controlRequest>['request']): void {
      const stop = new AbortController();
      open.set(id, stop);
      void answerRequest({ id, request, signal: stop.signal }, answers, send).finally(() => open.delete(id));
    },
    cancel: (id: string): void => open.get(id)?.abort(),
    cancelAll(): void {
      for (const stop of open.values()) stop.abort();
    },
  };
}

/** What a host can ask a session for besides prompts. */
function requestsOf(
  ask: (request: object) => Promise<unknown>,
): Pick<Run, 'interrupt' | 'setModel' | 'setPermissionMode' | 'contextUsage' | 'rewindFiles'> {
  return {
    interrupt: async () => void (await ask({ subtype: 'interrupt' })),
    setModel: async (model) => void (await ask({ subtype: 'set_model', model })),
    setPermissionMode: async (mode) => void (await ask({ subtype: 'set_permission_mode', mode })),
    contextUsage: async () => contextUsageSchema.parse(await ask({ subtype: 'get_context_usage' })),
    async rewindFiles(user_message_id, { dryRun = false } = {}) {
      const request = { subtype: 'rewind_files', user_message_id, dry_run: dryRun };
      return rewoundSchema.parse(await ask(request));
    },
  };
}

/** Undefined for a line that is not a message; everything that the program prints is one. */
function parseLine(line: string): z.infer<typeof head> | undefined {
  const parsed = head.safeParse(JSON.parse(line));
  return parsed.data;
}

function formatError(cause: unknown): ClawdCodeError {
  return new ClawdCodeError('ended', 'The session wrote a line that is not in its format.', { cause });
}

function endError({ exitCode, problem, stderr }: ProgramEnd): ClawdCodeError {
  const how = problem ?? `with code ${exitCode}`;
  const said = stderr.trim();
  const text = `The session ended before its answer, ${how}${said === '' ? '.' : `: ${said}`}`;
  return new ClawdCodeError('ended', text, exitCode === undefined ? {} : { exitCode });
}
