import type { Agent, AgentState } from '../../src/agent/types.ts';
import type { RestoreStep, RewindPlan, TurnRecord } from '../../src/protocol/checkpoints.ts';
import type {
  CompactionDiff,
  ContextItem,
  ContextMeasure,
  ContextReport,
} from '../../src/protocol/contextReport.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { AgentEvent, IdentifiedEvent } from '../../src/protocol/events.ts';
import type { Op } from '../../src/protocol/ops.ts';

/** An expected op and the agent's events in response. A question waits for its answer. */
export interface ScriptStep {
  readonly on: Exclude<Op, { type: 'answer' | 'interrupt' }>;
  readonly say: readonly AgentEvent[];
}

export interface ScriptedAgent extends Agent {
  /** All submitted ops, in order. */
  readonly ops: readonly Op[];
}

export const measure: ContextMeasure = {
  model: 'gpt-4.1',
  windowTokens: 10_000,
  triggerTokens: 8_000,
  usedTokens: 2_500,
  replyReserveTokens: 1_000,
  parts: [
    { name: 'tools', tokens: 800 },
    { name: 'system', tokens: 1_500 },
    { name: 'masked', tokens: 0 },
    { name: 'history', tokens: 200 },
  ],
  exact: false,
  windowSource: 'catalogue',
};

export const state: AgentState = {
  sessionId: 'session1',
  title: 'Fix the test',
  root: '/home/me/project',
  model: {
    id: 'gpt-4.1',
    windowTokens: 10_000,
    maxOutputTokens: 2_000,
    source: 'catalogue',
    tokenizer: 'o200k_base',
  },
  chosenModel: 'gpt-4.1',
  mode: 'default',
  modes: {
    cycle: ['default', 'acceptEdits', 'plan'],
    refused: { auto: 'Auto is off here.' },
    afterPlan: 'default',
  },
  busy: false,
  queue: [],
  questions: [],
  todos: [],
  tasks: [],
  canBackground: false,
  measure,
  usage: {
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    requests: 0,
    estimated: 0,
    costUsd: 0,
    knownUsd: 0,
    unpriced: 0,
  },
  demo: false,
  sandbox: undefined,
};

/** A session in which nothing was reduced yet. */
export const report: ContextReport = {
  measure,
  reductions: [],
  compactions: [],
  next: { action: 'a summary takes the place of older messages', atTokens: measure.triggerTokens },
  draft: 'none',
  breakerIsOpen: false,
  warnings: [],
};

/** The parts of the context that a test can set. */
export interface ScriptedContext {
  readonly report?: ContextReport;
  readonly items?: readonly ContextItem[];
  readonly lastDiff?: CompactionDiff;
  readonly turns?: readonly TurnRecord[];
  readonly plans?: readonly RewindPlan[];
  /** The changes that any diff shows; undefined for an unknown turn. */
  readonly changes?: readonly RestoreStep[];
}

/** An agent that plays a script and fails on anything else. */
export function scriptedAgent(
  script: readonly ScriptStep[] = [],
  about: Partial<AgentState> = {},
  context: ScriptedContext = {},
): ScriptedAgent {
  const steps = [...script];
  const listeners = new Set<(event: IdentifiedEvent) => void>();
  const ops: Op[] = [];
  const entries: JSONLEntry[] = [];
  const answered = new Map<string, () => void>();
  let current: AgentState = { ...state, ...about };
  let work: Promise<void> = Promise.resolve();

  const emit = (event: AgentEvent): void => {
    for (const listener of listeners) listener({ ...event, agentId: 'main' });
  };
  const say = async (event: AgentEvent): Promise<void> => {
    await Promise.resolve();
    if (event.type === 'entry') record(event.entry);
    if (event.type !== 'permission_question') return emit(event);
    const answer = new Promise<void>((resolve) => answered.set(event.question.id, resolve));
    emit(event);
    await answer;
  };
  const record = (entry: JSONLEntry): void => {
    entries.push(entry);
    const spent = entry.message.usage;
    if (spent === undefined) return;
    const { usage } = current;
    current = {
      ...current,
      usage: {
        ...usage,
        inputTokens: usage.inputTokens + spent.input_tokens,
        outputTokens: usage.outputTokens + spent.output_tokens,
        requests: usage.requests + 1,
        // In a session with an unknown price, none is known.
        ...(usage.costUsd === undefined
          ? { unpriced: usage.unpriced + 1 }
          : { costUsd: usage.costUsd + 0.01, knownUsd: usage.knownUsd + 0.01 }),
      },
    };
  };

  return {
    id: 'main',
    ops,
    submit(op) {
      ops.push(structuredClone(op));
      if (op.type === 'answer') return answered.get(op.id)?.();
      if (op.type === 'interrupt') return;
      const step = steps.shift();
      if (JSON.stringify(step?.on) !== JSON.stringify(op)) {
        throw new Error(`unexpected op ${JSON.stringify(op)}; the script has ${JSON.stringify(step?.on)}`);
      }
      work = work.then(async () => {
        for (const event of step?.say ?? []) await say(event);
      });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    state: () => current,
    entries: () => entries,
    liveEntries: () => entries,
    page: async (beforeSeq, count) => entries.filter(({ seq }) => seq < beforeSeq).slice(-count),
    canUndoRewind: () => false,
    turns: async (limit) => (context.turns ?? []).slice(-limit),
    planRewind: async (uuid) => context.plans?.find(({ turn }) => turn.uuid === uuid),
    diff: async () => context.changes,
    popQueued: () => undefined,
    async idle() {
      await work;
      if (steps.length > 0)
        throw new Error(`the script was not played to its end: ${JSON.stringify(steps[0]?.on)}`);
    },
    measure: async () => measure,
    refine: async () => measure,
    report: () => context.report ?? report,
    draft: () => (context.report ?? report).draft,
    contextData: () => undefined,
    items: () => context.items ?? [],
    lastDiff: () => context.lastDiff,
    taskOutput: () => undefined,
    watchTask: () => () => undefined,
    fork: async () => 'fork1',
    close: async () => undefined,
  };
}
