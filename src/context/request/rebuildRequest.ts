/**
 * A request that was sent, built again from the log: what the model saw, to the byte. The log keeps what a
 * request was made from (requestRecord.ts); everything else is what building it for the first time does.
 */

import type { RequestRecord } from '../../protocol/entries/kinds/request.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import type { ModelRequest, SentRequest } from '../../protocol/model.ts';
import { summaryMessages, summaryRequest, upTo } from '../compaction/summaryRequest.ts';
import { lastCompaction } from '../history/compactions.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { type View, viewOf } from '../history/view.ts';
import { convertToStandardMessages } from './standardMessages.ts';

export interface RebuiltRequest {
  readonly request: ModelRequest;
  /** How it went over the wire; more than once where the server refused a field. Their `hash` is that of the body. */
  readonly sent: readonly SentRequest[];
}

/** Where the log of a session is read from. */
export interface RequestSource {
  /** The whole log in order, or as much of it as there is up to the request. */
  readonly entries: readonly JSONLEntry[];
  /** A blob, by hash; undefined when it is gone. */
  readonly readBlob: (hash: string) => Promise<Uint8Array | undefined>;
}

/** The entries that name a request which went over the wire, oldest first. */
export function requestsIn(entries: readonly JSONLEntry[]): JSONLEntry[] {
  return entries.filter((entry) => recordIn(entry) !== undefined);
}

/**
 * The request that led to an entry: to a reply, or one that no reply in the log answers. Undefined where the
 * entry names none, as in a session without a server or from before requests were recorded.
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
    return { request: JSON.parse(Buffer.from(text).toString()) as ModelRequest, sent: record.sent };
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

function recordIn(entry: JSONLEntry): RequestRecord | undefined {
  return entry.type === 'assistant' || entry.subtype === 'request' ? entry.data?.request : undefined;
}

/** Recorded once for all requests that offered the same. */
function toolsOf(entries: readonly JSONLEntry[], { tools: hash }: RequestRecord): readonly ToolSchema[] {
  if (hash === undefined) return [];
  const tools = entries.flatMap(({ subtype, data }) =>
    subtype === 'tools' && data?.hash === hash ? [data.tools] : [],
  )[0];
  if (tools === undefined) throw new Error(`The log has lost the tools ${hash} that this request offered.`);
  return tools;
}

/** The file snippets next to the summary that was in force then, and those that the next one was asked with. */
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
