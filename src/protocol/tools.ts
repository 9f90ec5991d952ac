/** The port between the agent and a tool. Tools know nothing of the agent, the screen or the rules. */
import type {
  BlobRef,
  FileChange,
  SandboxRecord,
  Todo,
  ToolDisplay,
  ToolResultKind,
} from './entries/fields.ts';
import type { MentionSource, SkillPart, SkillText } from './extensions/skills.ts';
import type { ImagePart } from './files/images.ts';
import type { FieldAnswer, Form } from './forms.ts';
import type { ToolSchema } from './messages.ts';
import type { Access, Grant, PermissionAnswer, Preview } from './permissions.ts';
import type { HostVerdict } from './sandbox.ts';

/** Receives large output as it is produced; stored in full, addressed by content, file mode 0600. */
export interface BlobSink {
  write(chunk: Uint8Array | string): void;
  /** Resolves when the bytes are on disk. */
  finish(): Promise<BlobRef>;
  /** Deletes the bytes written so far. */
  discard(): Promise<void>;
}

/** A model's request to look something up in the session's past. */
export interface RecallRequest {
  /** A pointer in its displayed form: `#12`, `#12-#40`, or the beginning of a content hash. */
  readonly id?: string;
  /** Start offset, in bytes of the original. */
  readonly offset?: number;
  /** Number of bytes to return. */
  readonly limit?: number;
  /** Words or a literal text to search for in the whole session. */
  readonly query?: string;
}

export interface RecallAnswer {
  readonly found: boolean;
  /** For the model; states what it is a part of and how to see more. */
  readonly text: string;
}

/**
 * Caches the results of read-only calls on files for the session, limited in time and memory. Only results that a stamp
 * can prove to be current may be cached: not those of Grep or Glob, which would require watching the whole tree.
 */
export interface ToolCache {
  /** Returns the outcome cached for a file under this stamp: `fileStamp` plus the call's other parameters. */
  get(path: string, stamp: string): ToolOutcome | undefined;
  set(path: string, stamp: string, outcome: ToolOutcome): void;
  /** Drops a file's entries; called by tools that change it. */
  drop(path: string): void;
}

/** A question that a call asks while it runs. */
export interface RunningQuestion {
  /** One line. */
  readonly title: string;
  readonly preview: Preview;
  readonly reason: string;
  /** The host that the question is about: "always" can save a rule for it. */
  readonly domain?: string;
  /** What applies to the host at the moment: an answer to another question may have saved a rule. */
  readonly verdict?: () => HostVerdict;
  /** Aborted when nothing waits for the answer any more: withdraws the question. */
  readonly signal?: AbortSignal;
}

/** A form that the user is asked to fill in while a call runs. */
export interface FormQuestion {
  /** The asker, in a few words. */
  readonly headline: string;
  readonly form: Form;
  /** Aborted when nothing waits for the answer any more: withdraws the question. */
  readonly signal: AbortSignal;
}

/** A subagent that a tool starts, and waits for. */
export interface AgentRequest {
  readonly agent: string;
  /** The task in a few words. */
  readonly description: string;
  readonly prompt: string;
  readonly model?: string | undefined;
  /** The text whose `@path` mentions become part of the prompt. */
  readonly mentionSource?: MentionSource;
}

