/**
 * `JSONLEntry`: one line of a session's log. The log is the source of truth and append-only; everything else is derived
 * from it. Unknown fields are preserved, so that an older program can read a newer log. `v` is the version of the
 * format, `version` that of the program.
 */
import * as z from 'zod';
import type { DisplayLine, EntryOf, LineContext } from './entries/defineKind.ts';
import { type BlobRef, blobRefSchema, type Envelope, entrySchema } from './entries/fields.ts';
import { compactBoundary, pin, reduction, summaryDraft, summaryFailed } from './entries/kinds/compaction.ts';
import { checkpoint, rewind, undo } from './entries/kinds/rewind.ts';
import {
  effort,
  mode,
  model,
  notice,
  past,
  sessionStart,
  title,
  tools,
  unknown,
  usage,
} from './entries/kinds/session.ts';
import {
  hook,
  hookContext,
  judgement,
  request,
  requestRecordSchema,
  shellStart,
  task,
  turnEnd,
} from './entries/kinds/turn.ts';
import {
  attachment,
  environment,
  image,
  instructions,
  memory,
  nudge,
  prompt,
  reminder,
  shell,
  skill,
} from './entries/kinds/user.ts';

/** All kinds of entries, by `subtype`. */
export const entryKinds = {
  session_start: sessionStart,
  instructions,
  prompt,
  shell_start: shellStart,
  shell,
  skill,
  attachment,
  image,
  environment,
  mode,
  model,
  effort,
  reminder,
  nudge,
  memory,
  compact_boundary: compactBoundary,
  reduction,
  summary_failed: summaryFailed,
  summary_draft: summaryDraft,
  pin,
  rewind,
  undo,
  checkpoint,
  tools,
  request,
  judgement,
  hook,
  hook_context: hookContext,
  task,
  usage,
  turn_end: turnEnd,
  notice,
  title,
  unknown,
  past,
} as const;

export type EntryKind = keyof typeof entryKinds;
/** An entry of one kind. */
export type KindEntry<Kind extends EntryKind> = EntryOf<(typeof entryKinds)[Kind]>;

/** `data` of a reply: the counted length of its request, and the record of that request. */
export const replyDataSchema = z.object({
  countedTokens: z.number().optional(),
  countedFeatures: z.array(z.number()).optional(),
  requestModel: z.string().optional(),
  reasoningMs: z.number().optional(),
  request: requestRecordSchema.optional(),
});

/** A reply of the model; its tool calls follow as separate entries. */
type ReplyEntry = Envelope & {
  type: 'assistant';
  subtype?: undefined;
  data?: z.infer<typeof replyDataSchema> | undefined;
};
/** A tool call, or its result. */
type ToolEntry = Envelope & {
  type: 'tool_use' | 'tool_result';
  subtype?: undefined;
  data?: undefined;
};
/** A message without a kind: the summary of a compaction, or a prompt from an early version. */
type PlainEntry = Envelope & {
  type: 'user' | 'system';
  subtype?: undefined;
  data?: { display?: string | undefined; compressedAt?: string | undefined } | undefined;
};

export type JSONLEntry =
  | ReplyEntry
  | ToolEntry
  | PlainEntry
  | { [Kind in EntryKind]: KindEntry<Kind> }[EntryKind];

/** The fields that the log fills in. */
type Stamp =
  | 'v'
  | 'seq'
  | 'uuid'
  | 'parentUuid'
  | 'sessionId'
  | 'timestamp'
  | 'cwd'
  | 'gitBranch'
  | 'version'
  | 'mac';

type WithoutStamp<Entry> = Entry extends unknown ? Omit<Entry, Stamp> : never;

/** An entry before it is appended; the log adds id, order, time and place. */
export type NewEntry = WithoutStamp<JSONLEntry>;

/** Returns the definition of an entry's kind; undefined for messages, and for kinds of a newer version. */
export function kindOf({ subtype }: Pick<JSONLEntry, 'subtype'>): (typeof entryKinds)[EntryKind] | undefined {
  return subtype !== undefined && Object.hasOwn(entryKinds, subtype) ? entryKinds[subtype] : undefined;
}

/** True for an entry whose text the model never gets, neither in requests nor with the tool Recall. */
export function isHiddenFromModel(entry: Pick<JSONLEntry, 'subtype'>): boolean {
  return kindOf(entry)?.modelAccess === 'never';
}

/**
 * Reads a JSON value as an entry; undefined if it is not one. Returns the value itself, so that fields keep their order;
 * copies it only to add a missing `v`, or to drop fields of `data` that do not fit the entry's kind.
 */
export function parseEntry(value: unknown): JSONLEntry | undefined {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return undefined;
  const entry = value as z.input<typeof entrySchema>;
  const data = entry.data === undefined ? undefined : fittingData(entry, entry.data);
  if (entry.v !== undefined && data === entry.data) return entry as JSONLEntry;
  const copy = { ...entry, v: parsed.data.v };
  if (data === undefined) delete copy.data;
  else copy.data = data;
  return copy as JSONLEntry;
}

type Data = Record<string, unknown>;

function fittingData(
  entry: Pick<z.input<typeof entrySchema>, 'type' | 'subtype'>,
  data: Data,
): Data | undefined {
  const schema = dataSchemaOf(entry);
  const read = schema?.safeParse(data);
  if (schema === undefined || read === undefined || read.success) return data;
  const wrong = new Set(read.error.issues.map(({ path }) => path[0]));
  const rest = Object.fromEntries(Object.entries(data).filter(([name]) => !wrong.has(name)));
  return schema.safeParse(rest).success ? rest : undefined;
}

function dataSchemaOf({ type, subtype }: { readonly type: string; readonly subtype?: string | undefined }) {
  if (subtype === undefined) return type === 'assistant' ? replyDataSchema : plainData;
  return Object.hasOwn(entryKinds, subtype) ? entryKinds[subtype as EntryKind].data : undefined;
}

const plainData = z.object({ display: z.string().optional(), compressedAt: z.string().optional() });

/**
 * Returns the reference to an entry's full text if the entry holds only part of it; works for kinds of a newer version,
 * too.
 */
export function originalOf({ toolResult, data }: JSONLEntry): BlobRef | undefined {
  if (toolResult?.original !== undefined || data === undefined || !('original' in data))
    return toolResult?.original;
  return blobRefSchema.safeParse(data.original).data;
}

/** Returns the display line of an entry; undefined for messages and bookkeeping entries. */
export function displayLineOf(entry: JSONLEntry, context: LineContext): DisplayLine | undefined {
  // The definition found belongs to the entry's own kind; TypeScript cannot infer that.
  const lineOf = kindOf(entry)?.displayLine as
    | ((one: JSONLEntry, about: LineContext) => DisplayLine | undefined)
    | undefined;
  return lineOf?.(entry, context);
}
