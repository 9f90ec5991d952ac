/**
 * One connection to one server, through the SDK. Like `http.ts` and `auth.ts`, this module loads the SDK, so import it
 * on first use.
 */
import {
  Client,
  type Progress,
  ProtocolError,
  ProtocolErrorCode,
  type ResultTypeMap,
  SdkError,
  SdkErrorCode,
  type Tool,
  type Transport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { HostChannel } from '../protocol/extensions/mcp.ts';
import { shortened } from '../protocol/text/visible.ts';
import { type AuthStore, storedAuth, trackScopes } from './auth.ts';
import type { Fetch } from './boundedFetch.ts';
import type { Endpoint } from './endpoint.ts';
import { HostTransport } from './hostTransport.ts';
import { httpTransport } from './http.ts';
import { keepListening } from './listening.ts';
import { ServerFault } from './messageBounds.ts';
import type { ListedPrompt, ListedTool } from './offeredTools.ts';
import type { CallResult } from './outcome.ts';
import { type ProtocolMemory, withProtocol } from './protocolVersion.ts';
import { type StdioPorts, StdioTransport } from './stdio.ts';
import type { UserRequests } from './userRequests.ts';

/** Limit for servers with endless lists. */
const MAX_PAGES = 50;
const MAX_LISTED = 500;
type ListMethod = 'tools/list' | 'prompts/list' | 'resources/list';
/** Maximum duration of a call, in milliseconds, even if the server keeps reporting progress. */
const MAX_CALL_MS = 6 * 60 * 60 * 1000;

export interface ConnectPorts extends StdioPorts {
  /**
   * Reaches a web server and the URLs that it sends us to: through the environment's proxies, and never from an
   * external server into the user's own network.
   */
  readonly fetchFor: (server: URL) => Fetch;
  /** The stored login; absent = the server is called without one. */
  readonly authStore?: AuthStore | undefined;
  /** Remembers the server's protocol version; absent = nothing is remembered. */
  readonly protocolMemory?: ProtocolMemory | undefined;
  readonly version: string;
  /** Timeout in milliseconds of the handshake and of each page of a list. */
  readonly timeoutMs: number;
  /** Aborts connecting. */
  readonly signal: AbortSignal;
  /** Called with the reason, if known. */
  readonly onClosed: (reason: string | undefined) => void;
  /** Called when a list of the server has changed: tools, prompts or resources. */
  readonly onChanged: () => void;
  /** Asks the user on behalf of the server; absent = the server is told that users cannot be asked. */
  readonly onElicit?: UserRequests['answer'] | undefined;
}

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Maximum wait for an answer or a progress report, in milliseconds. */
  readonly timeoutMs: number;
  readonly onProgress: (progress: Progress) => void;
  /** Receives a function that stops the call's clock while its server waits for the user. */
  readonly onHold?: (hold: () => () => void) => void;
}

/** An open connection. Failures reject with a message that is ready to show. */
export interface Connection {
  listTools(): Promise<readonly ListedTool[]>;
  listPrompts(): Promise<readonly ListedPrompt[]>;
  listResources(): Promise<readonly string[]>;
  /** Returns the content blocks of the prompt's messages. */
  getPrompt(name: string, input: Readonly<Record<string, string>>): Promise<readonly unknown[]>;
  /** Returns content blocks in the format of tool results. */
  readResource(uri: string, signal: AbortSignal): Promise<readonly unknown[]>;
  call(tool: string, input: unknown, options: CallOptions): Promise<CallResult>;
  close(): Promise<void>;
}

/** How to reach a server, including one inside the driving program. */
export type ConnectEndpoint = Endpoint | { readonly type: 'host'; readonly channel: HostChannel };

