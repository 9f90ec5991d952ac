/**
 * What the log keeps of each request that went out, so that it can be built again byte for byte: not its text,
 * which is in the log already, but what it was made from. See rebuildRequest.ts.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { EntryDraft } from '../protocol/entries.ts';
import type { ToolSchema } from '../protocol/messages.ts';
import type { ModelErrorKind, SentRequest } from '../protocol/model.ts';

/** What a request is made from. */
export interface RequestBasis {
  /** As it was asked for; the reply names the one that answered. */
  readonly model: string;
  /** The last entry that it could see. */
  readonly seq: number;
  readonly tools: readonly ToolSchema[];
  readonly returnsReasoning: boolean;
  /** Images up to this entry are words; absent = every image is sent. */
  readonly imagesHiddenThrough?: number | undefined;
}

/** A request that goes out, and what it was counted as, uncalibrated; compared with what its server reports. */
export interface NotedRequest extends RequestBasis {
  readonly countedTokens: number;
  readonly features: readonly number[];
}

const sentSchema = z.object({
  hash: z.string(),
  limitName: z.enum(['max_tokens', 'max_completion_tokens']).exactOptional(),
  withoutUsage: z.boolean().exactOptional(),
  withReasoning: z.boolean().exactOptional(),
  withoutTemperature: z.boolean().exactOptional(),
  adaptations: z.array(z.string()).readonly().exactOptional(),
});

/** How a request for a summary was cut out of the conversation. */
const summaryCutSchema = z.object({
  /** How many of the conversation's atoms it summarises. */
  atoms: z.number(),
  /** Where messages were shortened: to so many characters, and the newest of the atoms that had room. */
  clip: z.object({ characters: z.number(), atoms: z.number() }).exactOptional(),
  focus: z.string().exactOptional(),
  /** The files that the instruction shows; their bytes lie beside the log. */
  files: z.array(z.object({ path: z.string(), hash: z.string() })).exactOptional(),
  maxWords: z.number(),
  maxOutputTokens: z.number(),
});
export type SummaryCut = z.infer<typeof summaryCutSchema>;

/** `data.request` of a reply, or of an entry of subtype `request`. */
export const requestRecordSchema = z.object({
  seq: z.number(),
  model: z.string(),
  /** Hash of the tools that were offered; an entry of subtype `tools` has them. Absent = none. */
  tools: z.string().exactOptional(),
  /** True where messages carry their reasoning. */
  reasoning: z.boolean().exactOptional(),
  /** Images up to this entry are words in it, as its model takes none. */
  imagesHiddenThrough: z.number().exactOptional(),
  summary: summaryCutSchema.exactOptional(),
  /** Hash of the request itself, where the conversation does not make it: it lies beside the log, as JSON. */
  request: z.string().exactOptional(),
  /** The bodies that went out; more than one where the server refused a field of the first. */
  sent: z.array(sentSchema),
});
export type RequestRecord = z.infer<typeof requestRecordSchema>;

/** What became of a request that no reply in the log answers. */
export type RequestOutcome = 'done' | 'interrupted' | ModelErrorKind;

/** What goes into `data` of the entry that a request led to; nothing for a request that was not sent. */
export function recordOf(
  { model, seq, tools, returnsReasoning, imagesHiddenThrough }: RequestBasis,
  sent: readonly SentRequest[] = [],
  summary?: SummaryCut,
): { readonly request?: RequestRecord } {
  if (sent.length === 0) return {};
  return {
    request: {
      seq,
      model,
      ...(tools.length === 0 ? {} : { tools: toolsHash(tools) }),
      ...(returnsReasoning ? { reasoning: true } : {}),
      ...(imagesHiddenThrough === undefined ? {} : { imagesHiddenThrough }),
      ...(summary === undefined ? {} : { summary }),
      sent: [...sent],
    },
  };
}

/** The entry of a request without a reply in the conversation. */
export function requestDraft(
  facts: { readonly purpose: 'turn' | 'summary' | 'title' | 'judge'; readonly outcome: RequestOutcome },
  basis: RequestBasis,
  sent: readonly SentRequest[],
  summary?: SummaryCut,
): EntryDraft {
  return {
    type: 'system',
    subtype: 'request',
    message: { role: 'system', content: '' },
    data: { ...facts, ...recordOf(basis, sent, summary) },
  };
}

const hashes = new WeakMap<readonly ToolSchema[], string>();

/** The first 16 hex digits of the SHA-256 of the tools as JSON. */
export function toolsHash(tools: readonly ToolSchema[]): string {
  const known = hashes.get(tools);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(JSON.stringify(tools)).digest('hex').slice(0, 16);
  hashes.set(tools, hash);
  return hash;
}
