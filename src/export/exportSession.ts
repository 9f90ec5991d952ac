/**
 * Exports a session as Markdown, HTML, JSON, or its raw entries. Writes while reading, so that memory does not grow
 * with the session.
 */
import type { JSONLEntry } from '../protocol/entries.ts';
import { redactDeep } from '../redact/redactDeep.ts';
import { toHtml } from './html/toHtml.ts';
import { itemsOf } from './items.ts';
import { lessOf, unsealed } from './lessOf.ts';
import { toJson } from './toJson.ts';
import { toMarkdown } from './toMarkdown.ts';
import type { ExportOptions } from './types.ts';

export type { ExportFormat, ExportMeta, ExportOptions } from './types.ts';

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
