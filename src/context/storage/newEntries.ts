/** Creates the four kinds of entries of a conversation: messages, tool calls, tool results, compactions. */

import { randomUUID } from 'node:crypto';
import { customAlphabet } from 'nanoid';
import type { CompactMetadata } from '../../protocol/entries/fields.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ToolCall } from '../../protocol/messages.ts';

/** Text of the boundary line; of the entries before it, only the retained ones stay in requests. */
const compactionBoundaryText = '=== Context Compaction Boundary ===';

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
  // Store the text only if serializing the input would not give the same bytes.
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

// Ids of sessions and entries: only letters, digits and inner dashes, so that none needs quoting.

const lower = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A new entry's uuid: 21 letters and digits, about 125 bits. */
export const newId = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 21);

/** A new key for the program's notes in a session: 8 letters and digits, about 47 bits, few tokens. */
export const newNoteKey = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 8);

export function isNoteKey(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{8}$/.test(value);
}

/**
 * A new session id: a UUID, which programs that drive sessions expect, in lower case, since some file systems ignore
 * case. Earlier ones are 20 letters and digits.
 */
export const newSessionId = (): string => randomUUID();

/** True if the text can be a session id: safe as a file name and as an argument. */
export function isSafeSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}

/** Freezes plain data recursively; a frozen object is assumed to be completely frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) deepFreeze(child);
  return Object.freeze(value);
}

/** Returns the value itself if it is frozen, otherwise a frozen copy. */
export function frozenCopy<T>(value: T): T {
  return Object.isFrozen(value) ? value : deepFreeze(structuredClone(value));
}
