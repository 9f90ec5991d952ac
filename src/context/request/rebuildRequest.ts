/**
 * Rebuilds a sent request from the log, byte for byte. The log records the inputs of each request (requestRecord.ts);
 * the rest is built by the same code as the original.
 */
import type { RequestRecord } from '../../protocol/entries/kinds/turn.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { parseJson } from '../../protocol/json.ts';
import { isToolSchemas, type ToolSchema } from '../../protocol/messages.ts';
import type { ModelRequest, SentRequest } from '../../protocol/models/model.ts';
import { summaryMessages, summaryRequest, upTo } from '../compaction/summaryRequest.ts';
import { lastCompaction } from '../history/compactions.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { type View, viewOf } from '../history/view.ts';
import { convertToStandardMessages } from './standardMessages.ts';

interface RebuiltRequest {
  readonly request: ModelRequest;
  /** The bodies that were sent, several if the server rejected a field; `hash` is the hash of the body. */
  readonly sent: readonly SentRequest[];
}

/** Source of a session's log and blobs. */
interface RequestSource {
  /** The log in order, at least up to the request. */
  readonly entries: readonly JSONLEntry[];
  /** Reads a blob by hash; undefined if it is missing. */
  readonly readBlob: (hash: string) => Promise<Uint8Array | undefined>;
}

/** Entries that record a sent request, oldest first. */
export function requestsIn(entries: readonly JSONLEntry[]): JSONLEntry[] {
  return entries.filter((entry) => recordIn(entry) !== undefined);
}

/**
 * Rebuilds the request that an entry records: the request of a reply, or one without a reply. Undefined if the entry
 * records none, for example in sessions from before requests were recorded. Rejects if the log has lost what was sent.
 */
export async function rebuildRequest(
  { entries, readBlob }: RequestSource,
  seq: number,
): Promise<RebuiltRequest | undefined> {
  const entry = entries.find((one) => one.seq === seq);
  const record = entry === undefined ? undefined : recordIn(entry);
  if (record === undefined) return undefined;
  if (record.request !== undefined) {
    const text = await readBlob(record.request);
    if (text === undefined) return undefined;
    return { request: storedRequest(Buffer.from(text).toString()), sent: record.sent };
  }
  const seen = entries.filter((one) => one.seq <= record.seq);
  const policy = {
    returnsReasoning: record.reasoning === true,
    imagesHiddenThrough: record.imagesHiddenThrough,
    snippets: await snippetsOf(seen, record, readBlob),
  };
  const head = { model: record.model, tools: toolsOf(entries, record) };
  return { request: requestOf(viewOf(seen)), sent: record.sent };

  function requestOf(view: View): ModelRequest {
    const cut = record?.summary;
    if (cut === undefined)
      return { model: head.model, messages: convertToStandardMessages(view, policy), tools: head.tools };
    const part = upTo(view, cut.atoms);
    return summaryRequest(head, cut, summaryMessages(part, policy, cut));
  }
}

function storedRequest(json: string): ModelRequest {
  const request = parseJson(json) as Partial<ModelRequest> | null | undefined;
  if (typeof request?.model === 'string' && Array.isArray(request.messages) && isToolSchemas(request.tools))
    return request as ModelRequest;
  throw new Error('The stored request is damaged.');
}

function recordIn(entry: JSONLEntry): RequestRecord | undefined {
  return entry.type === 'assistant' || entry.subtype === 'request' ? entry.data?.request : undefined;
}

/** The tools, recorded once for all requests that offered them. */
function toolsOf(entries: readonly JSONLEntry[], { tools: hash }: RequestRecord): readonly ToolSchema[] {
  if (hash === undefined) return [];
  const tools = entries.flatMap(({ subtype, data }) =>
    subtype === 'tools' && data?.hash === hash ? [data.tools] : [],
  )[0];
  if (tools === undefined) throw new Error(`The log has lost the tools ${hash} that this request offered.`);
  return tools;
}

/** The snippets of the summary in effect at that time, and those shown to the summarizer. */
async function snippetsOf(
  entries: readonly JSONLEntry[],
  { summary }: RequestRecord,
  readBlob: RequestSource['readBlob'],
): Promise<ReadonlyMap<string, string>> {
  const live = liveEntries(entries);
  const { compactMetadata } = live.entries[lastCompaction(live.entries, live.undone)] ?? {};
  const texts = new Map<string, string>();
  for (const { hash } of [...(compactMetadata?.snippets ?? []), ...(summary?.files ?? [])]) {
    const bytes = await readBlob(hash);
    if (bytes !== undefined) texts.set(hash, Buffer.from(bytes).toString());
  }
  return texts;
}
