/** Types that other folders need to connect the context engine. */

import type { PermissionRecord, ToolDisplay } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ToolCall, ToolSchema } from '../protocol/messages.ts';
import type { ModelError, ModelInfo, ModelRequest, Reply, SentRequest } from '../protocol/models/model.ts';
import type { ContextSettings } from '../protocol/settings/contextSettings.ts';
import type { ToolOutcome } from '../protocol/tools.ts';
import type { InstructionSource } from './memory/InstructionSource.ts';
import type { LongTermMemory } from './memory/LongTermMemory.ts';
import type { SessionStore } from './storage/sessionStore.ts';
import type { TokenEncoder } from './tokens/exact/vocabulary.ts';

/**
 * Port to the model that writes summaries. Runs one request to completion, including retries. Returns failures and
 * aborts as outcomes, never as exceptions.
 */
export type SummaryModel = (
  request: ModelRequest,
  options: {
    readonly signal: AbortSignal;
    /** Called as text arrives, with the number of characters so far. */
    readonly onProgress: (characters: number) => void;
    /** Called for each request body that was sent; for the request log. */
    readonly onSent?: (sent: SentRequest) => void;
  },
) => Promise<SummaryReply>;

export type SummaryReply =
  | { readonly type: 'done'; readonly reply: Reply }
  | { readonly type: 'failed'; readonly error: ModelError }
  | { readonly type: 'aborted' };

export interface ContextManagerDeps {
  readonly store: SessionStore;
  /** The project's root: absolute, resolved. File paths in a session are relative to it. */
  readonly root: string;
  readonly settings: ContextSettings;
  /** The model for the next request; may change between requests. */
  readonly model: () => ModelInfo;
  readonly summarize: SummaryModel;
  /** Another model that writes summaries of conversations that it can read in full; absent = the session's own does. */
  readonly summaryModel?: (() => ModelInfo | undefined) | undefined;
  /** Counts exactly for models with a public vocabulary; absent = all counts are estimates. */
  readonly encoder?: TokenEncoder;
  /** True for files whose content must not be quoted next to a summary (`.env`, keys). Takes absolute paths. */
  readonly isSensitive: (path: string) => boolean;
  /** True for files that the model may read without a question. Absent = those inside the project. */
  readonly isReadable?: (path: string) => boolean;
  /** Called with the context window, in tokens, that the server named in an overflow error. Never rejects. */
  readonly onWindowLearned?: (model: string, tokens: number) => Promise<void>;
  /** The project's instruction files; absent = none are read. */
  readonly instructions?: InstructionSource;
  /** The user's memory files; absent = no memories. */
  readonly memory?: Pick<LongTermMemory, 'search'>;
  /** Returns what is known about a call that was running when the program stopped; absent = nothing is. */
  readonly describeOpenCall?: (
    call: { readonly id: string; readonly name: string },
    sessionId: string,
  ) => Promise<OpenCallResult | undefined>;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Called when a subscriber throws; the entry is already on disk and the other subscribers are still called. */
  readonly onListenerError?: (error: unknown) => void;
}

/** What is known about a call that was running when the program stopped. */
export interface OpenCallResult {
  /** For the model. */
  readonly output: string;
  readonly display: ToolDisplay;
}

/** Settings of a new session; all of them are frozen in its header. */
export interface SessionConfiguration {
  /** Chosen by the user; must be safe as a file name. Absent = a new id. */
  readonly sessionId?: string;
  readonly systemPrompt: string;
  /** Facts in the system prompt, to detect later which of them have changed. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /**
   * Key that marks the program's own notes (`newNoteKey`); the system prompt has to name it. Absent = notes have no
   * key.
   */
  readonly noteKey?: string;
  /** Text of the instruction files; pinned. */
  readonly instructions?: string;
  /** Other data to store in the header. */
  readonly [key: string]: unknown;
}

/** The header of a session, as `createSession` wrote it. */
export interface SessionHeader {
  readonly systemPrompt: string;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly preferences: Readonly<Record<string, unknown>>;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly noteKey?: string;
  readonly noteFormat?: number;
  readonly userId?: string;
}

export interface LoadReport {
  readonly sessionId: string;
  /** Entries in the log without the damaged lines. */
  readonly entries: number;
  /** One sentence for each damaged part; the rest of the session is intact. */
  readonly damaged: readonly string[];
  /** Tool calls that had no result because the program was stopped; each now has one. */
  readonly closedCalls: number;
}

/** The agent's input for building or measuring a request. */
export interface RequestOptions {
  readonly tools: readonly ToolSchema[];
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

/** Options for the work at the end of a step. */
export interface MaintainOptions extends RequestOptions {
  /** False if the program will exit before a draft of the next summary can be written; absent = true. */
  readonly mayDraft?: boolean;
}

/** Options of `/compact`. */
export interface CompactOptions extends RequestOptions {
  /** Topic that the summary should focus on. */
  readonly focus?: string;
}

export type BuildOutcome =
  | { readonly type: 'ready'; readonly request: ModelRequest }
  /** The request cannot be made to fit; `message` gives the token counts and what the user can do. */
  | { readonly type: 'too_large'; readonly message: string };

export interface ToolResultInput {
  readonly call: ToolCall;
  readonly outcome:
    | ToolOutcome
    | {
        readonly status: 'denied' | 'interrupted' | 'error';
        readonly text: string;
        readonly display: ToolDisplay;
      };
  readonly durationMs?: number;
  /** The permission decision for the call. */
  readonly permission?: PermissionRecord;
  /** Entries to append in the same batch, after the result. */
  readonly behind?: readonly NewEntry[];
}

/** How a reply ended, if it was not complete. */
export interface ReplyEnd {
  readonly interrupted?: boolean;
  readonly failed?: boolean;
  readonly durationMs?: number;
  /** Request bodies that were sent for it; for the request log. */
  readonly sent?: readonly SentRequest[];
}
