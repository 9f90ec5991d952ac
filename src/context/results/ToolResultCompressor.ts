/**
 * Shortens a tool result by its structure: documents to an outline and a preview, lists to their first items, search
 * results to the first matches of each file. The full result is stored, with a pointer to it.
 */
import type { ToolResultKind } from '../../protocol/entries/fields.ts';
import { isRecord } from '../../protocol/json.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import {
  type Compressed,
  type CompressorDeps,
  compressList,
  type JsonRecord,
  parsedOf,
  plainTextOf,
} from './lists.ts';
import { memoryIdOf } from './ObservationTruncator.ts';
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

// Shortens a document or other long text to its outline and beginning; the full text is stored.

/**
 * Returns a record with `_OFFLOADED_` for a text above `maxResultTokens`, otherwise undefined. `value` may be a
 * document `{ title?, outline?, content, … }`; its other fields are kept.
 */
async function compressDocument(
  text: string,
  value: unknown,
  { settings, memory, kept, title }: CompressorDeps,
): Promise<Compressed | undefined> {
  const tokens = estimateTokens(text);
  if (tokens <= settings.maxResultTokens) return undefined;
  const { content, rest } = partsOf(text, value, settings.maxResultTokens);
  // The tool's own blob has more than the returned text.
  const original = kept ?? (await memory.store(content))?.original;
  if (original === undefined) return undefined;
  const memoryId = memoryIdOf(original.hash);
  const shown = {
    _OFFLOADED_: {
      memoryId,
      summary: `Too long to show: about ${tokens} tokens. Recall("${memoryId}") reads it in parts by offset, or finds a query in it.`,
      preview: wellFormed(headOf(content, settings.textPreviewLength)),
      totalLength: original.bytes,
    },
    ...titleOf(content, title),
    ...outlineOf(content),
    originalSize: tokens,
    ...rest,
  };
  return { text: JSON.stringify(shown, null, 1), original };
}

/** Stores only the content if the other fields are small enough to be shown; otherwise stores everything. */
function partsOf(
  text: string,
  value: unknown,
  maxTokens: number,
): { readonly content: string; readonly rest: JsonRecord } {
  if (!isRecord(value) || typeof value.content !== 'string') return { content: text, rest: {} };
  const { content, ...rest } = value;
  const isSmall = estimateTokens(JSON.stringify(rest)) <= maxTokens / 2;
  return isSmall && estimateTokens(content) > maxTokens / 2 ? { content, rest } : { content: text, rest: {} };
}

const MAX_TITLE = 200;
const MAX_HEADINGS = 30;
const MAX_HEADING = 100;
/** Characters searched for headings. */
const MAX_SEARCHED = 1_000_000;

/** The document's own title, otherwise that of the call. */
function titleOf(content: string, given: string | undefined): { readonly title?: string } {
  const own = /^(?:#\s+|title:\s*)(\S.*)$/im.exec(headOf(content, 2000))?.[1];
  const title = own ?? given;
  return title === undefined ? {} : { title: wellFormed(headOf(title.trim(), MAX_TITLE)) };
}

/** Markdown headings, each with the byte offset for Recall. */
function outlineOf(content: string): { readonly outline?: readonly string[] } {
  const outline: string[] = [];
  const searched = headOf(content, MAX_SEARCHED);
  let bytes = 0;
  let at = 0;
  for (const { 0: heading, index } of searched.matchAll(/^#{1,6} \S.*$/gm)) {
    bytes += Buffer.byteLength(searched.slice(at, index));
    at = index;
    if (outline.length === MAX_HEADINGS) {
      outline.push('… and more');
      break;
    }
    outline.push(`${wellFormed(headOf(heading, MAX_HEADING))} @${bytes}`);
  }
  return outline.length === 0 ? {} : { outline };
}
