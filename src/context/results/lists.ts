/** Shortens a list to its first items, with the total number and a pointer to the full list. */

import type { BlobRef, ToolResultKind } from '../../protocol/entries/fields.ts';
import { isRecord } from '../../protocol/json.ts';
import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import type { TruncationLimits } from './headAndTail.ts';
import { memoryIdOf } from './ObservationTruncator.ts';
import type { WorkingMemory } from './WorkingMemory.ts';

export interface Compressed {
  readonly text: string;
  /** The full text, if `text` is shortened. */
  readonly original?: BlobRef;
}

export interface CompressorDeps {
  readonly settings: ContextSettings['offload'];
  readonly memory: Pick<WorkingMemory, 'store'>;
  /** Search results within these limits are not shortened. */
  readonly limits: TruncationLimits & { readonly maxTokens?: number };
  /** Kind reported by the tool; takes precedence over the tool's name. */
  readonly kind?: ToolResultKind | undefined;
  /** The blob that the tool itself stored if its result is only a part. */
  readonly kept?: BlobRef | undefined;
  readonly title?: string | undefined;
}

/** Shortens text lines, a JSON list, or a record that contains a list. Undefined if the list is short enough. */
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

/** The list in a value: the value itself or its most likely field; undefined if there is none. */
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
  // If the first item alone is too large, show its beginning.
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
  // The tool's notes about the list are the last lines, in parentheses.
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

/** The number of shown items and how to see the others. */
export function noteOf(shown: number, total: number, hash: string | undefined): string {
  const more = hash === undefined ? 'Narrow the call to see others.' : `All: Recall("${memoryIdOf(hash)}").`;
  return `${shown} of ${total}. ${more}`;
}

function beginningOf(item: unknown, maxTokens: number): string {
  const text = typeof item === 'string' ? item : (JSON.stringify(item) ?? '');
  return `${wellFormed(headOf(text, maxTokens))}…`;
}

/** Drops fields that do not fit; they are only in the original. */
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

// Converts a result of unknown shape to text and to a value.

/** Text unchanged; other values as JSON. Null and undefined become "null"; values without JSON use `String`. */
export function plainTextOf(result: unknown): string {
  if (typeof result === 'string') return result;
  if (result === undefined || result === null) return 'null';
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return String(result);
  }
}

/** Parses JSON text, or returns a value that is not text; undefined for text that is not a JSON object or array. */
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

/** Maximum characters to parse; parsing a longer text would block the event loop. */
const MAX_PARSED = 1_000_000;

export type JsonRecord = Readonly<Record<string, unknown>>;
