/** An editor: drives `clawdcode acp` through the published SDK, and keeps everything it is told. */
import {
  type ClientCapabilities,
  type ClientConnection,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  type NewSessionRequest,
  type NewSessionResponse,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { PrintOptions, RunningPrint, TestProgram } from './testProgram.ts';

type Kind = SessionUpdate['sessionUpdate'];
type UpdateOf<K extends Kind> = Extract<SessionUpdate, { sessionUpdate: K }>;

export interface Editor {
  readonly run: RunningPrint;
  readonly agent: ClientContext;
  readonly connection: ClientConnection;
  /** All updates so far, of all sessions. */
  updates(): readonly SessionUpdate[];
  updatesOf<K extends Kind>(kind: K): readonly UpdateOf<K>[];
  /** The text of the model's messages so far. */
  text(): string;
  /** Permission requests so far. */
  asked(): readonly RequestPermissionRequest[];
  /** Resolves once `isTrue` holds; checked whenever something arrives. */
  until(isTrue: () => boolean): Promise<void>;
  initialize(capabilities?: ClientCapabilities): ReturnType<typeof initialize>;
  newSession(more?: Partial<NewSessionRequest>): Promise<NewSessionResponse>;
  prompt(sessionId: string, text: string): Promise<{ stopReason: string }>;
}

export interface EditorOptions extends PrintOptions {
  readonly flags?: readonly string[];
  /** Answers permission requests; by default they are never answered. */
  readonly answer?: (request: RequestPermissionRequest) => RequestPermissionResponse;
  readonly fill?: (request: CreateElicitationRequest) => CreateElicitationResponse;
}

export function startEditor(setup: TestProgram, options: EditorOptions = {}): Editor {
  const run = setup.startPrint(['acp', ...(options.flags ?? [])], { ...options, isInputOpen: true });
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const one of waiting) one();
  };
  const never = new Promise<never>(() => undefined);
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      wake();
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      wake();
      return options.answer?.(params) ?? never;
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => options.fill?.(params) ?? never);
  const connection = app.connect(streamOf(run));
  const { agent } = connection;
  return {
    ...{ run, agent, connection },
    updates: () => updates,
    updatesOf: <K extends Kind>(kind: K) =>
      updates.filter((one): one is UpdateOf<K> => one.sessionUpdate === kind),
    text: () =>
      updates
        .filter((one) => one.sessionUpdate === 'agent_message_chunk')
        .map(({ content }) => (content.type === 'text' ? content.text : ''))
        .join(''),
    asked: () => asked,
    async until(isTrue) {
      while (!isTrue())
        await new Promise<void>((resolve) => {
          const one = (): void => {
            waiting.delete(one);
            resolve();
          };
          waiting.add(one);
        });
    },
    initialize: (capabilities) => initialize(agent, capabilities),
    newSession: (more = {}) => newSession(agent, setup, more),
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
  };
}

const initialize = (agent: ClientContext, clientCapabilities: ClientCapabilities = {}) =>
  agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities });

const newSession = (
  agent: ClientContext,
  { work }: TestProgram,
  more: Partial<NewSessionRequest>,
): Promise<NewSessionResponse> =>
  agent.request(methods.agent.session.new, { cwd: work.repository, mcpServers: [], ...more });

function streamOf(run: RunningPrint) {
  let taken = 0;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const output = new WritableStream<Uint8Array>({ write: (chunk) => run.write(decoder.decode(chunk)) });
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      run.onOutput(() => {
        const printed = run.printed();
        controller.enqueue(encoder.encode(printed.slice(taken)));
        taken = printed.length;
      });
      void run.ended.then(() => controller.close());
    },
  });
  return ndJsonStream(output, input);
}
