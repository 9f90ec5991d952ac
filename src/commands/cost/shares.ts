/** How the input and output of a conversation's requests are shared among tools, files and other content. Pure. */
import { resolve } from 'node:path';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { inputSpending, outputSpending, type Spending, type Table } from './spending.ts';

export interface Shares {
  /** `price`: of a reply's model. `isCopy`: the entry counts for the prompt, but was paid for in another session. */
  see(entry: JSONLEntry, price: ModelInfo['price'], isCopy: boolean): void;
}

/** A part of the prompt: a tool's results, or another kind of content. */
interface Part {
  readonly name: string;
  readonly file?: string;
  size: number;
}

/** Content that is not in the log as entries. */
const BASE = '(system prompt and tools)';
/** Beyond this many parts of one prompt, files are no longer distinguished. */
const MAX_PARTS = 2000;
/** Files of one result that get a share. */
const MAX_FILES = 20;

export function createShares({ tools, files }: { readonly tools: Table; readonly files: Table }): Shares {
  /** The contents of the last request, and the additions since then. */
  let old = new Map<string, Part>();
  let fresh = new Map<string, Part>();
  const paths = new Map<string, string>();
  /** The output of the last reply, whose calls follow it. */
  let reply: { price: ModelInfo['price']; tokens: number; parts: Part[] } | undefined;

  const put = (to: Map<string, Part>, { name, file: given, size }: Part): void => {
    const file = to.size < MAX_PARTS ? given : undefined;
    const key = `${name}\0${file ?? ''}`;
    const known = to.get(key);
    if (known === undefined) to.set(key, { name, ...(file === undefined ? {} : { file }), size });
    else known.size += size;
  };
  const pay = ({ name, file }: Part, spending: Spending): void => {
    if (spending.inputTokens + spending.outputTokens === 0) return;
    tools.add(name, spending, 0);
    if (file !== undefined) files.add(file, spending, 0);
  };
  const settle = (): void => {
    if (reply === undefined) return;
    const { parts, price, tokens } = reply;
    for (const [part, share] of shared(parts, tokens)) pay(part, outputSpending(share, price));
    for (const part of parts) put(fresh, part);
    reply = undefined;
  };
  const ask = (usage: NonNullable<JSONLEntry['message']['usage']>, price: ModelInfo['price']): void => {
    const { input_tokens: input, cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage;
    const added = [...fresh.values()];
    if (old.size === 0) put(old, { name: BASE, size: Math.max(1, input - sizeOf(added)) });
    const read = Math.max(0, input - cached);
    const ofAdded = Math.min(read, sizeOf(added));
    // Every uncached part of the prompt is written to the cache at the same rate.
    const writtenOf = (tokens: number): number =>
      read === 0 ? 0 : (tokens / read) * Math.min(written, read);
    for (const [part, share] of shared(added, ofAdded))
      pay(part, inputSpending(share, 0, writtenOf(share), price));
    const rest = read - ofAdded;
    for (const [part, share] of shared([...old.values()], cached + rest)) {
      const fromCache = cached + rest === 0 ? 0 : share * (cached / (cached + rest));
      pay(part, inputSpending(share, fromCache, writtenOf(share - fromCache), price));
    }
    for (const part of added) put(old, part);
    fresh = new Map();
  };
  return {
    see(entry, price, isCopy) {
      const { type, tool, toolResult, message } = entry;
      if (tool !== undefined && reply !== undefined) {
        const file = pathIn(tool.input, entry.cwd);
        if (file !== undefined) paths.set(tool.id, file);
        if (paths.size > MAX_FILES * MAX_FILES) paths.clear();
        const size = lengthOf(tool.arguments ?? tool.input);
        reply.parts.push({ name: tool.name, size, ...(file === undefined ? {} : { file }) });
        return;
      }
      settle();
      if (type === 'assistant') {
        if (message.usage !== undefined && !isCopy) ask(message.usage, price);
        const size = lengthOf(message.content) + lengthOf(message.reasoning?.text);
        const tokens = isCopy ? 0 : (message.usage?.output_tokens ?? 0);
        reply = { price, tokens, parts: [{ name: '(replies)', size }] };
      } else if (toolResult !== undefined) {
        for (const part of resultParts(toolResult, paths)) put(fresh, part);
      } else if (entry.isCompactSummary === true) {
        // What stays verbatim is counted with the summary.
        const base = [...old.values()].filter(({ name }) => name === BASE);
        old = new Map();
        for (const part of base) put(old, part);
        fresh = new Map();
        put(fresh, { name: '(summaries)', size: lengthOf(message.content) });
      } else if (entry.subtype === 'prompt' || entry.subtype === 'shell') {
        put(fresh, { name: '(your prompts)', size: lengthOf(message.content) });
      } else if (type === 'user') {
        const data = entry.data;
        const file =
          data !== undefined && 'path' in data && typeof data.path === 'string' ? data.path : undefined;
        const size = lengthOf(message.content);
        put(fresh, { name: '(notes and attachments)', size, ...(file === undefined ? {} : { file }) });
      }
    },
  };
}

function resultParts(
  { id, name = 'tool', output, filesRead = [], filesChanged = [] }: NonNullable<JSONLEntry['toolResult']>,
  paths: Map<string, string>,
): Part[] {
  const size = lengthOf(output);
  const own = paths.get(id);
  paths.delete(id);
  const touched = [...filesRead, ...filesChanged].map(({ path }) => path);
  const named = [...new Set(touched.length > 0 || own === undefined ? touched : [own])].slice(0, MAX_FILES);
  if (named.length === 0) return [{ name, size }];
  return named.map((file) => ({ name, file, size: size / named.length }));
}

/** In estimated tokens. */
function lengthOf(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length / 4;
}

function pathIn(input: unknown, cwd: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { file_path: file, path } = input as { readonly file_path?: unknown; readonly path?: unknown };
  const found = file ?? path;
  return typeof found === 'string' ? resolve(cwd, found) : undefined;
}

function sizeOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

/** Divides `tokens` among parts by their size. */
function shared(parts: readonly Part[], tokens: number): (readonly [Part, number])[] {
  const whole = sizeOf(parts);
  if (whole === 0 || tokens === 0) return [];
  return parts.map((part) => [part, (tokens * part.size) / whole]);
}
