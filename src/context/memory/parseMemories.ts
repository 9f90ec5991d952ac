/** Splits a Markdown file into memories: sections, list items, paragraphs. Linear in the text, never throws. */
import { headOf } from '../tokens/truncate.ts';

export interface Memory {
  /** Text that is searched and quoted: the headings above it and its own text. */
  readonly content: string;
  /** From the file's front matter or from a `category:` line at the start of the section. Lower case. */
  readonly category?: string;
}

/** A section with more characters is split into several memories between paragraphs. */
const MAX_CHARACTERS = 1500;
/** Maximum memories per file; the rest is left out. */
const MAX_MEMORIES = 2000;
/** Maximum characters of a heading in its memories. */
const MAX_HEADING = 200;

/**
 * The memories of a file, in order. A section under a heading is one memory, unless it is a list of at least two items:
 * then each item is one. Before the first heading each item and each paragraph is one. Yields `undefined` regularly in
 * a long file, so that other work can run.
 */
export function* readMemories(text: string): Generator<Memory | undefined> {
  const { category, bodyAt } = frontMatter(text);
  const headings: string[] = [];
  let blocks = new Blocks();
  let found = 0;
  let read = 0;
  for (const line of linesOf(text, bodyAt)) {
    if (++read % LINES_AT_ONCE === 0) yield undefined;
    const heading = blocks.isInFence ? null : /^ {0,3}(#{1,6})[ \t]+(\S.*)$/.exec(line);
    if (heading === null) {
      if (blocks.count >= MAX_MEMORIES) break;
      blocks.add(line);
      continue;
    }
    for (const memory of sectionMemories(headings, blocks.end(), category)) {
      if (++found > MAX_MEMORIES) return;
      yield memory;
    }
    blocks = new Blocks();
    const [, marks = '', title = ''] = heading;
    headings.length = Math.min(headings.length, marks.length - 1);
    headings.push(headOf(title.trim(), MAX_HEADING));
  }
  for (const memory of sectionMemories(headings, blocks.end(), category)) {
    if (++found > MAX_MEMORIES) return;
    yield memory;
  }
}

/** Lines between two yields; several hundred thousand lines are read per second. */
const LINES_AT_ONCE = 500;

function* linesOf(text: string, from: number): Generator<string> {
  for (let start = from; start < text.length; ) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end === -1 ? text.length : end);
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    start = end === -1 ? text.length : end + 1;
  }
}

interface Block {
  readonly isItem: boolean;
  readonly lines: string[];
}

/** Collects lines into list items and paragraphs; a code fence belongs to its block, including blank lines. */
class Blocks {
  readonly #blocks: Block[] = [];
  #isOpen = false;
  #fence: string | undefined;

  get isInFence(): boolean {
    return this.#fence !== undefined;
  }

  add(line: string): void {
    const fence = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (this.#fence !== undefined) {
      if (fence?.startsWith(this.#fence) === true) this.#fence = undefined;
      this.#blocks.at(-1)?.lines.push(line);
      return;
    }
    if (line.trim() === '') {
      this.#isOpen = false;
      return;
    }
    const isItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/.test(line);
    const last = this.#blocks.at(-1);
    // An indented line continues the item above it, even after a blank line.
    const goesOn = last !== undefined && !isItem && (this.#isOpen || (last.isItem && /^\s{2,}/.test(line)));
    if (goesOn) last.lines.push(line);
    else this.#blocks.push({ isItem, lines: [line] });
    this.#isOpen = true;
    this.#fence = fence;
  }

  get count(): number {
    return this.#blocks.length;
  }

  end(): readonly Block[] {
    return this.#blocks;
  }
}

function sectionMemories(
  headings: readonly string[],
  found: readonly Block[],
  fileCategory: string | undefined,
): Memory[] {
  const first = found[0];
  const own = headings.length === 0 ? undefined : categoryOf(first?.lines[0] ?? '');
  if (own !== undefined) first?.lines.shift();
  const blocks = found.filter(({ lines }) => lines.length > 0);
  const category = own ?? fileCategory;
  const title = headings.join(' › ');
  const isList = blocks.length > 1 && blocks.every(({ isItem }) => isItem);
  const texts =
    title === '' || isList
      ? blocks.flatMap((block) => pieces(withoutMarker(block)))
      : packed(blocks.flatMap((block) => pieces(block.lines.join('\n').trimEnd())));
  const separator = isList ? ': ' : '\n';
  return texts
    .filter((text) => text.trim() !== '')
    .map((text) => ({
      content: title === '' ? text : `${title}${separator}${text}`,
      ...(category === undefined ? {} : { category }),
    }));
}

/** The text of a block without a list marker. */
function withoutMarker({ isItem, lines }: Block): string {
  const text = lines.join('\n').trim();
  return isItem ? text.replace(/^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/, '') : text;
}

function pieces(text: string): string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== '' && parts.length < MAX_MEMORIES; ) {
    const head = headOf(rest, MAX_CHARACTERS);
    parts.push(head);
    rest = rest.slice(head.length);
  }
  return parts;
}

/** Joins adjacent texts as long as they fit the limit. */
function packed(texts: readonly string[]): string[] {
  const groups: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const text of texts) {
    if (size + text.length > MAX_CHARACTERS) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(text);
    size += text.length;
  }
  return groups.map((group) => group.join('\n\n'));
}

/** Maximum characters of front matter. */
const MAX_FRONT_MATTER = 4000;

function frontMatter(text: string): { category: string | undefined; bodyAt: number } {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  const [all, body = ''] =
    /^---[ \t]*\r?\n([\s\S]*?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(
      text.slice(start, start + MAX_FRONT_MATTER),
    ) ?? [];
  if (all === undefined) return { category: undefined, bodyAt: start };
  const categories = body.split('\n').map((line) => categoryOf(line));
  return { category: categories.find((category) => category !== undefined), bodyAt: start + all.length };
}

/** A category name in normal form; undefined if it could not be written in a file. */
export function categoryNamed(name: string): string | undefined {
  return categoryOf(`category: ${name.trim()}`);
}

function categoryOf(line: string): string | undefined {
  const [, name] = /^category:[ \t]*["']?([^"'\s][^"'\n]{0,60})["']?\s*$/i.exec(line) ?? [];
  return name?.trim().toLowerCase();
}