/** Connects to a server. Rejects with `AuthorizationNeededError` if the server requires a login. */
export async function connect(endpoint: ConnectEndpoint, ports: ConnectPorts): Promise<Connection> {
  const timeout = ports.timeoutMs;
  const opened = await withProtocol((mode) => open(endpoint, ports, mode), ports).catch((error: unknown) => {
    if (isUnauthorized(error)) throw new AuthorizationNeededError();
    throw new Error(reasonOf(error, timeout));
  });
  const { client, transport, faultOf } = opened;
  const readable = <T>(answer: Promise<T>, timeoutMs = timeout): Promise<T> =>
    answer.catch((error: unknown) => {
      throw readableError(error, timeoutMs, faultOf());
    });
  const capabilities = client.getServerCapabilities() ?? {};
  keepListening(client, ports);
  const none = Promise.resolve([]);
  /** The tools as listed: in the newer protocol, marks in the schema say which arguments are repeated in headers. */
  let listed = new Map<string, Pick<Tool, 'name' | 'inputSchema'>>();
  /** Reads a list page by page, up to the limits. */
  const listOf = async <M extends ListMethod, T>(
    method: M,
    itemsOf: (page: ResultTypeMap[M]) => readonly T[],
  ): Promise<readonly T[]> => {
    const items: T[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES && items.length < MAX_LISTED; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = (await readable(client.request({ method, params }, { timeout }))) as ResultTypeMap[M];
      items.push(...itemsOf(answer));
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return items.slice(0, MAX_LISTED);
  };
  return {
    async listTools() {
      if (capabilities.tools === undefined) return none;
      const tools = await listOf('tools/list', (page) => page.tools);
      listed = new Map(tools.map(({ name, inputSchema }) => [name, { name, inputSchema }]));
      return tools;
    },
    listPrompts: () =>
      capabilities.prompts === undefined ? none : listOf('prompts/list', ({ prompts }) => prompts),
    listResources: () =>
      capabilities.resources === undefined
        ? none
        : listOf('resources/list', ({ resources }) => resources.map(({ uri }) => uri)),
    async getPrompt(name, input) {
      const params = { name, arguments: { ...input } };
      const { messages } = await readable(client.request({ method: 'prompts/get', params }, { timeout }));
      return messages.map(({ content }) => content);
    },
    async readResource(uri, signal) {
      const asked = client.request({ method: 'resources/read', params: { uri } }, { timeout, signal });
      const { contents } = await readable(asked);
      return contents.map((resource) => ({ type: 'resource', resource }));
    },
    async call(tool, input, { signal, timeoutMs, onProgress, onHold }) {
      const idle = createIdleTimer(timeoutMs);
      onHold?.(idle.hold);
      const params = { name: tool, arguments: (input ?? {}) as Record<string, unknown> };
      const toolDefinition = listed.get(tool) ?? { name: tool, inputSchema: { type: 'object' as const } };
      try {
        return await readable(
          client.callTool(params, {
            toolDefinition,
            signal: AbortSignal.any([signal, idle.signal]),
            timeout: Math.max(timeoutMs, MAX_CALL_MS),
            onprogress(progress) {
              idle.reset();
              onProgress(progress);
            },
          }),
          timeoutMs,
        );
      } catch (error) {
        throw idle.signal.aborted && !signal.aborted ? new Error(unansweredFor(timeoutMs)) : error;
      } finally {
        idle.stop();
      }
    },
    close: () => transport.close(),
  };
}

interface Opened {
  readonly client: Client;
  readonly transport: Transport;
  /** Why the connection was closed, if because of something that the server sent. */
  readonly faultOf: () => string | undefined;
}

/** Starts the server and does the handshake. Rejects with the SDK's errors, after the server has ended. */
async function open(
  endpoint: ConnectEndpoint,
  ports: ConnectPorts,
  mode: 'legacy' | 'auto',
): Promise<Opened> {
  const { onElicit, onChanged, signal, timeoutMs } = ports;
  const client = new Client(
    { name: 'clawdcode', title: 'ClawdCode', version: ports.version },
    {
      // No `applyDefaults`, which would fill in answers again that the user has cleared.
      capabilities: onElicit === undefined ? {} : { elicitation: { form: {}, url: {} } },
      // Do not validate answers with the server's own schemas: their patterns could run forever, and only the model
      // reads the answers.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
      versionNegotiation: { mode },
    },
  );
  if (onElicit !== undefined)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => ({
      ...(await onElicit(params, mcpReq.signal)),
    }));
  let fault: string | undefined;
  client.onerror = (error) => {
    if (error instanceof ServerFault) fault = error.message;
    ports.log(`(${error.message.slice(0, 500)})\n`);
  };
  // Stop connecting then: the SDK would keep waiting for the first event of a stream that it has closed.
  const closed = new Promise<never>((_, reject) => {
    client.onclose = () => {
      setImmediate(() => reject(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed')));
      ports.onClosed(fault);
    };
  });
  closed.catch(() => undefined);
  client.setNotificationHandler('notifications/tools/list_changed', onChanged);
  client.setNotificationHandler('notifications/prompts/list_changed', onChanged);
  client.setNotificationHandler('notifications/resources/list_changed', onChanged);
  const transport = await transportOf(endpoint, ports);
  // Negotiation ignores the signal.
  signal.throwIfAborted();
  const giveUp = (): void => void transport.close().catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  // The SDK waits for the older transport's stream without a time limit.
  const onLate = (): void => {
    fault = unansweredFor(timeoutMs);
    giveUp();
  };
  const late = endpoint.type === 'sse' ? setTimeout(onLate, timeoutMs) : undefined;
  try {
    await Promise.race([client.connect(transport, { timeout: timeoutMs, signal }), closed]);
    return { client, transport, faultOf: () => fault };
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw isClosing(error) && fault !== undefined ? new Error(fault) : error;
  } finally {
    signal.removeEventListener('abort', giveUp);
    clearTimeout(late);
  }
}

async function transportOf(endpoint: ConnectEndpoint, ports: ConnectPorts): Promise<Transport> {
  if (endpoint.type === 'host') return new HostTransport(endpoint.channel);
  if (endpoint.type === 'stdio') return new StdioTransport(endpoint, ports);
  const fetch = trackScopes(ports.fetchFor(endpoint.url), ports.authStore);
  return httpTransport(endpoint, { fetch, ...(await authOf(ports)) });
}

async function authOf({
  authStore,
}: ConnectPorts): Promise<Pick<Parameters<typeof httpTransport>[1], 'auth'>> {
  return (await authStore?.read())?.tokens === undefined || authStore === undefined
    ? {}
    : { auth: storedAuth(authStore) };
}

/** An error that is ready to show. */
function readableError(error: unknown, timeoutMs: number, fault: string | undefined): Error {
  if (isUnauthorized(error)) return new AuthorizationNeededError();
  const visits = visitsIn(error);
  if (visits !== undefined) return new UrlElicitationRequired(visits);
  return new Error((isClosing(error) && fault) || reasonOf(error, timeoutMs));
}

/** The user has to visit pages before the server can answer a call. */
export class UrlElicitationRequired extends Error {
  override readonly name = 'VisitNeededError';
  /** Parameters of `elicitation/create`. */
  readonly visits: readonly unknown[];
  constructor(visits: readonly unknown[]) {
    super('It needs the user to visit a page first.');
    this.visits = visits;
  }
}

function visitsIn(error: unknown): readonly unknown[] | undefined {
  if (!(error instanceof ProtocolError) || error.code !== ProtocolErrorCode.UrlElicitationRequired)
    return undefined;
  const { elicitations } = (error.data ?? {}) as { readonly elicitations?: unknown };
  return Array.isArray(elicitations) ? elicitations : undefined;
}

/** The server requires a login. */
class AuthorizationNeededError extends Error {
  override readonly name = 'AuthorizationNeededError';
  constructor() {
    super('It needs you to log in.');
  }
}

function isUnauthorized(error: unknown): boolean {
  if (error instanceof UnauthorizedError) return true;
  const status = (error as { readonly status?: unknown; readonly code?: unknown } | undefined) ?? {};
  return status.status === 401 || status.code === 401;
}

const unansweredFor = (timeoutMs: number): string =>
  `It did not answer within ${Math.round(timeoutMs / 1000)} seconds.`;

/** Maximum characters of a server's error message. */
const MAX_REASON = 500;

const isClosing = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;

function reasonOf(error: unknown, timeoutMs: number): string {
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return unansweredFor(timeoutMs);
  if (isClosing(error)) return 'The connection was closed.';
  const { message = String(error), cause } = (error ?? {}) as {
    message?: string;
    cause?: { message?: string };
  };
  const text = message === 'fetch failed' && cause?.message ? `${message}: ${cause.message}` : message;
  return shortened(text, MAX_REASON);
}

/** Aborts a call after too long without activity, not counting time in which its server waits for the user. */
interface IdleTimer {
  readonly signal: AbortSignal;
  /** Call this when the server shows activity. */
  reset(): void;
  /** Stops the clock until the returned function is called. */
  hold(): () => void;
  stop(): void;
}

function createIdleTimer(limitMs: number): IdleTimer {
  const abort = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let held = 0;
  const reset = (): void => {
    clearTimeout(timer);
    if (held === 0) timer = setTimeout(() => abort.abort(), limitMs);
  };
  reset();
  return {
    signal: abort.signal,
    reset,
    hold() {
      held++;
      clearTimeout(timer);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        held--;
        reset();
      };
    },
    stop() {
      held = Number.POSITIVE_INFINITY;
      clearTimeout(timer);
    },
  };
}
