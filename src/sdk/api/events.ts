/**
 * The events of a session: the lines of `--output-format stream-json`, typed. Part of the public types, so it imports
 * only its neighbors.
 */

/** Fields of every event. */
export interface EventHead {
  readonly session_id: string;
  readonly uuid: string;
}

/** Tokens; `input_tokens` excludes cached input. */
export interface TokenUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}

/** PNG, JPEG, GIF or WebP, up to 5 MB. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source: {
    readonly type: 'base64';
    readonly media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
    readonly data: string;
  };
}

export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
}

export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string;
  readonly is_error: boolean;
}

/** The first event of each turn. */
export interface InitEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly { readonly name: string; readonly status: string }[];
  readonly slash_commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly apiKeySource: string;
  readonly clawdcode_version: string;
  /** The version of Claude Code whose message format this is. */
  readonly claude_code_version: string;
  /** What the control protocol can do beyond its first version. */
  readonly capabilities: readonly string[];
  readonly output_style: string;
  /** Always empty. */
  readonly plugins: readonly never[];
  /** Set with the built-in demo model. */
  readonly demo?: true;
  /** Settings of the folder that do not apply because the user has not trusted them. */
  readonly untrusted_settings?: readonly string[];
}

/** A part of a reply: its reasoning and text, or one tool call. Parts of one reply share `message.id`. */
export interface AssistantEvent extends EventHead {
  readonly type: 'assistant';
  readonly message: {
    readonly id: string;
    readonly role: 'assistant';
    readonly model?: string;
    readonly content: readonly (TextBlock | ThinkingBlock | ToolUseBlock)[];
    readonly stop_reason: string | null;
    readonly usage: TokenUsage;
  };
  /** The call that started the subagent, if the event is a subagent's. */
  readonly parent_tool_use_id: string | null;
  /** The reply was interrupted. */
  readonly aborted?: true;
  readonly error?: string;
}

/** A tool result, or a message from ClawdCode to the model (`isSynthetic`). */
export interface UserEvent extends EventHead {
  readonly type: 'user';
  readonly message: {
    readonly role: 'user';
    readonly content: string | readonly (TextBlock | ImageBlock | ToolResultBlock)[];
  };
  readonly parent_tool_use_id: string | null;
  /** What the screen would show of a tool result. */
  readonly tool_use_result?: unknown;
  readonly isSynthetic?: true;
}

/** Part of a reply as it arrives; only with `partialMessages`. */
export interface PartialEvent extends EventHead {
  readonly type: 'stream_event';
  readonly event:
    | { readonly type: 'message_start'; readonly message: { readonly id: string; readonly model: string } }
    | {
        readonly type: 'content_block_start';
        readonly index: number;
        readonly content_block: TextBlock | ThinkingBlock | ToolUseBlock;
      }
    | {
        readonly type: 'content_block_delta';
        readonly index: number;
        readonly delta:
          | { readonly type: 'text_delta'; readonly text: string }
          | { readonly type: 'thinking_delta'; readonly thinking: string }
          | { readonly type: 'input_json_delta'; readonly partial_json: string };
      }
    | { readonly type: 'content_block_stop'; readonly index: number }
    | { readonly type: 'message_delta'; readonly delta: { readonly stop_reason: string | null } }
    | { readonly type: 'message_stop' };
  readonly parent_tool_use_id: string | null;
}

/** A command or subagent now runs in the background. */
export interface TaskStartedEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'task_started';
  readonly task_id: string;
  /** The command line, or the name and task of a subagent. */
  readonly description: string;
  readonly task_type: 'local_bash' | 'local_agent';
}

/** A background task ended. */
export interface TaskEndedEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly status: 'completed' | 'failed' | 'stopped';
  /** Always empty: the output is in the session. */
  readonly output_file: string;
  readonly summary: string;
}

export interface PermissionDeniedEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'permission_denied';
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly decision_reason_type: 'rule' | 'permissionPromptTool' | 'nobody_to_ask';
  readonly decision_reason: string;
  /** The text for the model. */
  readonly message: string;
}

/** A request failed and will be retried. */
export interface RetryEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'api_retry';
  readonly attempt: number;
  readonly max_retries: number;
  readonly retry_delay_ms: number;
  readonly error_status: number | null;
  readonly error: string;
}

export interface StatusEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'status';
  readonly status: 'compacting' | null;
  readonly permissionMode?: string;
}

/** A summary replaced the older part of the conversation; the log keeps it. */
export interface CompactEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'compact_boundary';
  readonly compact_metadata: {
    readonly trigger: 'auto' | 'manual';
    readonly pre_tokens: number;
    readonly post_tokens: number;
    readonly files_included: readonly string[];
    readonly success: boolean;
    readonly message?: string;
  };
}

export interface NoticeEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'informational';
  readonly content: string;
  readonly level: string;
}

export interface HookStartedEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'hook_started';
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
}

export interface HookEndedEvent extends EventHead {
  readonly type: 'system';
  readonly subtype: 'hook_response';
  readonly hook_id: string;
  readonly hook_name: string;
  readonly hook_event: string;
  /** `stdout` and `stderr`, one after the other. */
  readonly output: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code?: number;
  readonly outcome: 'success' | 'error' | 'cancelled';
}

interface ResultHead extends EventHead {
  readonly type: 'result';
  /** Steps of the turn: a step is one reply with its tool calls. */
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly stop_reason: string | null;
  /** Cost of the session's process so far in US dollars; null if a price is unknown. */
  readonly total_cost_usd: number | null;
  /** Tokens of the session's process so far; null if the server reports none. */
  readonly usage: TokenUsage | null;
  readonly modelUsage: Readonly<
    Record<
      string,
      {
        readonly inputTokens: number;
        readonly outputTokens: number;
        readonly cacheReadInputTokens: number;
        readonly cacheCreationInputTokens: number;
        readonly costUSD: number | null;
        readonly contextWindow: number | null;
        readonly maxOutputTokens: number | null;
      }
    >
  >;
  readonly permission_denials: readonly {
    readonly tool_name: string;
    readonly tool_use_id: string;
    readonly tool_input: unknown;
  }[];
  /** What fills the context window now, in tokens; docs/headless.md lists all fields. */
  readonly context_usage: {
    readonly model: string;
    readonly context_window: number;
    readonly compacts_at: number;
    readonly used_tokens: number;
    readonly free_tokens: number;
    readonly [figure: string]: unknown;
  };
}

/** The turn is done. */
export interface SuccessEvent extends ResultHead {
  readonly subtype: 'success';
  readonly is_error: false;
  /** The text of the last reply; with `jsonSchema`, the answer as JSON text. */
  readonly result: string;
  /** With `jsonSchema`: the answer, which matches the schema. */
  readonly structured_output?: unknown;
}

/** The turn ended without an answer. */
export interface FailureEvent extends ResultHead {
  readonly subtype:
    | 'error_max_turns'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries'
    | 'error_during_execution';
  readonly is_error: true;
  /** The reasons, as messages to show. */
  readonly errors: readonly string[];
}

/** The last event of each turn. */
export type ResultEvent = SuccessEvent | FailureEvent;

export type SystemEvent =
  | InitEvent
  | PermissionDeniedEvent
  | TaskStartedEvent
  | TaskEndedEvent
  | RetryEvent
  | StatusEvent
  | CompactEvent
  | NoticeEvent
  | HookStartedEvent
  | HookEndedEvent;

export type SessionEvent = SystemEvent | AssistantEvent | UserEvent | PartialEvent | ResultEvent;
