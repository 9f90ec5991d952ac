/** Finds the files that a conversation is about and reads their text, to quote them next to a summary. */
import { realpathSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { isInside, realpath } from '../disk/paths.ts';
import { openRealFile } from '../disk/realFile.ts';
import { atOnce, inSlices, type Steps } from '../disk/slices.ts';
import { filesReadBy } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { fileStamp, isStampReliable } from '../protocol/files/fileStamp.ts';
import { contentText } from '../protocol/messages.ts';
import { isPasted, pathTokens } from './facts/entryText.ts';
import { isPrompt } from './history/atoms.ts';
import type { CacheStore } from './storage/CacheStore.ts';
import { headOf } from './tokens/truncate.ts';

/** A place in a file that a tool call worked on. */
export type FileSpot =
  /** Text that an edit wrote. */
  | { readonly type: 'text'; readonly text: string }
  /** Range of lines that were read: 1-based, inclusive. */
  | { readonly type: 'lines'; readonly from: number; readonly to: number };

export interface FileReference {
  /** Real path. */
  readonly path: string;
  readonly mentions: number;
  /** Index of the last entry that named it. */
  readonly lastMentioned: number;
  /** True if a result reports that a tool changed the file; an attempt is not enough. */
  readonly wasModified: boolean;
  /** True if a result reports that a tool showed its content. */
  readonly wasRead: boolean;
  /** True if it was read, changed or named in a call since the newest prompt. */
  readonly isCurrent: boolean;
  /** Places that calls worked on, oldest first. */
  readonly spots: readonly FileSpot[];
}

interface FileContent {
  readonly path: string;
  readonly content: string;
}

interface ReadFilesOptions {
  readonly maxFiles?: number;
  readonly maxLines?: number;
  /** Characters per file. */
  readonly maxCharacters?: number;
  /** True for files to leave out, such as keys and `.env`. */
  readonly isSensitive?: (path: string) => boolean;
  /** Cache of file texts; an edit invalidates an entry. */
  readonly cache?: CacheStore<string>;
}

/** Arguments of tool calls that name files. */
const PATH_KEYS = ['file_path', 'path', 'target', 'source', 'destination'];
/** Weight of a file named in a tool call; a mention in text counts 1. */
const CALL_WEIGHT = 3;

/**
 * Existing files that the entries name, most important first: modified files, then files that a tool read, then files
 * of the current task, then by number of mentions, then by the latest mention. Relative paths are resolved against the
 * entry's directory, then `root`. Files outside `root` are included only if they were modified.
 */
export function analyzeFiles(entries: readonly JSONLEntry[], root: string): FileReference[] {
  return atOnce(analyze(entries, root));
}

/** Like `analyzeFiles`, but yields to the event loop, so that a long log does not block input and screen. */
export async function analyzeFilesInSlices(
  entries: readonly JSONLEntry[],
  root: string,
): Promise<FileReference[]> {
  return inSlices(analyze(entries, root));
}

function* analyze(entries: readonly JSONLEntry[], root: string): Steps<FileReference[]> {
  const found = new Map<string, FileReference>();
  const files = new RealFiles();
  const current = entries.findLastIndex(isPrompt);
  for (const [index, entry] of entries.entries()) {
    for (const { name, weight, touch, spot } of namesIn(entry)) {
      yield;
      const path = files.find(name, [entry.cwd, root]);
      if (path === undefined || (touch !== 'changed' && !isInside(path, root))) continue;
      const known = found.get(path);
      found.set(path, {
        path,
        mentions: (known?.mentions ?? 0) + weight,
        lastMentioned: index,
        wasModified: known?.wasModified === true || touch === 'changed',
        wasRead: known?.wasRead === true || touch === 'read',
        isCurrent: known?.isCurrent === true || (touch !== undefined && index > current),
        spots: spot === undefined ? (known?.spots ?? []) : [...(known?.spots ?? []), spot].slice(-MAX_SPOTS),
      });
    }
    yield;
  }
  return [...found.values()].sort(byImportance);
}

/** Newest places kept per file; more never fit into a quote. */
const MAX_SPOTS = 12;

function byImportance(a: FileReference, b: FileReference): number {
  const isTouched = ({ wasModified, wasRead }: FileReference): number => Number(wasModified || wasRead);
  return (
    Number(b.wasModified) - Number(a.wasModified) ||
    isTouched(b) - isTouched(a) ||
    Number(b.isCurrent) - Number(a.isCurrent) ||
    b.mentions - a.mentions ||
    b.lastMentioned - a.lastMentioned
  );
}

interface Mention {
  readonly name: string;
  readonly weight: number;
  /** How a tool used the file; absent = only mentioned in text. */
  readonly touch?: 'called' | 'read' | 'changed';
  readonly spot?: FileSpot;
}

/** Names in messages and in call arguments. Tool output is skipped: a listing names files that were not asked for. */
function* namesIn(entry: JSONLEntry): Generator<Mention> {
  const text = spokenText(entry);
  // A path in a pasted text does not mean that the conversation is about that file.
  const weight = isPrompt(entry) && isPasted(text) ? 0 : 1;
  for (const name of pathTokens(text)) yield { name, weight };
  const input = entry.tool?.input;
  if (typeof input === 'object' && input !== null) {
    const spot = spotOf(input);
    for (const [key, value] of Object.entries(input)) {
      if (!PATH_KEYS.includes(key) || typeof value !== 'string') continue;
      yield { name: value, weight: CALL_WEIGHT, touch: 'called', ...(spot === undefined ? {} : { spot }) };
    }
  }
  for (const { path } of filesReadBy(entry)) yield { name: path, weight: 0, touch: 'read' };
  for (const { path, kind } of entry.toolResult?.filesChanged ?? [])
    if (kind !== 'deleted') yield { name: path, weight: CALL_WEIGHT, touch: 'changed' };
}

/** Place in the file that a call's arguments name: the text of an edit, the lines of a read. */
function spotOf(input: object): FileSpot | undefined {
  const { new_string: text, offset, limit } = input as Readonly<Record<string, unknown>>;
  if (typeof text === 'string' && text !== '') return { type: 'text', text };
  if (typeof offset !== 'number' || !Number.isInteger(offset)) return undefined;
  const lines = typeof limit === 'number' && Number.isInteger(limit) ? limit : DEFAULT_READ_LINES;
  return { type: 'lines', from: Math.max(1, offset), to: Math.max(1, offset) + lines - 1 };
}

const DEFAULT_READ_LINES = 200;

/** Text of the user and the model; for a command that the user ran, the command without its output. */
function spokenText(entry: JSONLEntry): string {
  if (entry.subtype === 'shell') return typeof entry.data?.command === 'string' ? entry.data.command : '';
  return entry.type === 'assistant' || isPrompt(entry) ? contentText(entry.message.content) : '';
}

/** Reads the first `maxFiles` of the paths that can be quoted: text, readable, not sensitive. */
export async function readFilesContent(
  paths: readonly string[],
  options: ReadFilesOptions = {},
): Promise<FileContent[]> {
  const { maxFiles = 5, maxLines = 1000, maxCharacters = 40_000, isSensitive = () => false } = options;
  const contents: FileContent[] = [];
  for (const path of paths) {
    if (contents.length >= maxFiles) break;
    const realPath = realpath(path);
    if (isSensitive(path) || isSensitive(realPath)) continue;
    const content = await readFileStart(realPath, { maxLines, maxCharacters, cache: options.cache });
    if (content !== undefined) contents.push({ path, content });
  }
  return contents;
}

/** Maximum names looked up on disk; a log full of listings contains many thousands. */
const MAX_LOOKUPS = 2000;

/** Resolves names to files; two names for the same file (a link, `./a.ts`) resolve to the same path. */
export class RealFiles {
  readonly #known = new Map<string, string | undefined>();

  /** Real path of the file in the first directory that contains it; undefined for folders and missing files. */
  find(name: string, directories: readonly string[]): string | undefined {
    const candidates = isAbsolute(name) ? [name] : directories.map((directory) => resolve(directory, name));
    for (const candidate of candidates) {
      if (!this.#known.has(candidate))
        this.#known.set(candidate, this.#known.size < MAX_LOOKUPS ? realFile(candidate) : undefined);
      const path = this.#known.get(candidate);
      if (path !== undefined) return path;
    }
    return undefined;
  }
}

function realFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

interface ReadStartOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** Texts read before, by path and file stamp, so that an edit invalidates them. */
  readonly cache?: CacheStore<string> | undefined;
}

const TRUNCATED = '... (truncated)';
/** Larger files are data rather than something the user works on. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * Reads the beginning of a text file. Returns undefined for a file that is missing, unreadable, binary, too large or
 * reached through a link: the caller has to resolve the path and check that the file may be shown.
 */
export async function readFileStart(path: string, options: ReadStartOptions): Promise<string | undefined> {
  const handle = await openRealFile(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const info = await handle.stat({ bigint: true });
    if (!info.isFile() || info.size > MAX_FILE_BYTES) return undefined;
    const { maxLines, maxCharacters, cache } = options;
    const key = [path, fileStamp(info), maxLines, maxCharacters].join('\0');
    const known = cache?.get(key);
    if (known !== undefined) return known;
    const readAt = Date.now();
    const text = await readText(handle, Number(info.size), options);
    if (text !== undefined && isStampReliable(info, readAt)) cache?.set(key, text);
    return text;
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

async function readText(
  handle: FileHandle,
  size: number,
  { maxLines, maxCharacters }: ReadStartOptions,
): Promise<string | undefined> {
  // A UTF-8 character has at most four bytes.
  const buffer = Buffer.alloc(Math.min(size, maxCharacters * 4));
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
  const bytes = buffer.subarray(0, bytesRead);
  if (bytes.includes(0)) return undefined;
  return cutText(new TextDecoder().decode(bytes), maxLines, maxCharacters, bytesRead < size);
}

function cutText(text: string, maxLines: number, maxCharacters: number, isPart: boolean): string {
  const lines = text.split('\n');
  const byLines = lines.length > maxLines ? lines.slice(0, maxLines).join('\n') : text;
  const cut = headOf(byLines, maxCharacters);
  return cut === text && !isPart ? text : `${cut}\n${TRUNCATED}`;
}
