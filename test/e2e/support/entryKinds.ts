import type { JSONLEntry } from '../../../src/protocol/entries.ts';

/** What the program writes down for itself, between the lines of a conversation. */
const bookkeeping: ReadonlySet<string> = new Set(['tools', 'request', 'usage', 'title']);

/** What happened, entry by entry; what a request was made from and what was spent is left out. */
export function kindsOf(entries: readonly JSONLEntry[]): string[] {
  return entries.map(kindOf).filter((kind) => !bookkeeping.has(kind));
}

function kindOf(entry: JSONLEntry): string {
  if (entry.type === 'tool_use') return `tool_use ${entry.tool?.name}`;
  if (entry.type === 'tool_result') return `tool_result ${entry.toolResult?.status}`;
  return entry.subtype ?? entry.type;
}
