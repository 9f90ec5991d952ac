/**
 * The user's memory files, searched for each new prompt. Only `remember` writes to them, and only the user calls it. A
 * search is limited in time and never makes a turn fail.
 */
import { basename } from 'node:path';
import { CacheStore } from '../storage/CacheStore.ts';
import type { FoundMemory } from './formatMemories.ts';
import type { Hit, MemoryIndex } from './MemoryIndex.ts';
import {
  appendMemory,
  findMemoryFiles,
  isProjectMemoryReal,
  MAX_FILE_BYTES,
  MAX_FILES,
  type MemoryFile,
  type MemoryFolders,
  type MemoryScope,
  type Remembered,
  readTextStart,
  type SkipReason,
} from './memoryFiles.ts';

interface MemorySearchOptions {
  /** Maximum memories; 3 by default. */
  readonly limit?: number;
  /** Minimum similarity; 0.6 by default. */
  readonly minSimilarity?: number;
  /** Only memories of this category, case-insensitive. */
  readonly category?: string;
  /** Timeout in milliseconds; 500 by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Called with the reason if the search failed or timed out; once in the lifetime of the memory object. */
  readonly onWarning?: (text: string) => void;
}

/** One file as `/memory` lists it. */
export interface MemoryFileInfo {
  readonly path: string;
  readonly scope: MemoryScope;
  readonly memories: number;
  readonly leftOut?: SkipReason;
  /** True if only its first megabyte is read. */
  readonly isCut?: boolean;
}

interface LongTermMemoryOptions {
  readonly folders: MemoryFolders;
  readonly isSensitive: (path: string) => boolean;
  /** Called at most once in the lifetime of this object, if a search timed out or failed. */
  readonly onWarning?: (text: string) => void;
  /** Finds the memory files; can be replaced. */
  readonly findFiles?: typeof findMemoryFiles;
}

/** Milliseconds for which the index of an unchanged file is kept. */
const INDEX_TTL_MS = 3_600_000;

interface Indexed {
  readonly index: MemoryIndex;
  readonly isCut: boolean;
}

export class LongTermMemory {
  readonly #options: LongTermMemoryOptions;
  /** By path and stamp: a changed file gets a new key, and the old index expires. */
  readonly #indexes = new CacheStore<Indexed>(MAX_FILES, INDEX_TTL_MS);
  #hasWarned = false;

  constructor(options: LongTermMemoryOptions) {
    this.#options = options;
  }

  get folders(): MemoryFolders {
    return this.#options.folders;
  }

