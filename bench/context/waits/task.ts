/**
 * A scripted task through the real agent, engine and disk, with a summarizer of a given latency and outcome.
 * Time is virtual for the models and real for the engine: what is measured is how long a request and the end
 * of a step take, which is what a user would wait for.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '../../../src/agent/Agent.ts';
import { type Clock, createSummarizer } from '../../../src/agent/reply.ts';
import { ContextManager, PersistentStore, validateRequest } from '../../../src/context/index.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../../src/protocol/models/model.ts';
import { contextSettingsSchema } from '../../../src/protocol/settings/contextSettings.ts';
import type { Tool } from '../../../src/protocol/tools.ts';
import { outcomes, type SummaryOutcome } from './summaries.ts';

export interface TaskOptions {
  readonly latencyMs: number;
  readonly outcome: SummaryOutcome;
  readonly strategy: 'auto' | 'summary';
  /** Prompts, and tool steps for each. */
  readonly prompts: number;
  readonly steps: number;
  /** Of the model between two steps, in the clock's milliseconds. */
  readonly stepMs: number;
  /** `pass` lets time go by; with the machine's own clock it waits. */
  readonly clock: Clock & { pass(ms: number): Promise<void> };
}

export interface TaskResult {
  /** Of each turn. */
  readonly ended: readonly string[];
  /** Milliseconds of the machine's time, the longest. */
  readonly longestBuildMs: number;
  /** Of the processor's time, which other work on the machine does not lengthen. */
  readonly longestBuildCpuMs: number;
  readonly longestMaintainMs: number;
  readonly builds: number;
  readonly summariesAsked: number;
  readonly summariesFailed: number;
  readonly breakerIsOpen: boolean;
  /** What made room, in order. */
  readonly reductions: readonly string[];
  /** What is wrong with any request that was sent; empty. */
  readonly problems: readonly string[];
  readonly lastRequest: ModelRequest | undefined;
  readonly windowTokens: number;
  /** Of the largest request. */
  readonly sentTokens: number;
  /** Milliseconds of the clock's time that passed while a request was built. */
  readonly waitedMs: number;
}

/** Steps enough for three attempts at a summary, one after the other, each with its retries. */
export function stepsFor({
  latencyMs,
  outcome,
}: Pick<TaskOptions, 'latencyMs' | 'outcome'>): Pick<TaskOptions, 'steps' | 'stepMs'> {
  const stepMs = 60_000;
  const tries = outcome === '429' ? 3 : 1;
  return { stepMs, steps: 20 + Math.ceil((3 * tries * latencyMs) / stepMs) };
}

const WINDOW = 16_000;
/** The words of the user that may never be lost. */
export const CONSTRAINT = 'never touch the database';

class TimedContext extends ContextManager {
  longestBuildMs = 0;
  longestBuildCpuMs = 0;
  waitedMs = 0;
  sentTokens = 0;
  time: () => number = () => 0;
  longestMaintainMs = 0;
  builds = 0;

  override async buildRequest(
    ...args: Parameters<ContextManager['buildRequest']>
  ): ReturnType<ContextManager['buildRequest']> {
    const [started, cpu, time] = [performance.now(), process.cpuUsage(), this.time()];
    const built = await super.buildRequest(...args);
    this.longestBuildMs = Math.max(this.longestBuildMs, performance.now() - started);
    const { user, system } = process.cpuUsage(cpu);
    this.longestBuildCpuMs = Math.max(this.longestBuildCpuMs, (user + system) / 1000);
    this.waitedMs = Math.max(this.waitedMs, this.time() - time);
    this.sentTokens = Math.max(this.sentTokens, this.measure(args[0].tools).usedTokens);
    this.builds++;
    return built;
  }

  override async maintain(...args: Parameters<ContextManager['maintain']>): Promise<void> {
    const started = performance.now();
    await super.maintain(...args);
    this.longestMaintainMs = Math.max(this.longestMaintainMs, performance.now() - started);
  }
}

