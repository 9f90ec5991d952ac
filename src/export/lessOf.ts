import type { JSONLEntry } from '../protocol/entries.ts';
import type { ExportOptions } from './types.ts';

/**
 * Removes the parts of an entry that were not requested: tool output becomes empty, reasoning is dropped. A changed
 * line loses its checksum.
 */
export function lessOf(
  entry: JSONLEntry,
  { toolOutputs = true, reasoning = true }: Pick<ExportOptions, 'toolOutputs' | 'reasoning'>,
): JSONLEntry {
  const { message, toolResult } = entry;
  if (!reasoning && message.reasoning !== undefined) {
    const { reasoning: _, ...said } = message;
    return unsealed({ ...entry, message: said });
  }
  if (!toolOutputs && toolResult !== undefined)
    return unsealed({ ...entry, toolResult: { ...toolResult, output: '' } });
  const at = entry.subtype === 'shell' ? entry.data?.outputAt : undefined;
  if (!toolOutputs && at !== undefined && typeof message.content === 'string')
    return unsealed({ ...entry, message: { ...message, content: message.content.slice(0, at) } });
  return entry;
}

/** Removes the checksum, which is only valid for the line as it was written. */
export function unsealed(entry: JSONLEntry): JSONLEntry {
  const { crc: _, ...rest }: JSONLEntry & { crc?: unknown } = entry;
  return rest as JSONLEntry;
}
