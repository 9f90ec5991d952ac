/** What all parts of an agent share: events, questions, prompts, modes, tools and a few facts. */
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent, IdentifiedEvent } from '../protocol/events.ts';
import type { SandboxState } from '../protocol/sandbox.ts';
import type { Tool } from '../protocol/tools.ts';
import type { AgentDeps } from './agentDeps.ts';
import { createQuestions, delegatedQuestions, type Questions } from './approvals.ts';
import { createModes, type Modes } from './modes.ts';
import { createPromptQueue, type PromptQueue } from './prompts/promptQueue.ts';
import { createTitleTracker, type Totals, totalsOf } from './sessionFacts.ts';
import { createSubagentTool, type SubagentTool } from './subagents/connect.ts';
import { childModes } from './subagents/types.ts';
import { createDeferredTools, createToolset, type DeferredTools, type Toolset } from './toolset/toolset.ts';

/** Shared by all parts of an agent. */
export interface Core {
  readonly hub: EventHub;
  emit(event: AgentEvent): void;
  notice(level: 'info' | 'warning' | 'error', text: string): void;
  reportBug(error: unknown): void;
  readonly questions: Questions;
  readonly prompts: PromptQueue;
  readonly modes: Modes;
  readonly toolset: Toolset;
  readonly facts: Facts;
  setCwd(directory: string): void;
  /** Absent if this agent cannot start subagents. */
  readonly subagentTool: SubagentTool | undefined;
}

/** Parts of the agent's state that no other part stores. */
interface Facts {
  /** The shell's current directory. */
  cwd: string;
  readonly titleOf: (entries: readonly JSONLEntry[]) => string | undefined;
  totals: Totals;
  measure: ContextMeasure | undefined;
  sandbox: SandboxState | undefined;
  /** The prompt that was sent last, as hooks know it; undefined before the first of this process. */
  promptId: string | undefined;
}

/** Expects `deps.context` to have its session already. */
export function createCore(deps: AgentDeps): Core {
  const { context } = deps;
  const hub = createEventHub(deps.id, deps.onError);
  const facts: Facts = {
    cwd: deps.cwd,
    titleOf: createTitleTracker(),
    totals: totalsOf(context.entries(), deps.model.costUsd),
    measure: undefined,
    sandbox: undefined,
    promptId: undefined,
  };
  const emit = (event: AgentEvent): void => {
    if (event.type === 'context_measured') facts.measure = event.measure;
    hub.emit(event);
  };
  const notice: Core['notice'] = (level, text) => emit({ type: 'notice', level, text });
  const { parent } = deps;
  const modes =
    parent === undefined ? createModes(context, deps.mode, hub.emit, deps.refusedModes) : childModes(parent);
  const neverAsks = (): boolean => modes.current() === 'dontAsk';
  const subagentTool = deps.subagents && createSubagentTool(deps.subagents);
  const all = subagentTool === undefined ? deps.tools : () => [subagentTool.tool(), ...deps.tools()];
  const tools = (): readonly Tool[] => {
    const { windowTokens } = deps.model.current();
    return all().filter(({ minWindowTokens = 0 }) => minWindowTokens <= windowTokens);
  };
  return {
    hub,
    emit,
    notice,
    reportBug(error) {
      deps.onError(error);
      const why = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
      notice('error', `Internal error: ${why}. The session is saved; continue, or /resume it.`);
    },
    questions:
      parent === undefined
        ? createQuestions(deps.id, hub.emit, neverAsks)
        : delegatedQuestions(parent.ask, neverAsks),
    prompts: createPromptQueue(hub.emit),
    modes,
    toolset: createToolset(tools, deferredToolsOf(deps)),
    facts,
    setCwd(directory) {
      facts.cwd = directory;
      context.setCwd(directory);
    },
    subagentTool,
  };
}

/** Decides which tools to defer by the share of the current model's context window that their schemas take. */
function deferredToolsOf({ context, model }: AgentDeps): DeferredTools {
  const calledTools = context.entries().flatMap(({ tool }) => (tool === undefined ? [] : [tool.name]));
  return createDeferredTools({
    tokensOf: (schemas) => context.measure(schemas).parts.find(({ name }) => name === 'tools')?.tokens ?? 0,
    windowTokens: () => model.current().windowTokens,
    called: calledTools,
  });
}

interface EventHub {
  emit(event: AgentEvent): void;
  subscribe(listener: (event: IdentifiedEvent) => void): () => void;
}

/**
 * Delivers each event of an agent to every subscriber in order; errors of one affect neither the turn nor the others.
 */
export function createEventHub(agentId: string, onError: (error: unknown) => void): EventHub {
  const listeners = new Set<(event: IdentifiedEvent) => void>();
  return {
    emit(event) {
      const identified: IdentifiedEvent = { ...event, agentId };
      for (const listener of [...listeners]) {
        try {
          listener(identified);
        } catch (error) {
          onError(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
