/** Reads one instruction file safely, and again only after it has changed. */
import { lstat, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { CacheStore } from '../storage/CacheStore.ts';
import { hashOf, type InstructionFile } from './instructions.ts';
import { readTextStart, realPathOf, stampOf } from './memoryFiles.ts';

/** Maximum bytes per file; a note in the text says that the rest is left out. */
const MAX_BYTES = 32_768;
/** Maximum files to cache. */
const MAX_REMEMBERED = 256;

const NOT_READ =
  '(This file was not read: it links to a secret or out of the project, or a permission rule denies reading it.)';
const NOT_IMPORTED =
  '(This file was not read: it contains secrets, is outside the project, or a permission rule denies reading it.)';

/** Origin of a file: the user's own files may import from anywhere, a repository's files only from inside it. */
export type Origin = 'user' | 'user import' | 'repository' | 'import';

export interface ReadInstruction extends InstructionFile {
  readonly realPath: string;
  /** True if it is inside the repository; its imports must be too. */
  readonly isOfRepository: boolean;
  /** Import paths as written; none if the file was not read. */
  readonly imports: readonly string[];
}

export class InstructionReader {
  readonly #realRoot: Promise<string>;
  readonly #isSensitive: (path: string) => boolean;
  readonly #known = new CacheStore<{ readonly stamp: string; readonly file: ReadInstruction | undefined }>(
    MAX_REMEMBERED,
    Number.POSITIVE_INFINITY,
  );

  constructor(root: string, isSensitive: (path: string) => boolean) {
    this.#realRoot = realPathOf(root).then((real) => real ?? root);
    this.#isSensitive = isSensitive;
  }

  /**
   * Reads the file; for a file that must not be read, the text says so. Undefined for a missing, empty or irregular
   * file.
   */
  async read(path: string, origin: Origin): Promise<ReadInstruction | undefined> {
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() !== true) return undefined;
    const stamp = `${origin}:${stampOf(info)}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.file;
    const file = await this.#readFile(path, origin);
    this.#known.set(path, { stamp, file });
    return file;
  }

  async #readFile(path: string, origin: Origin): Promise<ReadInstruction | undefined> {
    const realPath = await realPathOf(path);
    if (realPath === undefined) return undefined;
    const isOfRepository = isInside(realPath, await this.#realRoot);
    const isImport = origin === 'import' || origin === 'user import';
    const isSecret =
      origin !== 'user' && (this.#isSensitive(realPath) || (isImport && this.#isSensitive(path)));
    const isOut = (origin === 'repository' || origin === 'import') && !isOfRepository;
    if (isSecret || isOut) {
      const text = isImport ? NOT_IMPORTED : NOT_READ;
      return { path, text, hash: hashOf(text), realPath: path, isOfRepository, imports: [] };
    }
    const start = await readTextStart(realPath, MAX_BYTES);
    if (start === undefined || start.text === '') return undefined;
    // A binary file after an `@` is a mention, not an import.
    if (isImport && start.text.includes('\0')) return undefined;
    const note = `\n(only the first ${MAX_BYTES} bytes of this file are shown)`;
    const text = start.isCut ? start.text + note : start.text;
    const isUsers = !isOfRepository && (origin === 'user' || origin === 'user import');
    return {
      path,
      text,
      hash: hashOf(text),
      realPath,
      isOfRepository,
      isUsers,
      imports: importsOf(start.text),
    };
  }
}

// Finds the imports (`@path`) of an instruction file. Pure; linear in the text.

/** Maximum imports per file. */
const MAX_IMPORTS = 100;

/**
 * The paths after an `@` at the start of a word, in order and without duplicates; code is skipped. A space in a path is
 * written `\ `. The caller has to check that the file exists: `@alice` is not one.
 */
export function importsOf(markdown: string): string[] {
  const found = new Set<string>();
  for (const paragraph of proseOf(markdown)) {
    for (const [, written = ''] of paragraph.matchAll(MENTION)) {
      const path = withoutTrailing(written.replaceAll('\\ ', ' '), '.,;:!?');
      if (path !== '') found.add(path);
      if (found.size >= MAX_IMPORTS) return [...found];
    }
  }
  return [...found];
}

const MENTION = /(?<![^\s([{"'])@((?:\\ |[^\s\\`"'<>()[\]{}|*])+)/g;

/** Absolute path of an import: in the user's home, or relative to the importing file. */
export function resolveImport(
  written: string,
  fromFile: string,
  home: string | undefined,
): string | undefined {
  if (!written.startsWith('~')) return resolve(dirname(fromFile), written);
  return home === undefined || !written.startsWith('~/') ? undefined : join(home, written.slice(2));
}

/** Paragraphs without fenced code, with spaces instead of inline code. */
function* proseOf(markdown: string): Generator<string> {
  let paragraph: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    const marks = /^\s{0,3}(?:[-*+>]\s+)?(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (marks?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    fence = marks;
    if (marks === undefined && line.trim() !== '') paragraph.push(line);
    else {
      yield withoutSpans(paragraph.join('\n'));
      paragraph = [];
    }
  }
  yield withoutSpans(paragraph.join('\n'));
}

/** Removes inline code. A code span ends at the next run of as many backticks; without one the run is plain text. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ start: index, length }));
  let prose = '';
  let from = 0;
  for (let index = 0; index < runs.length; index++) {
    const open = runs[index];
    if (open === undefined) continue;
    let end = index + 1;
    while (end < runs.length && runs[end]?.length !== open.length) end++;
    const close = runs[end];
    // This happens at most once per run length, so the search stays linear.
    if (close === undefined) continue;
    prose += `${paragraph.slice(from, open.start)}\``;
    from = close.start + close.length;
    index = end;
  }
  return prose + paragraph.slice(from);
}

// Finds which of a few names exist in a directory; checks the disk again only after the directory has changed.

/** Maximum directories to cache. */
const MAX_DIRECTORIES = 256;
/**
 * Time in milliseconds after a change in which another change may get the same timestamp: the resolution of file
 * systems is up to two seconds (FAT). Git's index treats such "racy" entries alike.
 */
const COARSEST_CLOCK_MS = 2000;

export class PresentNames {
  readonly #names: readonly string[];
  readonly #now: () => number;
  readonly #known = new CacheStore<{ readonly stamp: string; readonly names: readonly string[] }>(
    MAX_DIRECTORIES,
    Number.POSITIVE_INFINITY,
  );

  /** `now`: milliseconds since the epoch. */
  constructor(names: readonly string[], now: () => number = Date.now) {
    this.#names = names;
    this.#now = now;
  }

  /** The existing names, in the given order; includes broken links. */
  async in(directory: string): Promise<readonly string[]> {
    const info = await stat(directory).catch(() => undefined);
    if (info === undefined) return [];
    const stamp = stampOf(info);
    const known = this.#known.get(directory);
    if (known?.stamp === stamp) return known.names;
    const isThere = await Promise.all(this.#names.map((name) => exists(join(directory, name))));
    const names = this.#names.filter((_, index) => isThere[index]);
    const isSettled = this.#now() - Math.max(info.mtimeMs, info.ctimeMs) > COARSEST_CLOCK_MS;
    if (isSettled) this.#known.set(directory, { stamp, names });
    return names;
  }
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
