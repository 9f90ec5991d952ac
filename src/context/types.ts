/** The words of the context room that other rooms need to wire it. */
import type { ContextSettings } from '../protocol/contextSettings.ts';
import type { PermissionRecord, ToolDisplay } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ToolCall, ToolSchema } from '../protocol/messages.ts';
import type { ModelError, ModelInfo, ModelRequest, Reply, SentRequest } from '../protocol/model.ts';
import type { ToolOutcome } from '../protocol/tools.ts';
import type { InstructionSource } from './memory/InstructionSource.ts';
import type { LongTermMemory } from './memory/LongTermMemory.ts';
import type { SessionStore } from './storage/sessionStore.ts';
import type { TokenEncoder } from './tokens/TokenEncoder.ts';

/**
 * Port to the model that writes summaries. Runs one request to its end; an implementation also retries.
 * Failures and aborts are outcomes, never exceptions.
 */
export type SummaryModel = (
  request: ModelRequest,
  options: {
    readonly signal: AbortSignal;
    /** Called as text arrives, with the characters so far. */
    readonly onProgress: (characters: number) => void;
    /** Called for each body that went over the wire; for the record. */
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
  /** What is known of the model that the next request goes to; may change between requests. */
  readonly model: () => ModelInfo;
  readonly summarize: SummaryModel;
  /** Counts exactly where the model's vocabulary is public; absent = estimates throughout. */
  readonly encoder?: TokenEncoder;
  /** True for files whose content must not be quoted next to a summary (`.env`, keys). Absolute paths. */
  readonly isSensitive: (path: string) => boolean;
  /** Hears of a window that the server named in an overflow error, in tokens. Never rejects. */
  readonly onWindowLearned?: (model: string, tokens: number) => Promise<void>;
  /** The project's instruction files; absent = none are looked at. */
  readonly instructions?: InstructionSource;
  /** The user's memory files; absent = no memories. */
  readonly memory?: Pick<LongTermMemory, 'search'>;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
  /** Called when a subscriber throws; the entry is on disk and the other subscribers get it. */
  readonly onListenerError?: (error: unknown) => void;
}

/** What a session is started with; everything here is frozen in its header. */
export interface SessionConfiguration {
  /** Chosen by the user; must be safe as a file name. Absent = a new id. */
  readonly sessionId?: string;
  readonly systemPrompt: string;
  /** The facts that the system prompt was written from, so that a later day can tell what changed. */
  readonly environment?: Readonly<Record<string, unknown>>;
  /** What marks the program's own words (`newNoteKey`); the system prompt has to name it. Absent = they have no key. */
  readonly noteKey?: string;
  /** Text of the instruction files; pinned. */
  readonly instructions?: string;
  /** Anything else worth keeping with the session. */
  readonly [key: string]: unknown;
}

/** The header of a session, as `createSession` froze it. */
export interface SessionHeader {
  readonly systemPrompt: string;
  readonly environment: Readonly<Record<string, unknown>>;
  readonly preferences: Readonly<Record<string, unknown>>;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly noteKey?: string;
  readonly userId?: string;
}

export interface LoadReport {
  readonly sessionId: string;
  /** Entries in the log, damaged lines not counted. */
  readonly entries: number;
  /** What could not be read, in a sentence; the rest of the session is whole. */
  readonly damaged: readonly string[];
  /** Calls that had no result because the program was stopped; each has one now. */
  readonly closedCalls: number;
}

/** What one request needs from the agent; shared by everything that builds or measures one. */
export interface RequestOptions {
  readonly tools: readonly ToolSchema[];
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
}

/** How a step is wound up. */
export interface MaintainOptions extends RequestOptions {
  /** False when the program ends before a draft of the next summary could be written; absent = true. */
  readonly mayDraft?: boolean;
}

/** What the user asks for with `/compact`. */
export interface CompactOptions extends RequestOptions {
  /** What the user wants the summary to dwell on. */
  readonly focus?: string;
}

export type BuildOutcome =
  | { readonly type: 'ready'; readonly request: ModelRequest }
  /** Nothing could make it fit; `message` has the numbers and says what to do. */
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
  /** What decided about the call. */
  readonly permission?: PermissionRecord;
  /** Recorded with it, in the same write. */
  readonly behind?: readonly NewEntry[];
}

/** How a reply ended, if it did not end normally. */
export interface ReplyEnd {
  readonly interrupted?: boolean;
  readonly failed?: boolean;
  readonly durationMs?: number;
  /** The bodies that went over the wire for it; for the record. */
  readonly sent?: readonly SentRequest[];
}
