import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ContextManager, type ContextManagerDeps, PersistentStore } from '../../src/context/index.ts';
import type { RequestOptions, SummaryReply } from '../../src/context/types.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { ToolCall, ToolSchema } from '../../src/protocol/messages.ts';
import type { ModelInfo, ModelRequest, Reply } from '../../src/protocol/models/model.ts';
import { type ContextSettings, contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import type { ToolOutcome } from '../../src/protocol/tools.ts';

export type Step = SummaryReply | ((request: ModelRequest, signal: AbortSignal) => Promise<SummaryReply>);

/** Answers from a script, stores clones of its requests, and fails on an unexpected call. */
export class ScriptedSummaries {
  readonly requests: ModelRequest[] = [];
  readonly #steps: Step[] = [];

  expect(...steps: Step[]): void {
    this.#steps.push(...steps);
  }

  readonly summarize: ContextManagerDeps['summarize'] = async (request, { signal, onProgress }) => {
    this.requests.push(structuredClone(request) as ModelRequest);
    const step = this.#steps.shift();
    if (step === undefined) throw new Error('unexpected request for a summary');
    onProgress(10);
    return typeof step === 'function' ? step(request, signal) : step;
  };

  get unused(): number {
    return this.#steps.length;
  }
}

export interface TestHome {
  readonly root: string;
  readonly store: PersistentStore;
  readonly summaries: ScriptedSummaries;
  readonly deps: ContextManagerDeps;
  readonly events: AgentEvent[];
  model: ModelInfo;
  /** A manager on the same disk, as after a restart; `deps` override dependencies. Closed when the test ends. */
  manager(deps?: Partial<ContextManagerDeps>): ContextManager;
  closeAll(): Promise<void>;
  options(signal?: AbortSignal): RequestOptions;
  tools: readonly ToolSchema[];
}

export const modelOf = (windowTokens: number): ModelInfo => ({
  id: 'test-model',
  windowTokens,
  maxOutputTokens: 4000,
  source: 'setting',
  tokenizer: 'unknown',
});

/** A project and a data folder in a temporary directory. */
export async function createTestHome(given: Given = {}): Promise<TestHome> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-context-'));
  const built = createTestHomeIn(folder, given);
  onTestFinished(async () => {
    await built.closeAll();
    await rm(folder, { recursive: true, force: true });
  });
  return built;
}

interface Given {
  readonly windowTokens?: number;
  readonly settings?: object;
  /** True to act like a local server: nothing runs in the background, so the trigger waits for the summary. */
  readonly waits?: boolean;
  readonly isSensitive?: (path: string) => boolean;
}

/** The same, in a folder that the caller owns. */
export function createTestHomeIn(folder: string, given: Given = {}): TestHome {
  const managers: ContextManager[] = [];
  const store = new PersistentStore({
    dataRoot: join(folder, 'data'),
    projectRoot: folder,
    programVersion: '1.0.0',
  });
  const summaries = new ScriptedSummaries();
  const settings: ContextSettings = contextSettingsSchema.parse({
    ...(given.waits === true ? { strategy: 'summary', threadSummary: 'off' } : {}),
    ...given.settings,
  });
  const built: TestHome = {
    root: folder,
    store,
    summaries,
    events: [],
    model: modelOf(given.windowTokens ?? 200_000),
    tools: [],
    deps: {
      store,
      root: folder,
      settings,
      model: () => built.model,
      summarize: summaries.summarize,
      isSensitive: given.isSensitive ?? (() => false),
    },
    manager: (deps) => {
      // Not a copy: tests change the clock while a manager is open.
      const manager = new ContextManager(deps === undefined ? built.deps : { ...built.deps, ...deps });
      managers.push(manager);
      return manager;
    },
    closeAll: async () => {
      await Promise.all(managers.map((manager) => manager.close()));
    },
    options: (signal = new AbortController().signal) => ({
      tools: built.tools,
      signal,
      emit: (event) => built.events.push(event),
    }),
  };
  return built;
}

export const say = (text: string, usage?: Reply['usage']): Reply => ({
  message: { role: 'assistant', content: text, toolCalls: [] },
  finishReason: 'stop',
  ...(usage === undefined ? {} : { usage }),
});

export const summary = (text: string): SummaryReply => ({ type: 'done', reply: say(text) });

export const failure = (message = 'The server answered 500.'): SummaryReply => ({
  type: 'failed',
  error: { kind: 'server', message, retryable: true },
});

export const call = (id: string, name = 'Read', input: unknown = { path: 'a.ts' }): ToolCall => ({
  id,
  name,
  arguments: JSON.stringify(input),
});

export const ask = (calls: readonly ToolCall[], text = ''): Reply => ({
  message: { role: 'assistant', content: text, toolCalls: calls },
  finishReason: 'tool_calls',
});

export const outcome = (text: string, extra: Partial<ToolOutcome> = {}): ToolOutcome => ({
  status: 'ok',
  text,
  kind: 'file',
  display: { title: 'a.ts' },
  ...extra,
});

/** A tool step: the call and its result. */
export async function step(context: ContextManager, id: string, text: string, extra = {}): Promise<void> {
  await context.appendReply(ask([call(id)], `step ${id}`));
  await context.appendToolResult({ call: call(id), outcome: outcome(text, extra) });
}

export const configuration = { systemPrompt: 'You are a coding agent.' };
