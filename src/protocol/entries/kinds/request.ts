import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

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
  isSent: false,
});
