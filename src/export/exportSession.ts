/**
 * Exports a session as Markdown, HTML, JSON, or its raw entries. Writes while reading, so that memory does not grow
 * with the session.
 */
import type { JSONLEntry } from '../protocol/entries.ts';
import { redactDeep } from '../redact/redact.ts';
import { toHtml } from './html/toHtml.ts';
import { itemsOf } from './items.ts';
import { toMarkdown } from './toMarkdown.ts';
import type { ExportItem, ExportMeta, ExportOptions } from './types.ts';

export type { ExportFormat, ExportOptions } from './types.ts';

/**
 * Yields the document in pieces of well-formed Unicode. `entries` must be in the order of the log, from its beginning.
 */
export async function* exportSession(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  options: ExportOptions,
): AsyncGenerator<string> {
  for await (const piece of documentOf(entries, options)) if (piece !== '') yield piece.toWellFormed();
}

async function* documentOf(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  options: ExportOptions,
): AsyncGenerator<string> {
  const clean = cleaned(entries, options);
  if (options.format === 'jsonl') {
    for await (const entry of clean) yield `${JSON.stringify(lessOf(entry, options))}\n`;
    return;
  }
  const meta = options.redact === false ? options.meta : redactDeep(options.meta, options);
  const items = itemsOf(clean, options);
  if (options.format === 'json') yield* toJson(items, meta);
  else if (options.format === 'md') yield* toMarkdown(items, meta);
  else yield* toHtml(items, meta);
}

/** Yields to other work after this many ms. */
const BREATH_MS = 8;

async function* cleaned(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  options: ExportOptions,
): AsyncGenerator<JSONLEntry> {
  let since = performance.now();
  for await (const entry of entries) {
    yield options.redact === false ? entry : withoutSecrets(entry, options);
    if (performance.now() - since < BREATH_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}

function withoutSecrets(entry: JSONLEntry, options: ExportOptions): JSONLEntry {
  const clean = redactDeep(entry, options);
  return clean === entry ? entry : unsealed(clean);
}

/**
 * Removes the parts of an entry that were not requested: tool output becomes empty, reasoning is dropped. A changed
 * line loses its checksum.
 */
function lessOf(
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
function unsealed(entry: JSONLEntry): JSONLEntry {
  const { crc: _, ...rest }: JSONLEntry & { crc?: unknown } = entry;
  return rest as JSONLEntry;
}

// A session as one JSON object: its metadata, then its turns, then totals.

/** Version of this format; see docs/export.md. */
const VERSION = 1;

async function* toJson(items: AsyncIterable<ExportItem>, meta: ExportMeta): AsyncGenerator<string> {
  const { exportedAt, programVersion, ...session } = meta;
  const head = {
    format: 'clawdcode-export',
    version: VERSION,
    exportedAt: exportedAt.toISOString(),
    programVersion,
    session,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"turns":[`;
  // Items before the first prompt form a turn without one.
  yield '\n{"number":0,"items":[';
  let turns = 0;
  let count = 0;
  let calls = 0;
  for await (const item of items) {
    if (item.type === 'turn') {
      const { number, text, images, timestamp, seq } = item;
      const turn = { number, seq, timestamp, prompt: text, ...(images.length === 0 ? {} : { images }) };
      yield `]},\n${JSON.stringify(turn).slice(0, -1)},"items":[`;
      turns++;
      count = 0;
      continue;
    }
    if (item.type === 'call') calls++;
    yield `${count++ === 0 ? '\n' : ',\n'}${JSON.stringify(item)}`;
  }
  yield `]}\n],"totals":${JSON.stringify({ turns, calls })}}\n`;
}
