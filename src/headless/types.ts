/** The words of the headless room. */
import type { CommandHost } from '../commands/types.ts';
import type { CompactionPreview } from '../protocol/contextReport.ts';
import type { AgentEvent, CompactionReport, TurnOutcome } from '../protocol/events.ts';
import type { McpServerStatus } from '../protocol/mcp.ts';
import type { ModelError } from '../protocol/model.ts';

export type OutputFormat = 'text' | 'json' | 'stream-json';

export interface HeadlessOptions {
  /** The agent in it is the one that runs; its commands are the ones that `/…` finds. */
  readonly host: CommandHost;
  readonly prompt: string;
  /** What of it the user typed, where the rest was piped in. */
  readonly typed?: string | undefined;
  readonly outputFormat: OutputFormat;
  /** Results go here, and nothing else does. Whole lines, each with its end. */
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** With stream-json: deltas too. */
  readonly includePartialMessages?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Names of the tools that the model has; told in the first line of stream-json. */
  readonly tools?: readonly string[];
  /** The MCP servers as they are when it begins. */
  readonly servers?: readonly McpServerStatus[];
}

/** How a run ended, before it is put into one of the formats. */
export type RunEnd =
  | {
      readonly type: 'turn';
      readonly outcome: TurnOutcome;
      readonly steps: number;
      readonly error?: ModelError;
    }
  | { readonly type: 'compaction'; readonly report: CompactionReport }
  | { readonly type: 'uncompact'; readonly report: CompactionReport }
  | { readonly type: 'preview'; readonly preview: CompactionPreview }
  /** No turn was needed; `ok: false` is bad input. */
  | { readonly type: 'answer'; readonly ok: boolean; readonly text: string };

/** Writes one format: hears the start, every event, and how it ended. */
export interface Reporter {
  begin(): void;
  event(event: AgentEvent): void;
  end(end: RunEnd): Promise<void>;
}
