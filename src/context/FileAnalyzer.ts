/** Which files a conversation was about, and their text, for quoting beside a summary. */
import { realpathSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { JSONLEntry } from '../protocol/entries.ts';
import { pathTokens } from './files/pathTokens.ts';
import { headOf } from './tokens/wellFormed.ts';

export interface FileReference {
  /** Real path. */
  readonly path: string;
  readonly mentions: number;
  /** Position of the last entry that named it. */
  readonly lastMentioned: number;
  /** True when a result says that a tool changed it; an attempt is not enough. */
  readonly wasModified: boolean;
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
}

/** Arguments of tool calls that name files. */
const PATH_KEYS = ['file_path', 'path', 'target', 'source', 'destination'];
/** A call that names a file says more than a sentence that does. */
const CALL_WEIGHT = 3;

/**
 * The existing files that the entries name, most important first: modified, then often named, then recently
 * named. Relative paths are resolved against the entry's directory, then `root`; only files inside `root`
 * and files that were modified count.
 */
export function analyzeFiles(entries: readonly JSONLEntry[], root: string): FileReference[] {
  const found = new Map<string, { mentions: number; lastMentioned: number; wasModified: boolean }>();
  const realPaths = new Map<string, string | undefined>();
  const mention = (
    name: string,
    entry: JSONLEntry,
    index: number,
    weight: number,
    modified = false,
  ): void => {
    const path = existing(name, [entry.cwd, root], realPaths);
    if (path === undefined || (!modified && !isInside(path, root))) return;
    const known = found.get(path) ?? { mentions: 0, lastMentioned: index, wasModified: false };
    known.mentions += weight;
    known.lastMentioned = index;
    known.wasModified ||= modified;
    found.set(path, known);
  };
  for (const [index, entry] of entries.entries()) {
    const { content } = entry.message;
    const isSpoken = (entry.type === 'user' && entry.isCompactSummary !== true) || entry.type === 'assistant';
    if (isSpoken && typeof content === 'string') {
      for (const name of pathTokens(content)) mention(name, entry, index, 1);
    }
    const input = entry.tool?.input;
    if (typeof input === 'object' && input !== null) {
      for (const [key, value] of Object.entries(input)) {
        if (PATH_KEYS.includes(key) && typeof value === 'string') mention(value, entry, index, CALL_WEIGHT);
      }
    }
    for (const { path, kind } of entry.toolResult?.filesChanged ?? []) {
      if (kind !== 'deleted') mention(path, entry, index, CALL_WEIGHT, true);
    }
  }
  return [...found]
    .map(([path, facts]) => ({ path, ...facts }))
    .sort(
      (a, b) =>
        Number(b.wasModified) - Number(a.wasModified) ||
        b.mentions - a.mentions ||
        b.lastMentioned - a.lastMentioned,
    );
}

/** The first `maxFiles` of the paths that can be quoted: text, readable, not sensitive. */
export async function readFilesContent(
  paths: readonly string[],
  { maxFiles = 5, maxLines = 1000, maxCharacters = 40_000, isSensitive = () => false }: ReadFilesOptions = {},
): Promise<FileContent[]> {
  const contents: FileContent[] = [];
  for (const path of paths) {
    if (contents.length >= maxFiles) break;
    if (isSensitive(path)) continue;
    const content = await readStart(path, maxLines, maxCharacters);
    if (content !== undefined) contents.push({ path, content });
  }
  return contents;
}

const TRUNCATED = '... (truncated)';
/** Larger files are data, not something that was worked on. */
const MAX_FILE_BYTES = 5_000_000;

async function readStart(path: string, maxLines: number, maxCharacters: number): Promise<string | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const info = await handle.stat();
    if (!info.isFile() || info.size > MAX_FILE_BYTES) return undefined;
    // Four bytes at most make one character.
    const buffer = Buffer.alloc(Math.min(info.size, maxCharacters * 4));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    if (bytes.includes(0)) return undefined;
    return cutText(new TextDecoder().decode(bytes), maxLines, maxCharacters, bytesRead < info.size);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

function cutText(text: string, maxLines: number, maxCharacters: number, isPart: boolean): string {
  const lines = text.split('\n');
  const byLines = lines.length > maxLines ? lines.slice(0, maxLines).join('\n') : text;
  const cut = headOf(byLines, maxCharacters);
  return cut === text && !isPart ? text : `${cut}\n${TRUNCATED}`;
}

/** Names that are looked up on disk at most; a log full of listings has many thousands. */
const MAX_LOOKUPS = 2000;

function existing(
  name: string,
  directories: readonly string[],
  known: Map<string, string | undefined>,
): string | undefined {
  const candidates = isAbsolute(name) ? [name] : directories.map((directory) => resolve(directory, name));
  for (const candidate of candidates) {
    if (!known.has(candidate))
      known.set(candidate, known.size < MAX_LOOKUPS ? realFile(candidate) : undefined);
    const path = known.get(candidate);
    if (path !== undefined) return path;
  }
  return undefined;
}

function realFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
