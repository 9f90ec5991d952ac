/** The searchable text of an entry, and its author. */

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { shellCommand } from '../../../protocol/entries/readEntry.ts';
import { type JSONLEntry, kindOf } from '../../../protocol/entries.ts';
import { contentText } from '../../facts/entryText.ts';

interface Searchable {
  /** "you", "model", "summary", "note", or the tool's name. */
  readonly who: string;
  readonly text: string;
}

/** Undefined for entries without text of the conversation: boundaries, measurements, the system prompt. */
export function searchableOf(entry: JSONLEntry): Searchable | undefined {
  const said = partsOf(entry);
  const text = withoutColours(said.parts.filter((part) => part !== '').join('\n'));
  return text.trim() === '' ? undefined : { who: said.who, text };
}

/** Removes colour codes, which would otherwise become part of the words after them. */
export function withoutColours(text: string): string {
  return text.includes('\u001b') ? stripVTControlCharacters(text) : text;
}

function partsOf(entry: JSONLEntry): { readonly who: string; readonly parts: readonly string[] } {
  const { message, tool, toolResult } = entry;
  const words = contentText(message.content);
  switch (entry.type) {
    case 'assistant':
      return { who: 'model', parts: [words, message.reasoning?.text ?? ''] };
    case 'tool_use':
      return { who: tool?.name ?? 'tool', parts: [leavesOf(tool?.input), tool?.invalid ?? ''] };
    case 'tool_result':
      return {
        who: toolResult?.name ?? 'tool',
        parts: [
          typeof toolResult?.output === 'string' ? toolResult.output : contentText(toolResult?.output),
          toolResult?.error ?? '',
        ],
      };
    case 'user':
      if (entry.isCompactSummary === true) return { who: 'summary', parts: [words] };
      return { who: kindOf(entry)?.searchedAs ?? 'note', parts: [shellCommand(entry) ?? '', words] };
    case 'system': {
      if (entry.subtype === 'unknown') return { who: 'note', parts: [leavesOf(entry.data?.line)] };
      const who = kindOf(entry)?.searchedAs;
      return { who: who ?? 'note', parts: who === undefined ? [] : [words] };
    }
  }
}

/** The strings and numbers of a JSON value, one per line; field names belong to the tool and are skipped. */
function leavesOf(value: unknown): string {
  const found: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') found.push(next);
    else if (typeof next === 'number') found.push(String(next));
    else if (typeof next === 'object' && next !== null)
      open.push(...Object.values(next).reverse().slice(0, 10_000));
  }
  return found.join('\n');
}

// Searchable blobs.

/** Only this much of the beginning of an original can be searched. */
const maxOriginalBytes = 2 * 2 ** 20;
/** An original with a zero byte in its first bytes is binary; git uses the same rule. */
const probeBytes = 8000;

/** Undefined if it is missing or binary. */
export function readOriginal(projectFolder: string, hash: string): string | undefined {
  if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
  const buffer = Buffer.allocUnsafe(maxOriginalBytes);
  let length = 0;
  try {
    const handle = openSync(join(projectFolder, 'blobs', hash.slice(0, 2), hash), 'r');
    try {
      for (let got = -1; got !== 0 && length < maxOriginalBytes; length += got)
        got = readSync(handle, buffer, length, maxOriginalBytes - length, length);
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
  const bytes = buffer.subarray(0, length);
  return bytes.subarray(0, probeBytes).includes(0) ? undefined : withoutColours(bytes.toString('utf8'));
}
