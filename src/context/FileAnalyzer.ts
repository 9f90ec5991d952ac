/** Which files a conversation was about, where they are on disk, and their text: for quoting next to a summary. */
import { realpathSync, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { isInside } from '../disk/paths.ts';
import { openRealFile } from '../disk/realFile.ts';
import { realpath } from '../disk/realPath.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { fileStamp, isStampReliable } from '../protocol/files/fileStamp.ts';
import { contentText } from './facts/entryText.ts';
import { pathTokens } from './facts/pathTokens.ts';
import { runAtOnce, runInSlices } from './facts/slices.ts';
import { isPasted } from './facts/typedText.ts';
import { isPrompt } from './history/atoms.ts';
import type { CacheStore } from './storage/CacheStore.ts';
import { headOf } from './tokens/truncate.ts';

/** What the log says was looked at in a file. */
export type FileSpot =
  /** Text that an edit wrote. */
  | { readonly type: 'text'; readonly text: string }
  /** Lines that were read, both ends included, from 1. */
  | { readonly type: 'lines'; readonly from: number; readonly to: number };

export interface FileReference {
  /** Real path. */
  readonly path: string;
  readonly mentions: number;
  /** Position of the last entry that named it. */
  readonly lastMentioned: number;
  /** True when a result says that a tool changed it; an attempt is not enough. */
  readonly wasModified: boolean;
  /** True when a result says that a tool showed its content. */
  readonly wasRead: boolean;
  /** True when it was read, changed or named in a call since the newest prompt. */
  readonly isCurrent: boolean;
  /** Where in it work was done, oldest first. */
  readonly spots: readonly FileSpot[];
}

export interface FileContent {
  readonly path: string;
  readonly content: string;
}

export interface ReadFilesOptions {
  readonly maxFiles?: number;
  readonly maxLines?: number;
  /** Characters of one file. */
  readonly maxCharacters?: number;
  /** Keys, `.env` and the like are left out. */
  readonly isSensitive?: (path: string) => boolean;
  /** What was read before; an edit invalidates. */
  readonly cache?: CacheStore<string>;
}

/** Arguments of tool calls that name files. */
const PATH_KEYS = ['file_path', 'path', 'target', 'source', 'destination'];
/** A call that names a file says more than a sentence that does. */
const CALL_WEIGHT = 3;

/**
 * The existing files that the entries name, most important first: modified, then touched by a tool, of these the
 * ones of the current task, then often named, then recently named. Relative paths are resolved against the entry's
 * directory, then `root`; only files inside `root` and files that were modified count.
 */
export function analyzeFiles(entries: readonly JSONLEntry[], root: string): FileReference[] {
  return runAtOnce(analyze(entries, root));
}

/** The same for a long log: keys and screen have their turn in between. */
export async function analyzeFilesInSlices(
  entries: readonly JSONLEntry[],
  root: string,
): Promise<FileReference[]> {
  return runInSlices(analyze(entries, root));
}

function* analyze(entries: readonly JSONLEntry[], root: string): Generator<void, FileReference[]> {
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

/** Of one file, the newest: more never fit into a quote. */
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
  /** What a tool did with it; absent = it was only named in words. */
  readonly touch?: 'called' | 'read' | 'changed';
  readonly spot?: FileSpot;
}

/** What was said and what calls were given; not what tools returned: a listing names files that no one asked about. */
function* namesIn(entry: JSONLEntry): Generator<Mention> {
  const text = spokenText(entry);
  // A file named in a pasted text need not have been worked on.
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
  for (const { path } of entry.toolResult?.filesRead ?? []) yield { name: path, weight: 0, touch: 'read' };
  for (const { path, kind } of entry.toolResult?.filesChanged ?? [])
    if (kind !== 'deleted') yield { name: path, weight: CALL_WEIGHT, touch: 'changed' };
}

/** Where in its file a call worked, as its arguments say: the text of an edit, the lines of a read. */
function spotOf(input: object): FileSpot | undefined {
  const { new_string: text, offset, limit } = input as Readonly<Record<string, unknown>>;
  if (typeof text === 'string' && text !== '') return { type: 'text', text };
  if (typeof offset !== 'number' || !Number.isInteger(offset)) return undefined;
  const lines = typeof limit === 'number' && Number.isInteger(limit) ? limit : DEFAULT_READ_LINES;
  return { type: 'lines', from: Math.max(1, offset), to: Math.max(1, offset) + lines - 1 };
}

const DEFAULT_READ_LINES = 200;

/** Words of the user and the model; of the user's own command the command, not what it printed. */
function spokenText(entry: JSONLEntry): string {
  if (entry.subtype === 'shell') return typeof entry.data?.command === 'string' ? entry.data.command : '';
  return entry.type === 'assistant' || isPrompt(entry) ? contentText(entry.message.content) : '';
}

/** The first `maxFiles` of the paths that can be quoted: text, readable, not sensitive. */
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

/** Names that are looked up on disk at most; a log full of listings has many thousands. */
const MAX_LOOKUPS = 2000;

/** Finds the file that a name means; two names of one file (a link, `./a.ts`) give the same path. */
export class RealFiles {
  readonly #known = new Map<string, string | undefined>();

  /** The real path of the first directory's file that exists; undefined for folders and what is not there. */
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

export interface ReadStartOptions {
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** What was read before, by path and stamp: an edit invalidates. */
  readonly cache?: CacheStore<string> | undefined;
}

const TRUNCATED = '... (truncated)';
/** Larger files are data, not something that was worked on. */
const MAX_FILE_BYTES = 5_000_000;

/**
 * The beginning of a text file; undefined for what is missing, unreadable, binary, too large or reached through a link: the
 * caller has resolved the path and knows that this file may be shown.
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
  // Four bytes at most make one character.
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
