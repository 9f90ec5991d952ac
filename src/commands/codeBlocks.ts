/** The fenced code blocks of a Markdown text. Pure. */

export interface CodeBlock {
  /** As named behind the fence; empty where it is not. */
  readonly language: string;
  /** Without the fences, without the indent of the list it stands in, without a line break at its end. */
  readonly code: string;
}

/** In order; one that is not closed goes to the end of the text. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { mark: string; indent: number; language: string; lines: string[] } | undefined;
  for (const line of markdown.split(/\r?\n/)) {
    if (open === undefined) {
      const [, before = '', mark, info = ''] = fence.exec(line) ?? [];
      if (mark !== undefined)
        open = { mark, indent: before.length, language: /^\S*/.exec(info.trim())?.[0] ?? '', lines: [] };
      continue;
    }
    const closing = line.trim();
    if (closing.length >= open.mark.length && closing === (open.mark[0] ?? '').repeat(closing.length)) {
      blocks.push(blockOf(open));
      open = undefined;
    } else open.lines.push(withoutIndent(line, open.indent));
  }
  return open === undefined ? blocks : [...blocks, blockOf(open)];
}

const fence = /^((?:\s*(?:[-*+]|\d{1,9}[.)])\s+)*\s*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/;

function blockOf({
  language,
  lines,
}: {
  readonly language: string;
  readonly lines: readonly string[];
}): CodeBlock {
  return { language, code: lines.join('\n') };
}

function withoutIndent(line: string, most: number): string {
  let at = 0;
  while (at < most && line[at] === ' ') at += 1;
  return line.slice(at);
}