/** The services available to a call; everything else a tool needs is passed when it is created. */
export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** The project's root: absolute, links resolved. Relative paths in a tool's input are relative to `cwd()`. */
  readonly root: string;
  /** The shell's working directory, which persists between calls. */
  readonly cwd: () => string;
  readonly setCwd: (directory: string) => void;
  readonly signal: AbortSignal;
  /** Shows live output; the receiver limits its size. */
  readonly onOutput: (text: string) => void;
  /**
   * Offers to move a running call to the background: `move` is called when the user asks for that. Returns a function
   * that withdraws the offer, to be called when the call ends. Absent if there is no user to ask for it.
   */
  readonly offerBackground?: (move: () => void) => () => void;
  /**
   * Asks the user something while the call runs. Also resolves to false if the mode denies it. Absent if there is no
   * user to ask.
   */
  readonly confirm?: (question: RunningQuestion) => Promise<boolean>;
  /** Asks the user to fill in a form. Absent if there is no user to ask. */
  readonly askForm?: (question: FormQuestion) => Promise<PermissionAnswer>;
  /**
   * Returns the files that this call has changed so far; undefined if that is not known. Absent = it never is.
   */
  readonly filesChanged?: () => Promise<readonly FileChange[] | undefined>;
  /** Returns the hash of the file when this session last read or wrote it, according to the log. */
  readonly fileReads: (path: string) => string | undefined;
  readonly openBlob: () => BlobSink;
  /** Absent = no caching. */
  readonly cache?: ToolCache;
  /** Returns whether the model accepts images; undefined or absent = not known. */
  readonly seesImages?: () => boolean | undefined;
  /**
   * Runs the commands in a skill's text and inserts their output; each needs the same permission as a call of Bash.
   * Absent = commands stay text.
   */
  readonly fillIn?: (parts: readonly SkillPart[]) => Promise<Pick<SkillText, 'text' | 'commands'>>;
  /** Runs a subagent with the same permission as a call of Agent. Absent = this agent cannot start any. */
  readonly runAgent?: (request: AgentRequest) => Promise<ToolOutcome>;
  /** Lets another model answer until the turn ends, because this skill names it. */
  readonly switchToModelOf?: (skill: { readonly name: string; readonly model?: string }) => void;
  /** Looks something up in the session's log and blobs. */
  readonly recall: (request: RecallRequest, signal: AbortSignal) => Promise<RecallAnswer>;
}

/** Describes a text with numbered lines of a file, as `number<tab>line`, followed by notes. */
export interface Excerpt {
  /** Total lines of the file; absent = not known. */
  readonly totalLines?: number;
  /** Notes that apply no matter how many of the lines are shown. */
  readonly notes: readonly string[];
}

/** What a hook gets about a result, in addition to the call itself. */
export interface EndedCall {
  readonly durationMs: number;
  /** The todo list before the call. */
  readonly todos: readonly Todo[];
}

export interface ToolOutcome {
  readonly status: 'ok' | 'partial' | 'error';
  /** For the model, before truncation. */
  readonly text: string;
  readonly excerpt?: Excerpt;
  readonly kind: ToolResultKind;
  readonly display: ToolDisplay;
  readonly original?: BlobRef;
  readonly filesChanged?: readonly FileChange[];
  readonly filesRead?: readonly { readonly path: string; readonly hash: string }[];
  readonly todos?: readonly Todo[];
  readonly sandbox?: SandboxRecord;
  /** Images shown to the model after the result, which itself holds only text. */
  readonly images?: readonly { readonly path: string; readonly image: ImagePart }[];
  /** Instructions appended after the result. */
  readonly skill?: SkillText;
  /** Returns the result in the shape in which Claude Code gives it to hooks; absent = they get status and text. */
  readonly response?: (call: EndedCall) => unknown;
  /** Nothing is left to do: the model is not asked again. */
  readonly endsTurn?: true;
}

/** The outcome is already known without running the call: no approval is needed, and the model gets it immediately. */
export interface Settled {
  readonly type: 'settled';
  readonly outcome: ToolOutcome;
}

/** The result of checking a call's arguments, before anything runs. */
export type PreparedCall =
  | { readonly type: 'invalid'; readonly message: string }
  | {
      readonly type: 'ready';
      readonly title: string;
      readonly access: Access;
      /** Builds the preview for the approval; may read files but changes nothing. */
      readonly preview: () => Promise<Preview | Settled>;
      /**
       * Never rejects for expected failures (a missing file, exit 1): these are `error` outcomes. `answers`: what the
       * user answered if the preview was a form.
       */
      readonly run: (grant: Grant, answers?: readonly FieldAnswer[]) => Promise<ToolOutcome>;
    };

export interface Tool {
  readonly name: string;
  readonly schema: ToolSchema;
  /** Read-only calls may run in parallel. */
  readonly readOnly: boolean;
  /** Calls may run in parallel although they are not read-only; absent = only read-only ones may. */
  readonly isParallel?: boolean;
  /** Other names by which the model may call it. */
  readonly aliases?: readonly string[];
  /** The MCP server that it belongs to, and where that was defined, in Claude Code's terms. */
  readonly server?: { readonly name: string; readonly source: string };
  /** May be left out of requests until the model searches for it: an MCP server may have hundreds of tools. */
  readonly onDemand?: boolean;
  /** Left out of requests to models with a smaller context window, in which its schema would take too large a share. */
  readonly minWindowTokens?: number;
  prepare(input: unknown, context: ToolContext): PreparedCall | Promise<PreparedCall>;
}
