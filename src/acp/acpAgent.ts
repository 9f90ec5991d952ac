/**
 * The agent side of the Agent Client Protocol: several sessions over one connection. The connection's end closes all of
 * them. Parsing, ids and the order of messages are the SDK's.
 */
import {
  type AgentApp,
  type AgentContext,
  agent as agentApp,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  MessageTooLargeError,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
  type Stream,
} from '@agentclientprotocol/sdk';
import {
  type AcpSession,
  createAcpSession,
  type OpenedForClient,
  SessionRequestError,
} from './AcpSession.ts';
import { abilitiesOf, type ClientLink } from './clientLink.ts';
import type { Showing } from './permissionRequest.ts';

/** The session that a client requests. */
export interface WantedSession {
  /** Absent for a new one. */
  readonly sessionId?: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
}

/** Why a session cannot be opened, ready to show. */
export class OpenError extends Error {
  readonly why: 'no_access' | 'not_found' | 'invalid' | 'failed';

  constructor(why: OpenError['why'], message: string) {
    super(message);
    this.why = why;
  }
}

export interface AcpPorts extends Showing {
  readonly version: string;
  /** Rejects with an `OpenError`. */
  readonly open: (wanted: WantedSession) => Promise<OpenedForClient>;
  /** Sessions on this machine, newest first; `next` is absent on the last page. */
  readonly list: (
    cwd: string | undefined,
    offset: number,
  ) => Promise<{ readonly sessions: readonly SessionInfo[]; readonly next?: number }>;
  /** Returns why there is no model to use, with what to do about it; undefined if there is one. */
  readonly missingAccess: () => Promise<string | undefined>;
  readonly now: () => number;
  readonly log: (text: string) => void;
}

/** Each open session has its own settings, processes and memory. */
const MAX_SESSIONS = 20;

const AUTH_METHOD = 'settings';

/** Serves until the client disconnects, or `stop` is aborted. Returns a function that closes the sessions. */
export async function serveAcp(
  stream: Stream,
  ports: AcpPorts,
  stop: AbortSignal,
): Promise<() => Promise<void>> {
  const sessions = createSessions(ports);
  const app = agentApp({ name: 'clawdcode' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.setClient(params.clientCapabilities ?? {});
      return initializeResponse(ports.version);
    })
    .onRequest(methods.agent.authenticate, async ({ params }) => {
      if (params.methodId !== AUTH_METHOD) throw RequestError.invalidParams(undefined, 'unknown method');
      const missing = await ports.missingAccess();
      if (missing !== undefined) throw new RequestError(AUTH_REQUIRED, missing);
      return {};
    });
  openRequests(app, sessions, ports);
  sessionRequests(app, sessions);
  const connection = app.connect(stream);
  stop.addEventListener('abort', () => connection.close(), { once: true });
  if (stop.aborted) connection.close();
  await connection.closed;
  if (connection.signal.reason instanceof MessageTooLargeError)
    ports.log('A message from the editor is larger than 64 MB. Nothing after it is read.');
  return sessions.closeAll;
}

/** Requests that open sessions, or list those that can be opened. */
function openRequests(app: AgentApp, sessions: Sessions, ports: AcpPorts): void {
  const { new: create, load, resume, list } = methods.agent.session;
  app
    .onRequest(create, ({ params, client }) =>
      answered(async () => {
        const session = await sessions.open(wantedOf(params), client);
        return { sessionId: session.id, ...choicesOf(session) };
      }),
    )
    .onRequest(load, ({ params, client }) =>
      answered(async () => {
        const session = await sessions.open(wantedOf(params), client);
        await session.replay();
        return choicesOf(session);
      }),
    )
    .onRequest(resume, ({ params, client }) =>
      answered(async () => choicesOf(await sessions.open(wantedOf(params), client))),
    )
    .onRequest(list, ({ params }) =>
      answered(async () => {
        const offset = Number(params.cursor ?? 0);
        if (!Number.isSafeInteger(offset) || offset < 0)
          throw new OpenError('invalid', 'That is not a cursor from session/list.');
        const { sessions: found, next } = await ports.list(params.cwd ?? undefined, offset);
        return { sessions: [...found], ...(next === undefined ? {} : { nextCursor: String(next) }) };
      }),
    );
}

