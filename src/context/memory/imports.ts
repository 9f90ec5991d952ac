/** `@path` in an instruction file: which files it brings along. Pure, and linear in the text. */
import { dirname, join, resolve } from 'node:path';

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
