/**
 * Records how each sent request was built, so that it can be rebuilt byte for byte (rebuildRequest.ts). Stores the
 * inputs rather than the text, which is already in the log.
 */
import { createHash } from 'node:crypto';
import type { RequestRecord, SummaryCut } from '../../protocol/entries/kinds/turn.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelErrorKind, ModelRequest, SentRequest } from '../../protocol/models/model.ts';
import type { Blobs } from '../storage/sessionStore.ts';

/** The inputs from which a request is built. */
export interface RequestBasis {
  /** The requested model; the reply names the one that answered. */
  readonly model: string;
  /** Seq of the last entry included. */
  readonly seq: number;
  readonly tools: readonly ToolSchema[];
  readonly returnsReasoning: boolean;
  /** Images through this seq are replaced by text; absent = every image is sent. */
  readonly imagesHiddenThrough?: number | undefined;
}

/** A request about to be sent and its uncalibrated token count, to compare with the usage that the server reports. */
export interface NotedRequest extends RequestBasis {
  readonly countedTokens: number;
  readonly features: readonly number[];
}

/** Outcome of a request that has no reply in the log. */
export type RequestOutcome = 'done' | 'interrupted' | ModelErrorKind;

/** The record of a request for the `data` of its entry; empty if the request was not sent. */
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

/** A request outside the conversation, for a title or the judge, and its outcome. */
export interface SideRequest {
  readonly purpose: 'title' | 'judge' | 'hook';
  readonly outcome: RequestOutcome;
}

/** Records the requests of one session. The offered tools are recorded once and again whenever they change. */
export class RequestRecorder {
  readonly #blobs: Blobs;
  readonly #projection: RecordedProjection;
  readonly #append: (entries: readonly NewEntry[]) => Promise<unknown>;
  readonly #recordedTools: Set<unknown>;

  constructor(
    log: { readonly blobs: Blobs; entries(): readonly JSONLEntry[] },
    projection: RecordedProjection,
    append: (entries: readonly NewEntry[]) => Promise<unknown>,
  ) {
    this.#blobs = log.blobs;
    this.#projection = projection;
    this.#append = append;
    this.#recordedTools = new Set(
      log.entries().flatMap(({ subtype, data }) => (subtype === 'tools' ? [data?.hash] : [])),
    );
  }

  /** The entry with a request's tools; empty if an earlier entry has them. */
  newTools(request: RequestBasis | undefined, sent: readonly SentRequest[]): NewEntry[] {
    if (request === undefined || sent.length === 0 || request.tools.length === 0) return [];
    const hash = toolsHash(request.tools);
    if (this.#recordedTools.has(hash)) return [];
    this.#recordedTools.add(hash);
    return [
      {
        type: 'system',
        subtype: 'tools',
        message: { role: 'system', content: '' },
        data: { hash, tools: request.tools },
      },
    ];
  }

  /** Records that the last request of the conversation got no reply; does nothing if it was not sent. */
  async recordUnanswered(outcome: RequestOutcome, sent: readonly SentRequest[]): Promise<void> {
    const request = this.#projection.lastRequest;
    if (request === undefined) return;
    await this.#record({ purpose: 'turn', outcome }, request, sent);
  }

  /** Records a summary request, which leaves no reply in the log. */
  async recordSummary(
    basis: RequestBasis,
    { cut, outcome, sent }: { cut: SummaryCut; outcome: RequestOutcome; sent: readonly SentRequest[] },
  ): Promise<void> {
    await this.#record({ purpose: 'summary', outcome }, basis, sent, cut);
  }

  /** Records a request outside the conversation and stores its text as a blob. */
  async recordSide(facts: SideRequest, request: ModelRequest, sent: readonly SentRequest[]): Promise<void> {
    if (sent.length === 0) return;
    const kept = await this.#blobs.put(JSON.stringify(request)).catch(() => undefined);
    if (kept === undefined) return;
    const { seq } = this.#projection.basis([]);
    const record: RequestRecord = { seq, model: request.model, request: kept.hash, sent: [...sent] };
    const message = { role: 'system', content: '' } as const;
    await this.#append([
      { type: 'system', subtype: 'request', message, data: { ...facts, request: record } },
    ]);
  }

  async #record(
    facts: { readonly purpose: 'turn' | 'summary'; readonly outcome: RequestOutcome },
    basis: RequestBasis,
    sent: readonly SentRequest[],
    cut?: SummaryCut,
  ): Promise<void> {
    if (sent.length === 0) return;
    const entry: NewEntry = {
      type: 'system',
      subtype: 'request',
      message: { role: 'system', content: '' },
      data: { ...facts, ...recordOf(basis, sent, cut) },
    };
    await this.#append([...this.newTools(basis, sent), entry]);
  }
}

/** The parts of the projection that recording needs. */
interface RecordedProjection {
  readonly lastRequest: NotedRequest | undefined;
  basis(tools: readonly ToolSchema[]): RequestBasis;
}

const hashes = new WeakMap<readonly ToolSchema[], string>();

/** The first 16 hex digits of the SHA-256 of the tools as JSON. */
function toolsHash(tools: readonly ToolSchema[]): string {
  const known = hashes.get(tools);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(JSON.stringify(tools)).digest('hex').slice(0, 16);
  hashes.set(tools, hash);
  return hash;
}
