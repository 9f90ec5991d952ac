import * as z from 'zod';
import { defineKind } from '../defineKind.ts';

/** As the client reports it: see `SentRequest`. */
const sentSchema = z.looseObject({ hash: z.string() });

/** How a request for a summary was cut out of the conversation. */
const summaryCutSchema = z.object({
  /** How many of the conversation's atoms it summarises. */
  atoms: z.number(),
  /** Where messages were shortened: to so many characters, and the newest of the atoms that had room. */
  clip: z.object({ characters: z.number(), atoms: z.number() }).exactOptional(),
  focus: z.string().exactOptional(),
  /** The files that the instruction shows; their bytes are blobs. */
  files: z.array(z.object({ path: z.string(), hash: z.string() })).exactOptional(),
  maxWords: z.number(),
  maxOutputTokens: z.number(),
});
export type SummaryCut = z.infer<typeof summaryCutSchema>;

/** What a request was made from, so that it can be built again byte for byte: see context/request/rebuildRequest.ts. */
export const requestRecordSchema = z.object({
  seq: z.number(),
  model: z.string(),
  /** Hash of the tools that were offered; an entry of kind `tools` has them. Absent = none. */
  tools: z.string().exactOptional(),
  /** True where messages carry their reasoning. */
  reasoning: z.boolean().exactOptional(),
  /** Images up to this entry are words in it, as its model takes none. */
  imagesHiddenThrough: z.number().exactOptional(),
  summary: summaryCutSchema.exactOptional(),
  /** Hash of the request itself, if the conversation does not make it: a blob, as JSON. */
  request: z.string().exactOptional(),
  /** The bodies that went out; more than one where the server refused a field of the first. */
  sent: z.array(sentSchema),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** A request without a reply in the conversation: for a summary or a title, failed, or stopped. */
export const request = defineKind({
  subtype: 'request',
  type: 'system',
  data: z.object({
    purpose: z.enum(['turn', 'summary', 'title', 'judge']).optional(),
    /** `done`, `interrupted`, or the kind of the model's error. */
    outcome: z.string().optional(),
    request: requestRecordSchema.optional(),
  }),
  isSent: false,
});
