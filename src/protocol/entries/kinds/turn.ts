import * as z from 'zod';
import { bodyOf, contentOf, contextLine, type DisplayLine, defineKind } from '../defineKind.ts';
import { sandboxRecordSchema } from '../fields.ts';

/** The end of a turn. */
export const turnEnd = defineKind({
  subtype: 'turn_end',
  type: 'system',
  data: z.object({
    outcome: z.string().optional(),
    steps: z.number().optional(),
    /** Milliseconds from the prompt to the end. */
    durationMs: z.number().optional(),
    /** Number of files and lines that calls and commands changed; absent if there were none. */
    files: z.number().optional(),
    added: z.number().optional(),
    removed: z.number().optional(),
    error: z.union([z.string(), z.object({ message: z.string().optional() })]).optional(),
  }),
  modelAccess: 'recall',
  displayLine: ({ data }) => {
    if (data?.outcome === 'done') return doneLine(data);
    const text = endText(data?.outcome, data?.error);
    if (text === undefined) return undefined;
    const tone: DisplayLine['tone'] = data?.outcome === 'failed' ? 'error' : 'warning';
    return { text, tone, mark: '⎿', only: 'screen' };
  },
});

interface Done {
  readonly durationMs?: number | undefined;
  readonly files?: number | undefined;
  readonly added?: number | undefined;
  readonly removed?: number | undefined;
}

/** Shorter turns do not show their duration; a turn without changes needs `VERY_LONG_MS` to get a line at all. */
const LONG_MS = 10_000;
const VERY_LONG_MS = 30_000;

/** Returns for example `22 s · 3 files +12 −4`; undefined for a short turn without changes. */
function doneLine({ durationMs = 0, files = 0, added, removed }: Done): DisplayLine | undefined {
  const lines = added === undefined || removed === undefined ? '' : ` +${added} −${removed}`;
  const parts = [
    durationMs < (files === 0 ? VERY_LONG_MS : LONG_MS) ? '' : timeText(durationMs),
    files === 0 ? '' : `${files === 1 ? '1 file' : `${files} files`}${lines}`,
  ].filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  return { text: parts.join(' · '), tone: 'quiet', mark: '⎿', only: 'screen' };
}

function timeText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function endText(
  outcome: string | undefined,
  error: string | { readonly message?: string | undefined } | undefined,
): string | undefined {
  switch (outcome) {
    case 'interrupted':
      return 'Interrupted.';
    case 'failed':
      return (typeof error === 'string' ? error : error?.message) ?? 'The turn failed.';
    case 'max_turns':
      return 'Stopped: step limit reached.';
    case 'loop':
      return 'Stopped: the same call kept returning the same result.';
    default:
      return undefined;
  }
}

/** Something that a hook did and the user should know: it blocked, changed something, failed, or has a message. */
export const hook = defineKind({
  subtype: 'hook',
  type: 'system',
  data: z.object({
    event: z.string().optional(),
    /** The file that configures it. */
    source: z.string().optional(),
    what: z.enum(['blocked', 'changed', 'failed', 'message', 'stopped']).optional(),
    callId: z.string().optional(),
  }),
  modelAccess: 'recall',
  searchedAs: 'note',
  displayLine: (entry) => {
    const isFailure = entry.data?.what === 'failed';
    return {
      text: contentOf(entry),
      tone: isFailure ? 'warning' : 'quiet',
      mark: isFailure ? '!' : '⎿',
      isCut: true,
    };
  },
});

/** What a hook tells the model: its context, or why it blocked. */
export const hookContext = defineKind({
  subtype: 'hook_context',
  type: 'user',
  data: z.object({
    event: z.string().optional(),
    source: z.string().optional(),
    callId: z.string().optional(),
  }),
  modelAccess: 'sent',
  isCollapsible: true,
  searchedAs: 'note',
  displayLine: (entry) =>
    contextLine(`From a hook${entry.data?.event === undefined ? '' : ` (${entry.data.event})`}`, {
      ...bodyOf(entry),
      only: 'export',
    }),
});

/** The verdict of auto mode's judge about a call, and its cost. */
export const judgement = defineKind({
  subtype: 'judgement',
  type: 'system',
  data: z.object({
    callId: z.string().optional(),
    tool: z.string().optional(),
    decision: z.string().optional(),
    /** Why there was no clear verdict. */
    problem: z.string().optional(),
  }),
  modelAccess: 'recall',
  // A denial is shown in the call's result, and any other verdict in the question to the user.
  displayLine: (entry) => {
    const { decision, tool } = entry.data ?? {};
    if (decision !== 'allow') return undefined;
    const text = `${tool === undefined ? '' : `${tool} `}allowed by auto: ${contentOf(entry)}`;
    return { text, tone: 'quiet', mark: '⎿', only: 'screen', isCut: true };
  },
});

/** Written before a `!command` runs; a `shell` entry follows when it ends, unless the program was killed. */
export const shellStart = defineKind({
  subtype: 'shell_start',
  type: 'system',
  data: z.object({ command: z.string().optional() }),
  modelAccess: 'recall',
});

/** The end of a background task, with hosts that it reached after its call was recorded. */
export const task = defineKind({
  subtype: 'task',
  type: 'system',
  data: z.object({
    id: z.string().optional(),
    command: z.string().optional(),
    /** Exit code. */
    code: z.number().optional(),
    stoppedBy: z.string().optional(),
    sandbox: sandboxRecordSchema.optional(),
  }),
  modelAccess: 'recall',
});

/** As reported by the client; see `SentRequest`. */
const sentSchema = z.looseObject({ hash: z.string() });

/** Which part of the conversation a summary request contains. */
const summaryCutSchema = z.object({
  /** Number of atoms that it summarizes. */
  atoms: z.number(),
  /** If messages were shortened: to how many characters, and how many of the newest atoms were included. */
  clip: z.object({ characters: z.number(), atoms: z.number() }).exactOptional(),
  focus: z.string().exactOptional(),
  /** Files shown in the instruction; their content is in the blob store. */
  files: z.array(z.object({ path: z.string(), hash: z.string() })).exactOptional(),
  maxWords: z.number(),
  maxOutputTokens: z.number(),
});
export type SummaryCut = z.infer<typeof summaryCutSchema>;

/** The record of a request, from which it can be rebuilt byte for byte: see context/request/rebuildRequest.ts. */
export const requestRecordSchema = z.object({
  seq: z.number(),
  model: z.string(),
  /** Hash of the tools offered; an entry of kind `tools` has them. Absent = none. */
  tools: z.string().exactOptional(),
  /** True if messages include their reasoning. */
  reasoning: z.boolean().exactOptional(),
  /** Images up to this entry were replaced with text, because the model does not accept them. */
  imagesHiddenThrough: z.number().exactOptional(),
  summary: summaryCutSchema.exactOptional(),
  /** Hash of the request itself if it is not built from the conversation: a blob, as JSON. */
  request: z.string().exactOptional(),
  /** The bodies sent; several if the server rejected a field of the first. */
  sent: z.array(sentSchema),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** A request without a reply in the conversation: for a summary, a title or a judgement, failed, or interrupted. */
export const request = defineKind({
  subtype: 'request',
  type: 'system',
  data: z.object({
    purpose: z.enum(['turn', 'summary', 'title', 'judge', 'hook']).optional(),
    /** `done`, `interrupted`, or the kind of the model error. */
    outcome: z.string().optional(),
    request: requestRecordSchema.optional(),
  }),
  modelAccess: 'recall',
});
