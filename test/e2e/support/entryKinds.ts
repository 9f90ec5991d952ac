import type { JSONLEntry } from '../../../src/protocol/entries.ts';

/** Bookkeeping entries between the lines of a conversation. */
const bookkeeping: ReadonlySet<string> = new Set(['tools', 'request', 'usage', 'title']);

/** The kinds of all entries except bookkeeping. */
export function kindsOf(entries: readonly JSONLEntry[]): string[] {
  return entries.map(kindOf).filter((kind) => !bookkeeping.has(kind));
}

function kindOf(entry: JSONLEntry): string {
  if (entry.type === 'tool_use') return `tool_use ${entry.tool?.name}`;
  if (entry.type === 'tool_result') return `tool_result ${entry.toolResult?.status}`;
  return entry.subtype ?? entry.type;
}
