/** Reads one instruction file, safely, and again only when it has changed. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { CacheStore } from '../storage/CacheStore.ts';
import { hashOf, type InstructionFile } from './instructions.ts';
import { readTextStart, realPathOf, stampOf } from './memoryFiles.ts';

/** Bytes read of one file; what is beyond is left out, and the text says so. */
const MAX_BYTES = 32_768;
/** Files that are remembered while they do not change. */
const MAX_REMEMBERED = 256;

const NOT_READ =
  '(This file leads to a secret or out of the project, or a rule keeps it from being read, so it was not read.)';
const NOT_IMPORTED =
  '(This file holds secrets, lies out of the project, or a rule keeps it from being read, so it was not read.)';

/** Whose word brings a file in: the user's own file may lead anywhere, a repository's not out of it. */
export type Origin = 'user' | 'user import' | 'repository' | 'import';

export interface ReadInstruction extends InstructionFile {
  readonly realPath: string;
  /** Lies in the repository, so that what it imports has to as well. */
  readonly isOfRepository: boolean;
  /** As written; none of a file that was not read. */
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

  /** The file; one that must not be read says so. Undefined for what is missing, empty or no regular file. */
  async read(path: string, origin: Origin): Promise<ReadInstruction | undefined> {
    const info = await stat(path).catch(() => undefined);
    if (info?.isFile() !== true) return undefined;
    const stamp = `${origin}:${stampOf(info)}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.file;
    const file = await this.#readAnew(path, origin);
    this.#known.set(path, { stamp, file });
    return file;
  }

  async #readAnew(path: string, origin: Origin): Promise<ReadInstruction | undefined> {
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
    // Pictures and programs are mentioned, not imported.
    if (isImport && start.text.includes('\0')) return undefined;
    const note = `\n(only the first ${MAX_BYTES} bytes of this file are shown)`;
    const text = start.isCut ? start.text + note : start.text;
    return { path, text, hash: hashOf(text), realPath, isOfRepository, imports: importsOf(start.text) };
  }
}

// `@path` in an instruction file: which files it brings along. Pure, and linear in the text.

/** Mentions of one file that are followed. */
const MAX_IMPORTS = 100;

/**
 * The paths behind an `@` at the beginning of a word, in order, each once; what stands in code is only text.
 * A blank in a path is written `\ `. Whether there is such a file is for the caller to see: `@alice` is none.
 */
export function importsOf(markdown: string): string[] {
  const found = new Set<string>();
  for (const paragraph of proseOf(markdown)) {
    for (const [, written = ''] of paragraph.matchAll(MENTION)) {
      const path = written.replaceAll('\\ ', ' ').replace(/[.,;:!?]+$/, '');
      if (path !== '') found.add(path);
      if (found.size >= MAX_IMPORTS) return [...found];
    }
  }
  return [...found];
}

const MENTION = /(?<![^\s([{"'])@((?:\\ |[^\s\\`"'<>()[\]{}|*])+)/g;

/** Where an import leads: below the user's home, or relative to the file that holds it. Absolute. */
export function resolveImport(
  written: string,
  fromFile: string,
  home: string | undefined,
): string | undefined {
  if (!written.startsWith('~')) return resolve(dirname(fromFile), written);
  return home === undefined || !written.startsWith('~/') ? undefined : join(home, written.slice(2));
}

/** Paragraphs without fenced code, and with blanks for code in a line. */
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

/** A span ends at the next run of as many backticks; a run without such an end is plain text. */
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
    // At most once for each length, since it is the last run of its length.
    if (close === undefined) continue;
    prose += `${paragraph.slice(from, open.start)}\``;
    from = close.start + close.length;
    index = end;
  }
  return prose + paragraph.slice(from);
}