/** Runs the task to its end. Throws for nothing that a summarizer can do. */
export async function runTask(options: TaskOptions): Promise<TaskResult> {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-waits-'));
  try {
    return await runIn(folder, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runIn(folder: string, options: TaskOptions): Promise<TaskResult> {
  const { clock, prompts, strategy } = options;
  const root = join(folder, 'project');
  await mkdir(root);
  const client = new TaskModel(options);
  const model = () =>
    ({
      id: 'test-model',
      windowTokens: WINDOW,
      maxOutputTokens: 4000,
      source: 'setting',
      tokenizer: 'unknown',
    }) as const;
  const context = new TimedContext({
    store: new PersistentStore({ dataRoot: join(folder, 'data'), projectRoot: root, programVersion: '1' }),
    root,
    settings: contextSettingsSchema.parse({ strategy }),
    model,
    summarize: createSummarizer(client, clock),
    isSensitive: () => false,
    clock: clock.now,
  });
  context.time = clock.now;
  await context.createSession(undefined, {}, { systemPrompt: 'You are a coding agent.' });
  const bugs: unknown[] = [];
  let ids = 0;
  const agent = createAgent({
    id: 'main',
    context,
    client,
    model: { current: model, select: model, costUsd: () => undefined },
    tools: () => [look],
    disposeTools: () => undefined,
    decide: async () => ({ behavior: 'allow', reason: 'scripted' }),
    remember: async () => '',
    root,
    cwd: root,
    mode: 'default',
    maxSteps: undefined,
    interactive: true,
    demo: false,
    clock,
    newId: () => `q${++ids}`,
    onError: (error) => bugs.push(error),
  });
  const events: AgentEvent[] = [];
  agent.subscribe((event) => events.push(event));
  for (let prompt = 0; prompt < prompts; prompt++) {
    const text = `Read part ${prompt} of the manual and report; ${CONSTRAINT}. ${'It is long and dull. '.repeat(80)}`;
    agent.submit({ type: 'prompt', text });
    await agent.idle();
  }
  const { breakerIsOpen } = agent.report();
  const result: TaskResult = {
    ended: events.flatMap((event) => (event.type === 'turn_ended' ? [event.outcome] : [])),
    longestBuildMs: context.longestBuildMs,
    longestBuildCpuMs: context.longestBuildCpuMs,
    longestMaintainMs: context.longestMaintainMs,
    builds: context.builds,
    summariesAsked: client.summaries,
    summariesFailed: count(context.entries(), 'summary_failed'),
    breakerIsOpen,
    reductions: agent.report().reductions.map(({ kind }) => kind),
    problems: [...client.problems, ...bugs.map(String)],
    lastRequest: client.last,
    windowTokens: WINDOW,
    sentTokens: context.sentTokens,
    waitedMs: context.waitedMs,
  };
  await agent.close();
  return result;
}

function count(entries: readonly JSONLEntry[], subtype: string): number {
  return entries.filter((entry) => entry.subtype === subtype).length;
}

/** Plays the task; a request without tools allowed is one for a summary. */
class TaskModel implements ModelClient {
  summaries = 0;
  last: ModelRequest | undefined;
  readonly problems: string[] = [];
  readonly #options: TaskOptions;
  #step = 0;

  constructor(options: TaskOptions) {
    this.#options = options;
  }

  async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (request.toolChoice === 'none') return yield* this.#summary(signal);
    const { clock, steps, stepMs } = this.#options;
    this.last = request;
    this.problems.push(...validateRequest(request.messages));
    await clock.pass(stepMs);
    if (signal.aborted) return;
    const isLast = this.#step++ % (steps + 1) === steps;
    const toolCalls = isLast
      ? []
      : [{ id: `call_${this.#step}`, name: 'Look', arguments: JSON.stringify({ page: this.#step }) }];
    const message = { role: 'assistant', content: isLast ? 'Read.' : '', toolCalls } as const;
    yield { type: 'done', reply: { message, finishReason: isLast ? 'stop' : 'tool_calls' } };
  }

  async *#summary(signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.summaries++;
    const { clock, latencyMs, outcome } = this.#options;
    const event = outcomes[outcome];
    if (event === undefined) {
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      return;
    }
    if (latencyMs > 0) await clock.sleep(latencyMs, signal);
    if (!signal.aborted) yield event;
  }
}

/** About 700 tokens, another text each time. */
const look: Tool = {
  name: 'Look',
  readOnly: true,
  schema: {
    name: 'Look',
    description: 'Shows a page.',
    parameters: { type: 'object', properties: { page: { type: 'number' } } },
  },
  prepare(raw) {
    const { page } = raw as { readonly page?: number };
    return {
      type: 'ready',
      title: `Look ${page}`,
      access: { type: 'none' },
      preview: async () => ({ type: 'text', text: '' }),
      run: async () => ({
        status: 'ok',
        text: `page ${page}: ${`word${page} and another word, `.repeat(100)}`,
        kind: 'text',
        display: { title: `page ${page}` },
      }),
    };
  },
};
