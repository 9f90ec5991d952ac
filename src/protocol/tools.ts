/** The port between the agent and a tool. A tool knows neither the agent, nor the screen, nor the rules. */
import type {
  BlobRef,
  FileChange,
  SandboxRecord,
  Todo,
  ToolDisplay,
  ToolResultKind,
} from './entries/fields.ts';
import type { ImagePart } from './files/images.ts';
import type { ToolSchema } from './messages.ts';
import type { Access, Grant, Preview } from './permissions.ts';
import type { SkillPart, SkillText } from './skills.ts';

/** Where large output goes while it is produced; bytes are kept whole, content-addressed, 0600. */
export interface BlobSink {
  write(chunk: Uint8Array | string): void;
  /** Resolves when the bytes are on disk. */
  finish(): Promise<BlobRef>;
  /** Forgets what was written. */
  discard(): Promise<void>;
}

/** What a model asks of the session's own past. */
export interface RecallRequest {
  /** A pointer as printed: `#12`, `#12-#40`, or the first characters of a content hash. */
  readonly id?: string;
  /** Where to begin, in bytes of the original. */
  readonly offset?: number;
  /** How many bytes to return. */
  readonly limit?: number;
  /** Words or a literal text to search for in everything that this session has seen. */
  readonly query?: string;
}

export interface RecallAnswer {
  readonly found: boolean;
  /** For the model; says what it is a part of and how to see more. */
  readonly text: string;
}

/**
 * What read-only calls found in files, kept for the session within bounds of time and memory. Only what a stamp can
 * prove to be unchanged belongs here: not the results of Grep or Glob, which no stamp short of watching the whole
 * tree could prove.
 */
export interface ToolCache {
  /** The outcome for a file, if it was kept under this stamp: `fileStamp` and whatever else the call asked for. */
  get(path: string, stamp: string): ToolOutcome | undefined;
  set(path: string, stamp: string, outcome: ToolOutcome): void;
  /** Forgets a file; called by tools that change it. */
  drop(path: string): void;
}

/** What a call asks while it runs. */
export interface RunningQuestion {
  /** One line. */
  readonly title: string;
  readonly preview: Preview;
  readonly reason: string;
  /** The host that it is about: "always" can save a rule for it. */
  readonly domain?: string;
  /** Managed settings want it asked, whatever the mode. */
  readonly isAlways?: boolean;
  /** Aborted when nothing waits for the answer any more: the question goes away. */
  readonly signal?: AbortSignal;
}

/** What a call may use; everything else it needs was handed to the tool when it was made. */
export interface ToolContext {
  readonly callId: string;
  readonly sessionId: string;
  /** The project's root: absolute, resolved. Relative paths in a tool's input are relative to `cwd()`. */
  readonly root: string;
  /** The shell's working directory, which persists between calls. */
  readonly cwd: () => string;
  readonly setCwd: (directory: string) => void;
  readonly signal: AbortSignal;
  /** Live output for the screen; bounded by the receiver. */
  readonly onOutput: (text: string) => void;
  /**
   * For a call that can end while its work goes on in the background: `move` is called when the user asks for that.
   * Returns what takes the offer back; called when the call ends. Absent where nobody could ask.
   */
  readonly offerBackground?: (move: () => void) => () => void;
  /**
   * Asks the user something while the call runs; false also where the mode answers for them. Absent where nobody
   * could be asked.
   */
  readonly confirm?: (question: RunningQuestion) => Promise<boolean>;
  /** Hash of the file when it was last read or written in this session, from the log. */
  readonly fileReads: (path: string) => string | undefined;
  readonly openBlob: () => BlobSink;
  /** Absent = every call reads again. */
  readonly cache?: ToolCache;
  /** Whether the model that will read the result takes images; undefined or absent = not known. */
  readonly seesImages?: () => boolean | undefined;
  /** Fills in the commands of a skill's text; each is decided about as a call of Bash. Absent = they stay text. */
  readonly fillIn?: (parts: readonly SkillPart[]) => Promise<Pick<SkillText, 'text' | 'commands'>>;
  /** Looks something up in the session's log and originals. */
  readonly recall: (request: RecallRequest, signal: AbortSignal) => Promise<RecallAnswer>;
}

/** Of a text that shows lines of a file, as `number<tab>line`; what stands behind them are notes. */
export interface Excerpt {
  /** Lines of the whole file; absent = not known. */
  readonly totalLines?: number;
  /** What holds however many of the lines are shown. */
  readonly notes: readonly string[];
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
  /** What the model is shown behind the result, which itself holds text only. */
  readonly images?: readonly { readonly path: string; readonly image: ImagePart }[];
  /** Instructions that follow the result. */
  readonly skill?: SkillText;
}

/** The call's outcome is known without doing anything: no approval is needed, and the model gets it at once. */
export interface Settled {
  readonly type: 'settled';
  readonly outcome: ToolOutcome;
}

/** The outcome of looking at a call's arguments before anything happens. */
export type PreparedCall =
  | { readonly type: 'invalid'; readonly message: string }
  | {
      readonly type: 'ready';
      readonly title: string;
      readonly access: Access;
      /** What will happen, made only when the user is asked; may read files, changes nothing. */
      readonly preview: () => Promise<Preview | Settled>;
      /** Never rejects for what can be expected (a missing file, exit 1): that is an `error` outcome. */
      readonly run: (grant: Grant) => Promise<ToolOutcome>;
    };

export interface Tool {
  readonly name: string;
  readonly schema: ToolSchema;
  /** Read-only calls may run in parallel. */
  readonly readOnly: boolean;
  /** May be left out of requests until the model searches for it: a server may bring hundreds. */
  readonly onDemand?: boolean;
  prepare(input: unknown, context: ToolContext): PreparedCall | Promise<PreparedCall>;
}
