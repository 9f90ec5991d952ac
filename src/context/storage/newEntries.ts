/** Creates the four kinds of entries of a conversation: messages, tool calls, tool results, compactions. */
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ToolCall } from '../../protocol/messages.ts';

/** Text of the boundary line; of the entries before it, only the retained ones stay in requests. */
export const compactionBoundaryText = '=== Context Compaction Boundary ===';

/** A message of the user (a prompt), the model or the program. `extra`: other fields of `message`. */
export function messageEntry(
  role: JSONLEntry['message']['role'],
  content: unknown,
  extra: Omit<Partial<JSONLEntry['message']>, 'role' | 'content'> = {},
): NewEntry {
  const message = { ...extra, role, content };
  if (role === 'user') return { type: role, subtype: 'prompt', message };
  return role === 'assistant' ? { type: role, message } : { type: role, message };
}

/** One call of the model. */
export function toolUseEntry({ arguments: text, ...call }: ToolCall): NewEntry {
  const input = parseArguments(text);
  // Store the text only if serialising the input would not give the same bytes.
  const exact = JSON.stringify(input) === text ? {} : { arguments: text };
  return {
    type: 'tool_use',
    message: { role: 'assistant', content: '' },
    tool: { ...call, ...exact, input },
  };
}

/** The result of a call. */
export function toolResultEntry(result: NonNullable<JSONLEntry['toolResult']>): NewEntry {
  return { type: 'tool_result', message: { role: 'user', content: '' }, toolResult: result };
}

/**
 * A boundary and its summary, which have to be one batch: a reader ignores one without the other. Only the boundary
 * lists the retained entries.
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
