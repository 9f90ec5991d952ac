/** Types for headless runs. */
import type { Agent } from '../agent/types.ts';
import type { CommandHost } from '../commands/types.ts';
import type { CompactionPreview } from '../protocol/contextReport.ts';
import type { AgentEvent, CompactionReport, TurnOutcome } from '../protocol/events.ts';
import type { McpServerStatus } from '../protocol/extensions/mcp.ts';
import type { ModelError, ModelInfo } from '../protocol/models/model.ts';
import type { AskAboutCall } from './callQuestions.ts';
import type { AllowanceLimits } from './denials.ts';

type OutputFormat = 'text' | 'json' | 'stream-json';

/** What a reporter needs to know of the run. */
export interface ReportOptions {
  readonly agent: Agent;
  /** What an administrator has ruled out, for the advice about calls that were not allowed. */
  readonly allowanceLimits?: AllowanceLimits;
  /** What is known about any model, by its full name. */
  readonly modelInfo: (name: string) => ModelInfo;
  /** Provides the commands for `/…`; loads them on the first call, which most prompts never need. */
  readonly host: () => Promise<CommandHost>;
  readonly outputFormat: OutputFormat;
  /** Receives results only, as complete lines with line feeds. */
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** With stream-json: also write deltas. */
  readonly includePartialMessages?: boolean;
  /** With stream-json: a line when a hook starts, and one when it ends. */
  readonly includeHookEvents?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Names of the model's tools, for the first line of stream-json. */
  readonly tools?: () => readonly string[];
  /** The state of the MCP servers, also part of it. */
  readonly servers?: () => readonly McpServerStatus[];
  /** Names of the skills, also part of it. */
  readonly skills?: readonly string[];
  /** Names of the subagents that the model may start. */
  readonly agents?: readonly string[];
}

/** The model's final answer in a form that the caller asked for. */
interface StructuredAnswer {
  /** Forgets the answer of an earlier turn. */
  begin(): void;
  answer(): { readonly value: unknown } | undefined;
  /** Calls that did not fit the form since `begin`. */
  failures(): number;
}

export interface LimitOptions {
  /** In US dollars, for all turns of the process. */
  readonly maxBudgetUsd?: number | undefined;
  readonly structured?: StructuredAnswer | undefined;
}

export interface HeadlessOptions extends ReportOptions {
  readonly limits?: LimitOptions;
  readonly prompt: string;
  /** The part of the prompt that the user typed, if the rest was piped in. */
  readonly typed?: string | undefined;
  /** Who decides about calls that need approval; absent = they are denied. */
  readonly askAboutCall?: AskAboutCall | undefined;
}

/** How a run ended, independent of the output format. */
export type RunEnd =
  | {
      readonly type: 'turn';
      readonly outcome: TurnOutcome;
      readonly steps: number;
      readonly error?: ModelError;
      /** The answer that fits the schema of `--json-schema`. */
      readonly structured?: { readonly value: unknown };
    }
  /** A limit of the run was reached; `reason` is ready to show. */
  | {
      readonly type: 'limit';
      readonly limit: 'budget' | 'structured_output';
      readonly reason: string;
      readonly steps: number;
    }
  | { readonly type: 'compaction'; readonly report: CompactionReport }
  | { readonly type: 'uncompact'; readonly report: CompactionReport }
  | { readonly type: 'preview'; readonly preview: CompactionPreview }
  /** No turn was needed; `ok: false` is bad input. */
  | { readonly type: 'answer'; readonly ok: boolean; readonly text: string };

/** Writes one format: receives the start, every event, and the end of each prompt's run. */
export interface Reporter {
  begin(): void;
  event(event: AgentEvent): void;
  end(end: RunEnd): Promise<void>;
}
