/** A list: its first items, how many there are, and where all of them can be seen. */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { BlobRef, ToolResultKind } from '../../protocol/entries/fields.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import type { TruncationLimits } from './headAndTail.ts';
import { memoryIdOf } from './ObservationTruncator.ts';
import type { WorkingMemory } from './WorkingMemory.ts';

export interface Compressed {
  /** For the model. */
  readonly text: string;
  /** The whole, where `text` is not. */
  readonly original?: BlobRef;
}

export interface CompressorDeps {
  readonly settings: ContextSettings['offload'];
  readonly memory: Pick<WorkingMemory, 'store'>;
  /** Search results within these are left whole. */
  readonly limits: TruncationLimits & { readonly maxTokens?: number };
  /** What the tool says of its output; comes before its name. */
  readonly kind?: ToolResultKind | undefined;
  /** What the tool itself kept, when the result is only a part of it. */
  readonly kept?: BlobRef | undefined;
  readonly title?: string | undefined;
}

/** Undefined for a list that is short enough. Lines of text, JSON lists and records with a list are all lists. */
export async function compressList(
  text: string,
  value: unknown,
  deps: CompressorDeps,
): Promise<Compressed | undefined> {
  const list = listOf(value);
  return list === undefined ? compressLines(text, deps) : compressItems(text, list, deps);
}

export interface ListParts {
  readonly key: string;
  readonly items: readonly unknown[];
  /** The other fields. */
  readonly rest: JsonRecord;
}

/** The list in a value: itself, or its most likely field; undefined where there is none. */
export function listOf(value: unknown): ListParts | undefined {
  if (Array.isArray(value)) return { key: 'items', items: value, rest: {} };
  if (!isRecord(value)) return undefined;
  const usual = ['items', 'resources', 'documents', 'results', 'matches', 'files', 'entries', 'data'];
  const key = [...usual, ...Object.keys(value)].find((one) => Array.isArray(value[one]));
  const items = key === undefined ? undefined : value[key];
  if (key === undefined || !Array.isArray(items)) return undefined;
  const { [key]: _, ...rest } = value;
  return { key, items, rest };
}

async function compressItems(
  text: string,
  { key, items, rest }: ListParts,
  { settings, memory, kept }: CompressorDeps,
): Promise<Compressed | undefined> {
  const { maxListItems, maxResultTokens } = settings;
  if (items.length <= maxListItems && estimateTokens(text) <= maxResultTokens) return undefined;
  const original = kept ?? (await memory.store(text))?.original;
  const shown: unknown[] = [];
  let tokens = 0;
  for (const item of items.slice(0, maxListItems)) {
    const cost = estimateTokens(JSON.stringify(item) ?? '');
    if (tokens + cost > maxResultTokens) break;
    tokens += cost;
    shown.push(item);
  }
  // Of an item that is too large alone, its beginning.
  if (shown.length === 0 && items.length > 0) shown.push(beginningOf(items[0], maxResultTokens));
  const record = {
    _note_: noteOf(shown.length, items.length, original?.hash),
    totalCount: items.length,
    ...withinTokens(rest, maxResultTokens),
    [key]: shown,
  };
  return { text: JSON.stringify(record), ...(original === undefined ? {} : { original }) };
}

async function compressLines(
  text: string,
  { settings, memory, kept }: CompressorDeps,
): Promise<Compressed | undefined> {
  const { maxListItems, maxResultTokens } = settings;
  if (text.length <= maxResultTokens && text.split('\n', maxListItems + 1).length <= maxListItems)
    return undefined;
  const lines = text.replace(/\n$/, '').split('\n');
  // What the tool says about its list stands last, in parentheses.
  const firstNote = lines.findLastIndex((line) => !/^\(.*[.)]\)$/.test(line)) + 1;
  const items = lines.slice(0, firstNote);
  const notes = lines.slice(firstNote);
  if (items.length <= maxListItems && estimateTokens(text) <= maxResultTokens) return undefined;
  const original = kept ?? (await memory.store(text))?.original;
  const shown: string[] = [];
  let tokens = 0;
  for (const item of items.slice(0, maxListItems)) {
    tokens += estimateTokens(`${item}\n`);
    if (tokens > maxResultTokens) break;
    shown.push(item);
  }
  if (shown.length === 0) shown.push(beginningOf(items[0] ?? '', maxResultTokens));
  const head = `[_note_: ${noteOf(shown.length, items.length, original?.hash)} totalCount: ${items.length}]`;
  return {
    text: [head, ...shown, ...notes].join('\n'),
    ...(original === undefined ? {} : { original }),
  };
}

/** How many are shown, and how the others can be. */
export function noteOf(shown: number, total: number, hash: string | undefined): string {
  const more = hash === undefined ? 'Narrow the call to see others.' : `All: Recall("${memoryIdOf(hash)}").`;
  return `${shown} of ${total}. ${more}`;
}

function beginningOf(item: unknown, maxTokens: number): string {
  const text = typeof item === 'string' ? item : (JSON.stringify(item) ?? '');
  return `${wellFormed(headOf(text, maxTokens))}…`;
}

/** Fields that are themselves long are in the original only. */
export function withinTokens(rest: JsonRecord, maxTokens: number): JsonRecord {
  if (estimateTokens(JSON.stringify(rest)) <= maxTokens) return rest;
  let tokens = 0;
  const kept = Object.entries(rest).filter(([key, value]) => {
    const cost = estimateTokens(key + (JSON.stringify(value) ?? ''));
    if (tokens + cost > maxTokens) return false;
    tokens += cost;
    return true;
  });
  return Object.fromEntries(kept);
}

// A result of unknown shape as text and as a value.

/** Text as it is; any other value as JSON. Nothing at all is "null"; what has no JSON is what it prints as. */
export function plainTextOf(result: unknown): string {
  if (typeof result === 'string') return result;
  if (result === undefined || result === null) return 'null';
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return String(result);
  }
}

/** The value that a text spells as JSON, or the value itself; undefined for text that is no JSON object or list. */
export function parsedOf(result: unknown): unknown {
  if (typeof result !== 'string') return result;
  if (result.length > MAX_PARSED || !/^\s*[[{]/.test(result)) return undefined;
  try {
    const value: unknown = JSON.parse(result);
    return value;
  } catch {
    return undefined;
  }
}

/** A larger text would hold up everything else while it is parsed. In characters. */
const MAX_PARSED = 1_000_000;

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
