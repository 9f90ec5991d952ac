/**
 * Tests at the level of the agent: a real agent, a real ContextManager on a real disk, the built-in tools and the real
 * client over HTTP; for cases that need a clock, a slow summarizer, a kill between two lines, or access to internals.
 */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createAgent } from '../../../src/agent/Agent.ts';
import { type Clock, createSummarizer } from '../../../src/agent/reply.ts';
import { lastCwd } from '../../../src/agent/sessionFacts.ts';
import type { Agent } from '../../../src/agent/types.ts';
import { createModelChoice } from '../../../src/cli/models/modelChoice.ts';
import { systemClock } from '../../../src/cli/process/clock.ts';
import { settingsSchema } from '../../../src/config/schema.ts';
import {
  ContextManager,
  type ContextManagerDeps,
  getProjectStoragePath,
  LongTermMemory,
  newId,
  PersistentStore,
  type SummaryModel,
} from '../../../src/context/index.ts';
import { createOpenAIClient } from '../../../src/model/wires/chat/client.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import type { ModelClient } from '../../../src/protocol/models/model.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import type { ContextSettings } from '../../../src/protocol/settings/contextSettings.ts';
import { builtinTools } from '../../../src/tools/builtinTools.ts';
import { type ModelServer, startModelServer, type WireRequest } from '../../e2e/support/server.ts';
import { MODEL } from '../../e2e/support/testProgram.ts';
import { type Answer, silently } from './project.ts';

export interface SessionFactoryOptions {
  /** As in a `config.json`; `{ context: … }` for the settings of the context. */
  readonly settings?: object;
  /** Context window, in tokens. */
  readonly window?: number;
  /** `context.strategy`; `summary` for tests whose messages must stay unchanged until they are summarized. */
  readonly strategy?: ContextSettings['strategy'];
  readonly model?: string;
  readonly systemPrompt?: string;
  readonly instructions?: string;
  /** Files of the project, by relative path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Replaces the client over HTTP. */
  readonly client?: ModelClient;
  /** Replaces summaries written through the client. */
  readonly summarize?: SummaryModel;
  readonly clock?: Clock;
  /**
   * True: the server counts the tokens of each request and reports them, which is slow. By default it reports nothing.
   */
  readonly reportsUsage?: boolean;
  /** Other dependencies of the ContextManager. */
  readonly deps?: Partial<ContextManagerDeps>;
}

export interface TestApp {
  readonly server: ModelServer;
  /** The project's folder. */
  readonly root: string;
  readonly dataRoot: string;
  readonly store: PersistentStore;
  /** A manager without an agent and without an open session. */
  manager(): ContextManager;
  /** Opens a new session, or the given one, with an agent. */
  open(sessionId?: string): Promise<OpenTestApp>;
}

export interface OpenTestApp {
  readonly agent: Agent;
  readonly context: ContextManager;
  readonly sessionId: string;
  readonly events: AgentEvent[];
  /**
   * Submits a prompt with the replies to come, waits until the agent is idle, and returns the requests made meanwhile.
   */
  ask(text: string, ...replies: readonly Answer[]): Promise<readonly WireRequest[]>;
  /** The same for any op. */
  submit(op: Op, ...replies: readonly Answer[]): Promise<readonly WireRequest[]>;
  entries(): readonly JSONLEntry[];
  close(): Promise<void>;
}

/** Call it inside a test; everything is closed and removed when the test ends. */
export async function createTestApp(options: SessionFactoryOptions = {}): Promise<TestApp> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-acceptance-')));
  const root = join(folder, 'project');
  const dataRoot = join(folder, 'data');
  const home = join(folder, 'home');
  await mkdir(root);
  await mkdir(home);
  for (const [path, text] of Object.entries(options.files ?? {})) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const server = await startModelServer();
  const opened = new Set<OpenTestApp>();
  const managers = new Set<ContextManager>();
  const bugs: unknown[] = [];
  onTestFinished(async () => {
    for (const one of opened) await one.close();
    for (const manager of managers) await manager.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
    expect(bugs, 'nothing went wrong inside').toEqual([]);
  });
  const { strategy, settings: given = {} } = options;
  const settings = settingsSchema.parse({
    ...(options.window === undefined ? {} : { contextWindow: options.window }),
    ...given,
    ...(strategy === undefined
      ? {}
      : { context: { ...('context' in given ? Object(given.context) : {}), strategy } }),
  });
  const store = new PersistentStore({ dataRoot, projectRoot: root, programVersion: '1.0.0' });
  const clock = options.clock ?? systemClock;
  const client = options.client ?? createOpenAIClient({ apiKey: 'sk-test-key', baseUrl: server.baseUrl });

  const isSensitive = (path: string): boolean => path.endsWith('.env');
  const build = () => {
    const model = createModelChoice(options.model ?? MODEL, settings);
    const context = new ContextManager({
      store,
      root,
      settings: settings.context,
      model: model.current,
      summarize: options.summarize ?? createSummarizer(client, clock),
      isSensitive,
      memory: new LongTermMemory({
        folders: {
          user: join(dataRoot, 'memory'),
          project: join(getProjectStoragePath(dataRoot, root), 'memory'),
        },
        isSensitive,
      }),
      clock: clock.now,
      ...options.deps,
    });
    managers.add(context);
    return { context, model };
  };

  const open: TestApp['open'] = async (id) => {
    const { context, model } = build();
    if (id === undefined) {
      const { systemPrompt = 'You are a coding agent.', instructions } = options;
      await context.createSession(
        undefined,
        {},
        {
          systemPrompt,
          ...(instructions === undefined ? {} : { instructions }),
        },
      );
    } else await context.loadSession(id);
    const { tools, dispose } = builtinTools({
      env: { PATH: process.env.PATH ?? '', HOME: home },
      home,
      web: settings.webFetch,
    });
    const agent = createAgent({
      id: 'main',
      context,
      client,
      model,
      tools: () => tools,
      disposeTools: dispose,
      decide: async () => ({ behavior: 'allow', reason: 'the test allows everything' }),
      remember: async () => '',
      root,
      cwd: lastCwd(context.live().entries) ?? root,
      mode: 'default',
      maxSteps: undefined,
      interactive: true,
      demo: false,
      clock,
      newId,
      onError: (error) => bugs.push(error),
    });
    const events: AgentEvent[] = [];
    agent.subscribe((event) => events.push(event));
    const submit: OpenTestApp['submit'] = async (op, ...replies) => {
      const before = server.requests().length;
      server.script(...(options.reportsUsage === true ? replies : replies.map(silently)));
      agent.submit(op);
      await agent.idle();
      if (server.left() > 0) throw new Error(`${server.left()} replies were not asked for.`);
      return server.requests().slice(before);
    };
    let closed = false;
    const made: OpenTestApp = {
      agent,
      context,
      sessionId: context.getCurrentSessionId() ?? '',
      events,
      submit,
      ask: (text, ...replies) => submit({ type: 'prompt', text }, ...replies),
      entries: () => context.entries(),
      async close() {
        if (closed) return;
        closed = true;
        await agent.close();
      },
    };
    opened.add(made);
    return made;
  };
  return { server, root, dataRoot, store, manager: () => build().context, open };
}
