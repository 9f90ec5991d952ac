/**
 * A real agent with a real ContextManager in a temporary folder; only the model, the tools and the clock are scripted.
 */
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createAgent } from '../../src/agent/Agent.ts';
import type { AgentDeps } from '../../src/agent/agentDeps.ts';
import { type Clock, createSummarizer } from '../../src/agent/reply.ts';
import { lastCwd } from '../../src/agent/sessionFacts.ts';
import type { Agent } from '../../src/agent/types.ts';
import {
  ContextManager,
  PersistentStore,
  projectMessages,
  validateRequest,
} from '../../src/context/index.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { AgentEvent, IdentifiedEvent } from '../../src/protocol/events.ts';
import type { ModelInfo } from '../../src/protocol/models/model.ts';
import type { Op } from '../../src/protocol/ops.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import type { Tool } from '../../src/protocol/tools.ts';
import { line } from './line.ts';
import { type Answer, aborted, ScriptedModel } from './scriptedModel.ts';

export interface TestAgent {
  readonly agent: Agent;
  readonly context: ContextManager;
  readonly model: ScriptedModel;
  readonly clock: VirtualClock;
  readonly events: IdentifiedEvent[];
  /** Errors passed to `onError`; a test that expects one removes it. */
  readonly bugs: unknown[];
  /** The project's folder. */
  readonly root: string;
  /** The folder that contains the project and its sessions; pass it to `resume`. */
  readonly folder: string;
  /** All events so far, one per line; see `line`. */
  lines(): string[];
  /** Submits the ops and waits until the agent is idle. */
  run(...ops: readonly Op[]): Promise<void>;
  /** Submits a prompt and waits until the agent is idle. */
  ask(text: string): Promise<void>;
  /** Resolves with the first past or future event that matches. */
  until(holds: (event: AgentEvent) => boolean): Promise<AgentEvent>;
  /** Calls `act` once, inside the listener, for the first event that matches. */
  when(holds: (event: AgentEvent) => boolean, act: (event: AgentEvent) => void): void;
}

export interface Given extends Partial<Omit<AgentDeps, 'context' | 'model' | 'clock' | 'tools'>> {
  /** A function for tools that come and go. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  readonly answers?: readonly Answer[];
  readonly windowTokens?: number;
  /** Other properties of every model. */
  readonly info?: Partial<ModelInfo>;
  readonly settings?: object;
  /** Resumes this folder's session instead of starting a new one. */
  readonly resume?: { readonly folder: string; readonly sessionId: string };
  readonly systemPrompt?: string;
  /** Of a log larger than this, only the part that requests need is kept in memory. */
  readonly wholeBytes?: number;
  /** The folder for the project and its sessions, instead of a new one. */
  readonly folder?: string;
}

/**
 * At the end of the test, closes everything and checks that the script is used up, that there were no errors, and that
 * the log on disk is valid.
 */
