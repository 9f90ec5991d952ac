/** The dependencies of an agent. */
import type { ContextManager } from '../context/index.ts';
import type { FileCheckpoints } from '../protocol/checkpoints.ts';
import type { Usage } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/models/model.ts';
import type { Effort, ThinkingChange } from '../protocol/models/wires.ts';
import type { PromptOp } from '../protocol/ops.ts';
import type { Access, PermissionBasis, PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { CommandSandbox } from '../protocol/sandbox.ts';
import type { TaskPort } from '../protocol/tasks.ts';
import type { Tool } from '../protocol/tools.ts';
import type { PermissionRules, Questions } from './approvals.ts';
import type { HookDeps } from './hooks/createHooks.ts';
import type { RefusedModes } from './modes.ts';
import type { Clock } from './reply.ts';
import type { ParentAgent, SubagentPort } from './subagents/types.ts';

/** The session's model. */
export interface AgentModel {
  /** Returns a new object whenever its properties have changed. */
  current(): ModelInfo;
  /** Switches the model and returns its properties. */
  select(id: string): ModelInfo;
  /** Sets how much the model reasons in this session; undefined = the model's own default. */
  setEffort?(effort: Effort | undefined): ModelInfo;
  /** Sets how many tokens the model reasons with in this session. */
  setThinking?(change: ThinkingChange): ModelInfo;
  costUsd(model: string, usage: Usage): number | undefined;
  /**
   * Called before a turn: waits, with a timeout, until the model's properties (its context window, for example) have
   * been looked up. `tokens` returns the approximate size of the next request. Returns warnings for the user.
   */
  waitForFacts?(signal: AbortSignal, tokens?: () => number): Promise<readonly string[]>;
}

export interface AgentDeps extends PermissionRules {
  /** Unique within the process. */
  readonly id: string;
  /** Its session has already been created or loaded. */
  readonly context: ContextManager;
  readonly client: ModelClient;
  readonly model: AgentModel;
  /** The fallback models, in order, for when the chosen one is unavailable; absent = none. */
  readonly fallbacks?: () => readonly ModelInfo[];
  /** The model that writes the session's title; absent = the session's own. */
  readonly titleModel?: (() => ModelInfo) | undefined;
  /** The tools available right now; called before each request and each tool call. */
  readonly tools: () => readonly Tool[];
  /** Called before each request: waits, with its own timeout, for tools that are still loading. */
  readonly waitForTools?: (signal: AbortSignal) => Promise<void>;
  /** Attaches what else a prompt mentions, with at most so many characters, when it is sent; never rejects. */
  readonly expandPrompt?: (prompt: PromptOp, signal: AbortSignal, maxCharacters: number) => Promise<PromptOp>;
  /** Attaches the files that prompts mention as `@path`; `home` is for `~`. Absent = mentions stay text. */
  readonly attaches?: { readonly home: string };
  /** Stops processes that tools left running. */
  readonly disposeTools: () => Promise<void> | void;
  readonly root: string;
  /** Initial working directory of the shell: absolute, links resolved. */
  readonly cwd: string;
  /** Initial permission mode if the log has none. */
  readonly mode: PermissionMode;
  /** Modes that this session cannot use; absent = all modes are available. */
  readonly refusedModes?: RefusedModes;
  /** The user's or administrator's rules for the judge of mode `auto`, one sentence each. */
  readonly judgeRules?: readonly string[];
  readonly maxSteps: number | undefined;
  readonly interactive: boolean;
  readonly demo: boolean;
  /** Whether the model names the session after its first turn; never in headless runs or with the demo model. */
  readonly titles?: boolean;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Takes the checkpoints of files. Without it, only the conversation can be rewound. Closed with the agent. */
  readonly files?: (FileCheckpoints & { close?(): Promise<void> }) | undefined;
  /** Ids of tool calls whose processes are still running. */
  readonly runningCalls?: () => readonly string[];
  /** Called for each request of a turn once there is nothing left to do but wait for the model. */
  readonly onUnderway?: () => void;
  /** Runs background tasks; absent = background tasks are unavailable. */
  readonly tasks?: TaskPort;
  /** Returns notes that a tool had only after its result, each once. */
  readonly lateNotes?: () => readonly string[];
  /** Creates subagents; absent = the model cannot start subagents. */
  readonly subagents?: SubagentPort;
  /** For a subagent: the agent that started it, whose modes apply. */
  readonly parent?: ParentAgent;
  /**
   * Called before a call that may change files, with what allowed it; the call runs once the promise settles. Returns a
   * function to call afterwards, which never rejects.
   */
  readonly onChanging?: (
    access: Access,
    basis: PermissionBasis,
    mode: PermissionMode,
  ) => Promise<(() => Promise<void>) | undefined>;
  /** Receives how to reach the user, for programs named in settings. `ask`: absent if there is no user to ask. */
  readonly lendUser?: (user: {
    readonly ask?: Questions['ask'];
    readonly notice: (level: 'info' | 'warning' | 'error', text: string) => void;
  }) => void;
  readonly sandbox?: Pick<CommandSandbox, 'state'>;
  /** The rule that "always" saves for a host that a sandboxed command wants to reach. */
  readonly suggestHost?: (domain: string) => RuleSuggestion;
  /** Absent without hooks. */
  readonly hooks?: HookDeps | undefined;
  /** Receives errors thrown by subscribers. */
  readonly onError: (error: unknown) => void;
}