  /** The memories that match a prompt, most similar first. Empty on a timeout, a failure or an abort. */
  async search(prompt: string, options: MemorySearchOptions = {}): Promise<readonly FoundMemory[]> {
    const { timeoutMs = 500, signal, onWarning } = options;
    const nothing: readonly FoundMemory[] = [];
    return withDeadline(
      (inner) => this.#find(prompt, options, inner),
      timeoutMs,
      (reason, error) => {
        if (reason === 'timeout')
          this.#warn(
            `The memory search took longer than ${timeoutMs} ms; no memories are included.`,
            onWarning,
          );
        if (reason === 'failed')
          this.#warn(`The memory search failed; no memories are included: ${String(error)}`, onWarning);
        return nothing;
      },
      signal,
    );
  }

  /** All memory files with the number of memories, or the reason why a file is left out. */
  async list(): Promise<readonly MemoryFileInfo[]> {
    const { signal } = new AbortController();
    const infos: MemoryFileInfo[] = [];
    for (const file of await this.#files()) {
      const { path, scope, leftOut } = file;
      const indexed = leftOut === undefined ? await this.#indexOf(file, signal) : undefined;
      infos.push({
        path,
        scope,
        memories: indexed?.index.size ?? 0,
        ...(leftOut === undefined ? {} : { leftOut }),
        ...(indexed?.isCut === true ? { isCut: true } : {}),
      });
    }
    return infos;
  }

  /** Adds a note; called only for the user's `/memory add`. */
  remember(text: string, scope: MemoryScope, category?: string): Promise<Remembered> {
    const { folders, isSensitive } = this.#options;
    if (scope === 'project' && !isProjectMemoryReal(folders)) {
      const message = `${folders.project} is a link. Replace it with what it points to; only the folder for all projects may be a link.`;
      return Promise.resolve({ type: 'refused', message });
    }
    return appendMemory(folders[scope], text, {
      isSensitive,
      ...(category === undefined ? {} : { category }),
    });
  }

  async #find(
    prompt: string,
    { limit = 3, minSimilarity = 0.6, category }: MemorySearchOptions,
    signal: AbortSignal,
  ): Promise<readonly FoundMemory[]> {
    const files = (await this.#files()).filter(({ leftOut }) => leftOut === undefined);
    if (files.length === 0 || signal.aborted) return [];
    // Load the search code only if there are files to search.
    const { parseQuery, similarityOf, wordWeights } = await import('./MemoryIndex.ts');
    const query = parseQuery(prompt);
    if (query.words.length === 0) return [];
    const hits: (Hit & { readonly file: string })[] = [];
    let total = 0;
    for (const file of files) {
      const indexed = await this.#indexOf(file, signal);
      if (signal.aborted) return [];
      if (indexed === undefined) continue;
      total += indexed.index.size;
      const found = await indexed.index.search(query.words, signal);
      for (const hit of found) hits.push({ ...hit, file: basename(file.path) });
      await new Promise(setImmediate);
    }
    const weights = wordWeights(
      query.words,
      hits.map(({ held }) => held),
      total,
    );
    const wanted = category?.trim().toLowerCase();
    return hits
      .filter(({ memory }) => wanted === undefined || memory.category === wanted)
      .map((hit) => ({ ...hit, similarity: similarityOf(query, weights, hit.held) }))
      .filter(({ similarity }) => similarity >= minSimilarity)
      .sort((a, b) => b.similarity - a.similarity || b.score - a.score)
      .slice(0, limit)
      .map(({ memory, file, similarity }) => ({ ...memory, file, similarity }));
  }

  #files(): Promise<MemoryFile[]> {
    const { folders, isSensitive, findFiles = findMemoryFiles } = this.#options;
    return findFiles(folders, isSensitive);
  }

  async #indexOf(file: MemoryFile, signal: AbortSignal): Promise<Indexed | undefined> {
    const key = `${file.realPath}\0${file.stamp}`;
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const [{ MemoryIndex }, start] = await Promise.all([
      import('./MemoryIndex.ts'),
      readTextStart(file.realPath, MAX_FILE_BYTES),
    ]);
    if (start === undefined || signal.aborted) return undefined;
    const index = await MemoryIndex.build(start.text, signal);
    if (index === undefined) return undefined;
    const indexed = { index, isCut: start.isCut };
    this.#indexes.set(key, indexed);
    return indexed;
  }

  #warn(text: string, heard: ((text: string) => void) | undefined): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#options.onWarning?.(text);
    heard?.(text);
  }
}

/**
 * Returns the result of `work`, or that of `otherwise` if it takes longer than `timeoutMs`, fails or is stopped. Never
 * rejects. Aborts the work's signal; no timer or listener is left even if the work ignores it.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  otherwise: (reason: 'timeout' | 'failed' | 'stopped', error?: unknown) => T,
  outer?: AbortSignal,
): Promise<T> {
  const stop = new AbortController();
  if (outer?.aborted === true) return otherwise('stopped');
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise('timeout')), timeoutMs);
    onAbort = () => resolve(otherwise('stopped'));
    outer?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([ended, begin(work, stop.signal)]);
  } catch (error) {
    return otherwise('failed', error);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) outer?.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

/** Turns an exception before the first `await` into a rejection. */
async function begin<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
