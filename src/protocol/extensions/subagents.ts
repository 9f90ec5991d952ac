/** Subagents: agents that the model starts for a part of the work, and the definitions that they come from. */

import type { Effort } from '../models/wires.ts';
import type { PermissionMode } from '../permissions.ts';

/** Where a definition comes from: the program, `--agents`, the user's own folders, a plugin, or the repository. */
export type AgentScope = 'builtin' | 'flag' | 'user' | 'plugin' | 'project';

/** The definition of a subagent: a Markdown file with front matter, or an entry of `--agents`. */
export interface AgentDefinition {
  readonly name: string;
  /** One line for the model: when to use it. At most 1,024 characters. */
  readonly description: string;
  /** The instructions, which become the system prompt. */
  readonly prompt: string;
  readonly scope: AgentScope;
  /** Absolute path of its file; absent without one. */
  readonly file?: string;
  /** SHA-256 of its file, in hex: the user approves one content. */
  readonly digest?: string;
  /** Names of the tools it may use; absent = all. */
  readonly tools?: readonly string[];
  readonly disallowedTools: readonly string[];
  /** Absent = the model of the agent that starts it. */
  readonly model?: string;
  /** How much its model reasons; absent = as in the session. */
  readonly effort?: Effort;
  /** Applies only if it is stricter than the mode of the agent that starts it. */
  readonly permissionMode?: PermissionMode;
  /** Maximum number of steps; absent = the default. */
  readonly maxTurns?: number;
  /** Names of skills whose instructions are part of its system prompt. */
  readonly skills: readonly string[];
  /** True if it runs only calls that change nothing. */
  readonly isReadOnly?: true;
  /** It always works in its own git worktree. */
  readonly isolation?: 'worktree';
  /** It runs in the background unless a call says otherwise. */
  readonly isBackground?: true;
  /** Keys of the front matter that are ignored, sorted. */
  readonly ignored: readonly string[];
}

/** A definition that cannot be used. */
export interface AgentProblem {
  readonly file: string;
  /** One sentence for the user. */
  readonly message: string;
}

export interface AgentList {
  /** Sorted by name, without duplicates. */
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
}

/** What a running subagent is doing. */
export interface SubagentStatus {
  /** The call of the Agent tool that started it. */
  readonly callId: string;
  /** `a1`, `a2` …, unique within the session. */
  readonly id: string;
  readonly agent: string;
  /** The task in a few words. */
  readonly description: string;
  readonly startedAtMs: number;
  /** 0 while it waits for others to finish. */
  readonly step: number;
  /** The tool call that runs, or what it waits for; one line of untrusted text. */
  readonly doing: string;
  /** Tokens used so far. */
  readonly tokens: number;
}
