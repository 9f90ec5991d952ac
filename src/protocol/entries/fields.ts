/** The fields that all kinds of entries share, and shapes that several kinds use. */
import * as z from 'zod';

/** Version of the line format that this program writes. */
export const ENTRY_FORMAT = 1;

const usage = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_tokens: z.number().optional(),
  cache_write_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  /** The server reported nothing; the figures are estimated. */
  estimated: z.boolean().optional(),
});

/** A pointer into the session's blob store: the SHA-256 of the bytes, in hex. */
export const blobRefSchema = z.looseObject({
  hash: z.string(),
  bytes: z.number(),
  lines: z.number().optional(),
});
export type BlobRef = z.infer<typeof blobRefSchema>;

const fileChangeSchema = z.looseObject({
  /** Absolute path. */
  path: z.string(),
  kind: z.enum(['created', 'modified', 'deleted']),
  /** SHA-256 of the content after the change; absent for `deleted`. */
  hash: z.string().optional(),
  added: z.number().optional(),
  removed: z.number().optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

/** The display data of a finished call; never sent to the model. */
export const toolDisplaySchema = z.looseObject({
  /** One line that names the file and range, the pattern or the command. */
  title: z.string(),
  /** The outcome in a few words: "120 lines", "exit 1", "3 matches". */
  summary: z.string().optional(),
  /** Total lines of the file if the result shows only some of them, with line numbers. */
  totalLines: z.number().optional(),
  /** Unified diff of an edit. */
  diff: z.string().optional(),
  /** The end of the output that is addressed to the model; the screen shows `summary` instead. */
  modelNotes: z.string().optional(),
  /** The user's comment when denying the call. */
  comment: z.string().optional(),
  /** The user's answers to the questions of the call; an empty answer = not answered. */
  answers: z.array(z.looseObject({ question: z.string(), answer: z.string() })).optional(),
  /** The subagent of this call, and the path of its log in the project's folder. */
  agent: z.looseObject({ id: z.string(), name: z.string(), log: z.string().optional() }).optional(),
  /** What the subagent did: a line for each of its calls. */
  steps: z.array(z.string()).optional(),
});
export type ToolDisplay = z.infer<typeof toolDisplaySchema>;

/** The kind of output; decides how it is truncated and compressed, and whether the screen shows it. */
export type ToolResultKind = 'file' | 'search' | 'list' | 'command' | 'edit' | 'todo' | 'document' | 'text';

/** Kinds whose text is only for the model: the screen shows the call's line, and a diff if there is one. */
export const kindsWithoutText: ReadonlySet<string | undefined> = new Set<ToolResultKind>(['file', 'edit']);

export const todoSchema = z.looseObject({
  content: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
});
export type Todo = z.infer<typeof todoSchema>;

/** How a call was decided, and why approval was needed. */
const permissionRecordSchema = z.looseObject({
  basis: z.enum(['read-only', 'sandbox', 'rule', 'mode', 'judge', 'user', 'own']),
  reason: z.string().optional(),
  rule: z.looseObject({ text: z.string(), source: z.string() }).optional(),
  /** Absolute paths of files that were hidden from the command. */
  hiding: z.array(z.string()).optional(),
});
export type PermissionRecord = z.infer<typeof permissionRecordSchema>;

/** How the operating system confined a command. */
export const sandboxRecordSchema = z.looseObject({
  mode: z.enum(['read-only', 'workspace-write', 'none']),
  /** Why there was no sandbox, or why the command ran outside it. */
  reason: z.string().optional(),
  /** Hosts that were reached, and hosts that were denied, as `name:port`. */
  hosts: z.array(z.string()).optional(),
  refusedHosts: z.array(z.string()).optional(),
});
export type SandboxRecord = z.infer<typeof sandboxRecordSchema>;

/** How a compaction was made. Stored on its boundary entry and, without `retained`, on its summary. */
const compactMetadataSchema = z.looseObject({
  trigger: z.enum(['auto', 'manual']),
  preTokens: z.number(),
  postTokens: z.number().optional(),
  filesIncluded: z.array(z.string()).optional(),
  /** False for a fallback summary that no model wrote. */
  success: z.boolean().optional(),
  strategy: z.string().optional(),
  focus: z.string().optional(),
  error: z.string().optional(),
  durationMs: z.number().optional(),
  /** Entries kept verbatim after the summary: uuids, or ranges of positions like `#12-#40`. */
  retained: z.array(z.string()).optional(),
  /** Prompts quoted in the summary message; `head` and `tail`: characters kept of a long one. */
  userMessages: z
    .array(z.looseObject({ uuid: z.string(), head: z.number().optional(), tail: z.number().optional() }))
    .optional(),
  /** File snippets by hash; their content is in the blob store. */
  snippets: z.array(z.looseObject({ path: z.string(), hash: z.string(), bytes: z.number() })).optional(),
});
export type CompactMetadata = z.infer<typeof compactMetadataSchema>;

/** The minimum that makes a line an entry; its `data` is checked against its kind afterwards. */
export const entrySchema = z.looseObject({
  v: z.number().default(ENTRY_FORMAT),
  /** Position in the session, from 0, without gaps in an undamaged log. */
  seq: z.number(),
  uuid: z.string(),
  parentUuid: z.string().nullable(),
  sessionId: z.string(),
  /** ISO 8601, UTC. */
  timestamp: z.string(),
  type: z.enum(['user', 'assistant', 'tool_use', 'tool_result', 'system']),
  subtype: z.string().optional(),
  cwd: z.string(),
  gitBranch: z.string().optional(),
  version: z.string(),
  /** Shows that the user's own program recorded these file changes here; see `ChangeSigner`. */
  mac: z.string().optional(),
  message: z.looseObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.unknown(),
    model: z.string().optional(),
    usage: usage.optional(),
    reasoning: z
      .looseObject({
        field: z.string(),
        text: z.string(),
        /** As the server sent them; see `Reasoning` in protocol/messages.ts. */
        items: z.array(z.record(z.string(), z.unknown())).optional(),
        seal: z.string().optional(),
        tokens: z.number().optional(),
      })
      .optional(),
    finishReason: z.string().optional(),
    /** The user interrupted this reply; it is kept as received. */
    interrupted: z.boolean().optional(),
    /** The connection failed during this reply, after all retries. */
    failed: z.boolean().optional(),
    durationMs: z.number().optional(),
  }),
  tool: z
    .looseObject({
      id: z.string(),
      name: z.string(),
      input: z.unknown(),
      /** The exact argument text that is sent back to the model. */
      arguments: z.string().optional(),
      rawArguments: z.string().optional(),
      invalid: z.string().optional(),
    })
    .optional(),
  toolResult: z
    .looseObject({
      id: z.string(),
      /** The output as the model sees it. */
      output: z.unknown(),
      error: z.string().optional(),
      name: z.string().optional(),
      status: z.enum(['ok', 'partial', 'error', 'denied', 'interrupted']).optional(),
      kind: z.string().optional(),
      /** The complete output if `output` is only part of it. */
      original: blobRefSchema.optional(),
      /** The file that held the complete output at the time if `output` is only part of it. */
      fullOutputPath: z.string().optional(),
      /** How the output was truncated to the limits on lines, bytes and tokens. */
      truncation: z
        .looseObject({
          direction: z.enum(['head', 'tail', 'head_tail']),
          originalLines: z.number(),
          originalBytes: z.number(),
          keptLines: z.number(),
          keptBytes: z.number(),
          timeMs: z.number(),
        })
        .optional(),
      filesChanged: z.array(fileChangeSchema).optional(),
      /** Files that were read, with the hash of the content seen: the basis for detecting later changes. */
      filesRead: z.array(z.looseObject({ path: z.string(), hash: z.string() })).optional(),
      display: toolDisplaySchema.optional(),
      todos: z.array(todoSchema).optional(),
      durationMs: z.number().optional(),
      /** How the call was approved or denied. */
      permission: permissionRecordSchema.optional(),
      /** How a command was confined. */
      sandbox: sandboxRecordSchema.optional(),
    })
    .optional(),
  isCompactSummary: z.boolean().optional(),
  compactMetadata: compactMetadataSchema.optional(),
  /** Fields specific to a kind; each kind declares its own. */
  data: z.record(z.string(), z.unknown()).optional(),
});

type AnyEntry = z.infer<typeof entrySchema>;

/** The fields of every entry, whatever its kind. Unknown fields are preserved, but code cannot name them. */
export type Envelope = {
  [K in keyof AnyEntry as string extends K
    ? never
    : K extends 'type' | 'subtype' | 'data'
      ? never
      : K]: AnyEntry[K];
};
