/** The four kinds of lines that make a conversation, built from what is at hand where they are written. */
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { EntryDraft, JSONLEntry } from '../../protocol/entries.ts';
import type { ToolCall } from '../../protocol/messages.ts';

/** The text of the line after which only the summary and what it retains count. */
export const compactionBoundaryText = '=== Context Compaction Boundary ===';

/** A message of the user (a prompt), the model or the program. `extra` holds the other fields of `message`. */
export function messageDraft(
  role: JSONLEntry['message']['role'],
  content: unknown,
  extra: Omit<Partial<JSONLEntry['message']>, 'role' | 'content'> = {},
): EntryDraft {
  const message = { ...extra, role, content };
  if (role === 'user') return { type: role, subtype: 'prompt', message };
  return role === 'assistant' ? { type: role, message } : { type: role, message };
}

/** One call that the model asked for. */
export function toolUseDraft({ arguments: text, ...call }: ToolCall): EntryDraft {
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
export function toolResultDraft(result: NonNullable<JSONLEntry['toolResult']>): EntryDraft {
  return { type: 'tool_result', message: { role: 'user', content: '' }, toolResult: result };
}

/**
 * A boundary and its summary: always one batch, since a reader ignores the one without the other. What stays of the
 * entries before them is named in the boundary alone.
 */
export function compactionDrafts(summary: string, metadata: CompactMetadata): EntryDraft[] {
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
