/** Which files a conversation was about, and their text, for quoting beside a summary. */
import { isAbsolute, relative, sep } from 'node:path';
import type { JSONLEntry } from '../protocol/entries.ts';
import { contentText } from './facts/entryText.ts';
import { runAtOnce, runInSlices } from './facts/slices.ts';
import { pathTokens } from './files/pathTokens.ts';
import { RealFiles } from './files/RealFiles.ts';
import { readFileStart } from './files/readFileStart.ts';
import { isPrompt } from './history/atoms.ts';
import type { CacheStore } from './storage/index.ts';

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
  /** What was read before; an edit invalidates. */
  readonly cache?: CacheStore<string>;
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
  const found = new Map<string, Omit<FileReference, 'path'>>();
  const files = new RealFiles();
  for (const [index, entry] of entries.entries()) {
    for (const { name, weight, isChange } of namesIn(entry)) {
      yield;
      const path = files.find(name, [entry.cwd, root]);
      if (path === undefined || (!isChange && !isInside(path, root))) continue;
      const known = found.get(path);
      found.set(path, {
        mentions: (known?.mentions ?? 0) + weight,
        lastMentioned: index,
        wasModified: (known?.wasModified ?? false) || isChange,
      });
    }
    yield;
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

interface Mention {
  readonly name: string;
  readonly weight: number;
  readonly isChange: boolean;
}

/** What was said and what calls were given; not what tools returned: a listing names files that nobody asked for. */
function* namesIn(entry: JSONLEntry): Generator<Mention> {
  for (const name of pathTokens(spokenText(entry))) yield { name, weight: 1, isChange: false };
  const input = entry.tool?.input;
  if (typeof input === 'object' && input !== null) {
    for (const [key, value] of Object.entries(input)) {
      if (PATH_KEYS.includes(key) && typeof value === 'string')
        yield { name: value, weight: CALL_WEIGHT, isChange: false };
    }
  }
  for (const { path, kind } of entry.toolResult?.filesChanged ?? [])
    if (kind !== 'deleted') yield { name: path, weight: CALL_WEIGHT, isChange: true };
}

/** Words of the user and the model; of the user's own command the command, not what it printed. */
function spokenText(entry: JSONLEntry): string {
  if (entry.subtype === 'shell') return typeof entry.data?.command === 'string' ? entry.data.command : '';
  return entry.type === 'assistant' || isPrompt(entry) ? contentText(entry.message.content) : '';
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
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
    if (isSensitive(path)) continue;
    const content = await readFileStart(path, { maxLines, maxCharacters, cache: options.cache });
    if (content !== undefined) contents.push({ path, content });
  }
  return contents;
}