function sessionRequests(app: AgentApp, sessions: Sessions): void {
  const { prompt, cancel, setMode, setConfigOption, close } = methods.agent.session;
  app
    .onRequest(prompt, ({ params, signal }) =>
      answered(async () => ({
        stopReason: await sessions.get(params.sessionId).prompt(params.prompt, signal),
      })),
    )
    .onNotification(cancel, ({ params }) => sessions.find(params.sessionId)?.cancel())
    .onRequest(setMode, ({ params }) =>
      answered(async () => {
        await sessions.get(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(setConfigOption, ({ params }) =>
      answered(async () => {
        const session = sessions.get(params.sessionId);
        await session.setOption(params.configId, params.value);
        return { configOptions: session.configOptions() };
      }),
    )
    .onRequest(close, ({ params }) =>
      answered(async () => {
        await sessions.close(params.sessionId);
        return {};
      }),
    );
}

const AUTH_REQUIRED = -32_000;

function initializeResponse(version: string): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'clawdcode', title: 'ClawdCode', version },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [
      {
        id: AUTH_METHOD,
        name: 'API key from your settings or environment',
        description:
          'Nothing to log in to: set OPENAI_API_KEY (and OPENAI_BASE_URL for another endpoint), or run clawdcode once in a terminal and enter a key.',
      },
    ],
  };
}

type GivenSession = Omit<WantedSession, 'mcpServers' | 'additionalDirectories'> &
  Partial<Pick<WantedSession, 'mcpServers' | 'additionalDirectories'>>;

function wantedOf({
  sessionId,
  cwd,
  additionalDirectories = [],
  mcpServers = [],
}: GivenSession): WantedSession {
  return { ...(sessionId === undefined ? {} : { sessionId }), cwd, additionalDirectories, mcpServers };
}

const choicesOf = (session: AcpSession) => ({
  modes: session.modes(),
  configOptions: session.configOptions(),
});

/** Turns the expected errors into answers that a client can show. */
async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SessionRequestError || error instanceof OpenError)
      throw new RequestError(codes[error.why], error.message);
    throw error;
  }
}

const INTERNAL = -32_603;
const codes = {
  no_access: AUTH_REQUIRED,
  not_found: -32_002,
  invalid: -32_602,
  failed: INTERNAL,
} as const;

interface Sessions {
  setClient(capabilities: ClientCapabilities): void;
  open(wanted: WantedSession, client: AgentContext): Promise<AcpSession>;
  find(id: string): AcpSession | undefined;
  /** Throws if there is none. */
  get(id: string): AcpSession;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
}

/** The open sessions of one connection. */
function createSessions(ports: AcpPorts): Sessions {
  const open = new Map<string, AcpSession>();
  let opening = 0;
  let isOver = false;
  let abilities = abilitiesOf({});
  const get = (id: string): AcpSession => {
    const session = open.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  };
  const close = async (id: string): Promise<void> => {
    const session = open.get(id);
    open.delete(id);
    await session?.close();
  };
  return {
    find: (id) => open.get(id),
    get,
    close,
    setClient(capabilities) {
      abilities = abilitiesOf(capabilities);
    },
    async open(wanted, client) {
      const { sessionId } = wanted;
      const known = sessionId === undefined ? undefined : open.get(sessionId);
      if (known?.isBusy())
        throw new SessionRequestError('This session is open, and a prompt is running in it.');
      if (known !== undefined) await close(known.id);
      if (open.size + opening >= MAX_SESSIONS)
        throw new SessionRequestError(
          `${MAX_SESSIONS} sessions are open. Close one, or start another "clawdcode acp".`,
        );
      opening++;
      const opened = await ports.open(wanted).finally(() => opening--);
      const { sessionId: id } = opened.host.agent.state();
      const session = createAcpSession(opened, { ...ports, link: linkOf(id, client), abilities });
      if (isOver || open.has(id)) {
        await session.close();
        throw new SessionRequestError('This session is already open.');
      }
      open.set(id, session);
      await session.prepare();
      // The client knows the session only once it has the answer to its request.
      setImmediate(() => setImmediate(() => session.announce()));
      return session;
    },
    async closeAll() {
      isOver = true;
      await Promise.allSettled([...open.keys()].map(close));
    },
  };
}

function linkOf(sessionId: string, client: AgentContext): ClientLink {
  const { elicitation, session } = methods.client;
  return {
    // The connection notices a client that has disconnected.
    update: (update) => client.notify(session.update, { sessionId, update }).catch(() => undefined),
    askPermission: (request, signal) =>
      client.request(session.requestPermission, { ...request, sessionId }, withdrawnBy(signal)),
    askForm: (request, signal) =>
      client.request(elicitation.create, { ...request, mode: 'form', sessionId }, withdrawnBy(signal)),
  };
}

const withdrawnBy = (cancellationSignal: AbortSignal) => ({ cancellationSignal, stopWaitingOnCancel: true });
