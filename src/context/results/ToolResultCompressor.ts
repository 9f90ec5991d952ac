/**
 * Shortens a tool result by its structure: documents to an outline and a preview, lists to their first items, search
 * results to the first matches of each file. The full result is stored, with a pointer to it.
 */
import type { ToolResultKind } from '../../protocol/entries/fields.ts';
import { compressDocument } from './documents.ts';
import { type Compressed, type CompressorDeps, compressList, parsedOf, plainTextOf } from './lists.ts';
import { compressSearch } from './searchResults.ts';

/** `result` may be text, JSON text or any value. Never rejects; returns other results unchanged. */
export async function compress(toolName: string, result: unknown, deps: CompressorDeps): Promise<Compressed> {
  const text = plainTextOf(result);
  try {
    const short = await shortened(toolName, text, result, deps);
    // With few or small items the note could be longer than what it replaces.
    return short === undefined || Buffer.byteLength(short.text) >= Buffer.byteLength(text) ? { text } : short;
  } catch {
    // Unexpected input: the limits on lines and bytes still apply to its text.
    return { text };
  }
}

/** Undefined if the text stays unchanged. */
async function shortened(
  toolName: string,
  text: string,
  result: unknown,
  deps: CompressorDeps,
): Promise<Compressed | undefined> {
  const branch = branchOf(toolName, deps.kind);
  if (branch === undefined) return undefined;
  const value = parsedOf(result);
  switch (branch === 'by_shape' ? shapeOf(value) : branch) {
    case 'document':
      return compressDocument(text, value, deps);
    case 'large_text':
      return compressDocument(text, undefined, deps);
    case 'list':
      return compressList(text, value, deps);
    case 'search':
      return compressSearch(text, value, deps);
  }
}

type Branch = 'document' | 'list' | 'search' | 'large_text';

const kinds: Partial<Record<ToolResultKind, Branch>> = {
  document: 'document',
  list: 'list',
  search: 'search',
};

/** Names that other programs use for tools of these kinds. */
const aliases: ReadonlyMap<string, Branch> = new Map([
  ['getDoc', 'document'],
  ['getCurrentDoc', 'document'],
  ['listDocuments', 'list'],
  ['list_resources', 'list'],
  ['grep_search', 'search'],
  ['search_web', 'search'],
  ['view_file', 'large_text'],
  ['read_url_content', 'large_text'],
]);

function branchOf(toolName: string, kind: ToolResultKind | undefined): Branch | 'by_shape' | undefined {
  const named = aliases.get(toolName.startsWith('mcp__') ? (toolName.split('__').at(-1) ?? '') : toolName);
  const known = (kind === undefined ? undefined : kinds[kind]) ?? named;
  // For an unknown MCP tool, only the shape of its result is known.
  return toolName.startsWith('mcp__') && named === undefined ? 'by_shape' : known;
}

function shapeOf(value: unknown): Branch {
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'object' || value === null) return 'document';
  const hasContent = 'content' in value && typeof value.content === 'string';
  return !hasContent && Object.values(value).some(Array.isArray) ? 'list' : 'document';
}
