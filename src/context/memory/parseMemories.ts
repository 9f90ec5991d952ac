/** From a Markdown file to memories: sections, list items, paragraphs. Linear in the text, never throws. */
import { headOf } from '../tokens/truncate.ts';

export interface Memory {
  /** What is searched and quoted: the headings above it and its own text. */
  readonly content: string;
  /** From the file's front matter, or from a `category:` line that begins the section. Lower case. */
  readonly category?: string;
}

/** A section above this many characters is several memories, cut between paragraphs. */
const MAX_CHARACTERS = 1500;
/** Memories of one file; what follows is left out. */
const MAX_MEMORIES = 2000;
/** Characters of a heading that its memories carry. */
const MAX_HEADING = 200;

/**
 * The memories of a file, in order. Below a heading the whole section is one memory, unless it is a list of
 * two items or more: then each item is one. Above the first heading each item and each paragraph is one.
 * Gives `undefined` now and then in a long file: a moment for others, before it goes on.
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

/** Lines between two moments for others; some hundred thousand are read in a second. */
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

/** Gathers lines into list items and paragraphs; a fence belongs to what it stands in, blank lines and all. */
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
    // An indented line goes on with the item above it, also across a blank one.
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
      ? blocks.flatMap((block) => pieces(textOf(block)))
      : packed(blocks.flatMap((block) => pieces(block.lines.join('\n').trimEnd())));
  const separator = isList ? ': ' : '\n';
  return texts
    .filter((text) => text.trim() !== '')
    .map((text) => ({
      content: title === '' ? text : `${title}${separator}${text}`,
      ...(category === undefined ? {} : { category }),
    }));
}

/** Without the marker of a list item. */
function textOf({ isItem, lines }: Block): string {
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

/** Neighbours joined while they stay within the limit. */
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

/** Characters in which a front matter has to end. */
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

/** A name as categories are compared; undefined for what no file could say. */
export function categoryNamed(name: string): string | undefined {
  return categoryOf(`category: ${name.trim()}`);
}

function categoryOf(line: string): string | undefined {
  const [, name] = /^category:[ \t]*["']?([^"'\s][^"'\n]{0,60})["']?\s*$/i.exec(line) ?? [];
  return name?.trim().toLowerCase();
}
