/** New entries of the four kinds that make a conversation: messages, tool calls, tool results, compactions. */
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ToolCall } from '../../protocol/messages.ts';

/** The text of the line after which only the summary and what it retains count. */
export const compactionBoundaryText = '=== Context Compaction Boundary ===';

/** A message of the user (a prompt), the model or the program. `extra` holds the other fields of `message`. */
export function messageEntry(
  role: JSONLEntry['message']['role'],
  content: unknown,
  extra: Omit<Partial<JSONLEntry['message']>, 'role' | 'content'> = {},
): NewEntry {
  const message = { ...extra, role, content };
  if (role === 'user') return { type: role, subtype: 'prompt', message };
  return role === 'assistant' ? { type: role, message } : { type: role, message };
}

/** One call that the model asked for. */
export function toolUseEntry({ arguments: text, ...call }: ToolCall): NewEntry {
  const input = parseArguments(text);
  // Only where the input would not give the same bytes back is the text kept next to it.
  const exact = JSON.stringify(input) === text ? {} : { arguments: text };
  return {
    type: 'tool_use',
    message: { role: 'assistant', content: '' },
    tool: { ...call, ...exact, input },
  };
}

/** The one result of one call. */
export function toolResultEntry(result: NonNullable<JSONLEntry['toolResult']>): NewEntry {
  return { type: 'tool_result', message: { role: 'user', content: '' }, toolResult: result };
}

/**
 * A boundary and its summary: always one batch, since a reader ignores the one without the other. What stays of the
 * entries before them is named in the boundary alone.
 */
export function compactionEntries(summary: string, metadata: CompactMetadata): NewEntry[] {
  const { retained: _, userMessages: __, ...ofSummary } = metadata;
  return [
    {
      type: 'system',
      subtype: 'compact_boundary',
      message: { role: 'system', content: compactionBoundaryText },
      compactMetadata: metadata,
    },
    {
      type: 'user',
      message: { role: 'user', content: summary },
      isCompactSummary: true,
      compactMetadata: ofSummary,
    },
  ];
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