export async function startAgent(given: Given = {}): Promise<TestAgent> {
  const {
    answers,
    windowTokens = 200_000,
    info = {},
    settings,
    resume,
    systemPrompt = 'Be brief.',
    wholeBytes,
    ...rest
  } = given;
  const { folder: place, tools = [], ...deps } = rest;
  const folder =
    resume?.folder ?? place ?? (await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-agent-'))));
  const root = join(folder, 'project');
  await mkdir(root, { recursive: true });
  const model = new ScriptedModel(answers ?? []);
  const clock = new VirtualClock();
  let current: ModelInfo = { ...modelInfo('test-model', windowTokens), ...info };
  const context = new ContextManager({
    store: new PersistentStore({
      dataRoot: join(folder, 'data'),
      projectRoot: root,
      programVersion: '1.0.0',
      ...(wholeBytes === undefined ? {} : { wholeBytes }),
    }),
    root,
    settings: contextSettingsSchema.parse({ threadSummary: 'off', ...settings }),
    model: () => current,
    summarize: createSummarizer(deps.client ?? model, clock),
    isSensitive: () => false,
    clock: clock.now,
  });
  if (resume === undefined) await context.createSession(undefined, {}, { systemPrompt });
  else await context.loadSession(resume.sessionId);
  const events: IdentifiedEvent[] = [];
  const bugs: unknown[] = [];
  let ids = 0;
  const agent = createAgent({
    disposeTools: () => undefined,
    decide: async () => ({ behavior: 'allow', reason: 'the test allows everything' }),
    remember: async ({ rules }) => `Remembered ${rules.join(', ')}`,
    root,
    cwd: lastCwd(context.live().entries) ?? root,
    mode: 'default',
    maxSteps: undefined,
    interactive: true,
    demo: false,
    newId: () => `q${++ids}`,
    onError: (error) => bugs.push(error),
    client: model,
    id: 'main',
    ...deps,
    tools: typeof tools === 'function' ? tools : () => tools,
    context,
    model: {
      current: () => current,
      select: (id) => {
        current = { ...modelInfo(id, windowTokens), ...info };
        return current;
      },
      costUsd: (id, usage) =>
        id === 'free-of-known-price' ? undefined : (usage.inputTokens + usage.outputTokens) / 1000,
    },
    clock,
  });
  const waiting = new Set<{ holds: (event: AgentEvent) => boolean; act: (event: AgentEvent) => void }>();
  agent.subscribe((event) => {
    events.push(event);
    for (const wait of [...waiting]) {
      if (!wait.holds(event)) continue;
      waiting.delete(wait);
      wait.act(event);
    }
  });
  const file = context.filePath();
  onTestFinished(async () => {
    await agent.close();
    expect(bugs, 'nothing went wrong inside').toEqual([]);
    expect(model.unexpected, 'no request that the script does not know').toEqual([]);
    expect(model.unused, 'every answer was asked for').toBe(0);
    if (file !== undefined) await expectValidLog(file);
    if (resume === undefined) await rm(folder, { recursive: true, force: true });
  });
  return {
    agent,
    context,
    model,
    clock,
    events,
    bugs,
    root,
    folder,
    lines: () => events.map(line),
    async run(...ops) {
      for (const op of ops) agent.submit(op);
      await agent.idle();
    },
    async ask(text) {
      agent.submit({ type: 'prompt', text });
      await agent.idle();
    },
    until: (holds) => {
      const there = events.find(holds);
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve) => waiting.add({ holds, act: resolve }));
    },
    when: (holds, act) => void waiting.add({ holds, act }),
  };
}

/** A clock that advances only during sleeps; a sleep ends at once unless `held`. */
export class VirtualClock implements Clock {
  readonly sleeps: number[] = [];
  /** True: a sleep ends only when aborted. */
  held = false;
  #now = Date.UTC(2030, 0, 1);

  readonly now = (): number => this.#now;

  random(): number {
    return 0.5;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeps.push(ms);
    if (this.held) await aborted(signal);
    else this.#now += ms;
  }
}

/** The entries of a log file on disk. */
export async function readLog(file: string): Promise<JSONLEntry[]> {
  const text = await readFile(file, 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((row) => {
      const { crc: _, ...entry } = JSON.parse(row) as JSONLEntry & { crc?: unknown };
      return entry as JSONLEntry;
    });
}

/**
 * Checks that there are no gaps, that each call has exactly one result, and that the messages are valid in a request.
 */
async function expectValidLog(file: string): Promise<void> {
  const entries = await readLog(file);
  expect(entries.map((entry) => entry.seq)).toEqual(entries.map((_, index) => index));
  const asked = entries.flatMap((entry) => entry.tool?.id ?? []).sort();
  const answered = entries.flatMap((entry) => entry.toolResult?.id ?? []).sort();
  expect(answered, 'one result for each call').toEqual(asked);
  const messages = projectMessages(entries);
  const spoken = messages.some(({ role }) => role === 'user');
  if (spoken) expect(validateRequest(messages)).toEqual([]);
}

export function modelInfo(id: string, windowTokens: number): ModelInfo {
  return { id, windowTokens, maxOutputTokens: 4000, source: 'setting', tokenizer: 'unknown' };
}
