/** The ports between an agent and its subagents. */
import type { AgentDefinition } from '../../protocol/extensions/subagents.ts';
import type { WorktreeEnd } from '../../protocol/extensions/worktrees.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { Questions } from '../approvals.ts';
import type { Judge } from '../auto/judge.ts';
import type { CheckpointKeeper } from '../checkpoints.ts';
import type { Modes } from '../modes.ts';
import type { Agent } from '../types.ts';

/** What an agent shares with a subagent, so that both act as one session. */
export interface ParentAgent {
  /** Asks the user through the parent, naming the subagent. An abort is a denial that ends the turn. */
  readonly ask: Questions['ask'];
  /** The parent's mode right now, or the stricter one of the definition. */
  mode(): PermissionMode;
  setMode(mode: PermissionMode): Promise<void>;
  /** See `SubagentPort`. */
  modelProblem(model: string): string | undefined;
  /** The prompt that the parent works on, as hooks know it. */
  promptId(): string | undefined;
  /** Judges calls in mode `auto` by what the user asked the parent for. */
  readonly judge: Judge;
  /**
   * Records changes on disk in the parent's log, as made by the parent's call. `running`: ids of the subagent's calls
   * whose processes are still running.
   */
  checkpoints(running: () => readonly string[]): CheckpointKeeper;
}

/** A subagent to create. */
export interface ChildRequest {
  /** From `newId`: the name of its log. */
  readonly id: string;
  readonly definition: AgentDefinition;
  /** The model's own choice of a model; absent = that of the definition. */
  readonly model?: string | undefined;
  readonly callId: string;
  readonly description: string;
  /** The id of the parent's session. */
  readonly sessionId: string;
  /** The shell's first directory. */
  readonly cwd: string;
  /** True if it works in its own git worktree. */
  readonly isIsolated: boolean;
  /** True if it decides for a hook: no hooks run for it. */
  readonly isOfHook?: boolean;
  readonly parent: ParentAgent;
  /** Stops what its creation and the end of its worktree wait for. In between, it is stopped by an op. */
  readonly signal: AbortSignal;
}

export interface OpenedChild {
  readonly agent: Agent;
  /** The path of its log, relative to the project's folder. */
  readonly log: string;
  /** Its own worktree; `end` is called after the agent was closed, and never rejects. */
  readonly worktree?: { readonly path: string; readonly end: () => Promise<WorktreeEnd> };
}

/** Creates subagents; the agent runs them. */
export interface SubagentPort {
  /** The definitions that the model may use now; the same array until the user changes plugins. */
  readonly definitions: readonly AgentDefinition[];
  /** Why a call may not name this model, for the model; undefined if it may. */
  modelProblem(model: string): string | undefined;
  /** Returns an id that no subagent of this session has had: `a1`, `a2` …. */
  newId(sessionId: string): Promise<string>;
  /**
   * Creates a subagent with a session of its own. Rejects with an `Error` whose message is for the model, once it has
   * removed what it had created.
   */
  open(request: ChildRequest): Promise<OpenedChild>;
}

/** Steps after which a subagent ends if its definition names no limit. */
export const DEFAULT_STEPS = 50;

// The permission mode of a subagent: its definition may only tighten the mode of the agent that started it. Pure.

/** For each mode, the stricter ones: less runs without approval, or less can run at all. */
const stricter: Readonly<Record<PermissionMode, readonly PermissionMode[]>> = {
  plan: [],
  dontAsk: ['plan'],
  default: ['plan', 'dontAsk'],
  acceptEdits: ['plan', 'dontAsk', 'default'],
  auto: ['plan', 'dontAsk', 'default'],
  bypassPermissions: ['plan', 'dontAsk', 'default', 'acceptEdits', 'auto'],
};

/** Returns `wanted` if it is stricter than the parent's mode, otherwise the parent's. */
export function stricterMode(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  return wanted !== undefined && stricter[parent].includes(wanted) ? wanted : parent;
}

/** The parent lends its mode, tightened. Switching it, as "accept edits" in a question does, switches the parent's. */
export function childModes(parent: ParentAgent): Modes {
  return {
    current: parent.mode,
    cycle: [],
    set: parent.setMode,
    // A subagent presents no plan: its result does that.
    afterPlan: parent.mode,
    announce: async () => {},
    retell: async () => {},
  };
}
