/** The tools that requests offer, recorded once, and again only when they are others. */
import type { EntryDraft, JSONLEntry } from '../protocol/entries.ts';
import type { SentRequest } from '../protocol/model.ts';
import { type RequestBasis, toolsHash } from './requestRecord.ts';

export class OfferedTools {
  #recorded: Set<unknown>;

  constructor(entries: readonly JSONLEntry[]) {
    this.#recorded = new Set(
      entries.flatMap(({ subtype, data }) => (subtype === 'tools' ? [data?.hash] : [])),
    );
  }

  /** The entry that has the tools of a request, where no earlier one does. */
  news(request: RequestBasis | undefined, sent: readonly SentRequest[]): EntryDraft[] {
    if (request === undefined || sent.length === 0 || request.tools.length === 0) return [];
    const hash = toolsHash(request.tools);
    if (this.#recorded.has(hash)) return [];
    this.#recorded.add(hash);
    return [
      {
        type: 'system',
        subtype: 'tools',
        message: { role: 'system', content: '' },
        data: { hash, tools: request.tools },
      },
    ];
  }
}
