/**
 * What the log keeps of each request that went out, so that it can be built again byte for byte: not its text,
 * which is in the log already, but what it was made from. See rebuildRequest.ts.
 */
import { createHash } from 'node:crypto';
import type { RequestRecord, SummaryCut } from '../protocol/entries/kinds/request.ts';
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
