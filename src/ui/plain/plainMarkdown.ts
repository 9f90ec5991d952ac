/** Markdown for screen readers: markup becomes words or is removed, and a reply is read out sentence by sentence. */
import type { Token, Tokens } from 'marked';
import { boundMarkdown } from '../../protocol/text/boundMarkdown.ts';
import { withoutTrailing } from '../../protocol/text/trimming.ts';
import { inlineSpans } from '../print/blocks.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { printablePieces, type SplitText, splitFinished } from '../print/streaming.ts';
import { chooseTheme } from '../theme/theme.ts';

/** Without colors: the text itself carries all meaning. */
export const plainTheme = chooseTheme('plain', { noColor: true });

/** Converts marked's tokens to lines, with an empty line between unrelated blocks. */
function blockLines(tokens: readonly Token[]): string[] {
  const lines: string[] = [];
  for (const token of tokens) {
    const block = wordsOf(token);
    if (block.length === 0) continue;
    if (lines.length > 0 && token.type !== 'list' && token.type !== 'text') lines.push('');
    for (const line of block) lines.push(line);
  }
  return lines;
}

function wordsOf(token: Token): string[] {
  switch (token.type) {
    case 'heading':
      return [`Heading: ${inline(token.tokens)}`];
    case 'paragraph':
      return inline(token.tokens).split('\n');
    case 'text':
      return inline(token.tokens ?? [token]).split('\n');
    case 'list':
      return listWords(token as Tokens.List);
    case 'blockquote':
      return ['Quote:', ...blockLines(token.tokens ?? []), 'End of quote.'];
    case 'code':
      return codeWords(String(token.text), String(token.lang ?? ''));
    case 'table':
      return tableWords(token as Tokens.Table);
    case 'html':
      return token.raw.trim() === '' ? [] : token.raw.trim().split('\n');
    case 'hr':
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    default:
      return token.raw.trimEnd().split('\n');
  }
}

function listWords(list: Tokens.List): string[] {
  const first = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, index) => {
    const mark = list.ordered ? `${first + index}. ` : '- ';
    const box = item.task ? (item.checked === true ? 'done: ' : 'open: ') : '';
    const [head = '', ...rest] = blockLines(item.tokens);
    return [mark + box + head, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
  });
}

/** Leaves the code itself unchanged, so that it can be copied. */
function codeWords(code: string, info: string): string[] {
  const language = info.trim().split(/[\s{:,]/)[0] ?? '';
  const text = withoutTrailing(code, '\n');
  if (text.trim() === '') return [];
  return [language === '' ? 'Code:' : `Code, ${language}:`, ...text.split('\n'), 'End of code.'];
}

/** Reads out a table row by row, naming the column of each cell. */
function tableWords({ header, rows }: Tokens.Table): string[] {
  const names = header.map((cell) => inline(cell.tokens));
  return [
    `Table, ${rows.length === 1 ? '1 row' : `${rows.length} rows`}.`,
    ...rows.map((row, index) => {
      const cells = row.map((cell, column) => {
        const name = names[column] ?? '';
        return name === '' ? inline(cell.tokens) : `${name}: ${inline(cell.tokens)}`;
      });
      return `Row ${index + 1}. ${cells.join('; ')}.`;
    }),
  ];
}

function inline(tokens: readonly Token[] | undefined): string {
  return inlineSpans(tokens ?? [], { theme: plainTheme, hyperlinks: false })
    .map(({ text }) => text)
    .join('');
}

/** Loads the Markdown parser. Ignores the width: the terminal wraps the lines. */
export async function loadPlainMarkdown(): Promise<MarkdownRenderer> {
  const { Lexer, Tokenizer } = await import('marked');
  return (text) => {
    const spoken = printablePieces(sanitize(text)).map((piece) => {
      if (piece.isPlain) return piece.text;
      const lexer = new Lexer({ gfm: true, tokenizer: boundMarkdown(new Tokenizer()) });
      return blockLines(lexer.lex(piece.text)).join('\n');
    });
    return spoken.join('\n');
  };
}

// Splits a streaming reply into a finished part, of whole blocks and sentences, and the rest. Pure.

/** Minimum characters of a line, so that a short sentence such as "Yes." does not get its own line. */
const LEAST = 80;

export function splitPlain(markdown: string): SplitText {
  const { finished, rest } = splitFinished(markdown);
  const end = sentencesEnd(rest);
  return { finished: finished + rest.slice(0, end), rest: rest.slice(end) };
}

/** The end of the last complete sentence of a plain paragraph; 0 if it cannot be split. */
function sentencesEnd(text: string): number {
  if (text.length < LEAST || !plainParagraph.test(text)) return 0;
  let end = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    const at = match.index + match[0].length;
    if (at >= LEAST && isClosed(text.slice(0, at))) end = at;
  }
  return end;
}

/**
 * Matches text without lists, headings, quotes, code, tables, HTML or indentation, in which line breaks matter.
 */
const plainParagraph =
  /^\n*(?![ \t]{2}|[ \t]?(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}\s|>|```|~~~|\||<))[^|]*$/;
const sentenceEnd = /[.!?:]["')\]]*\s+(?=\S)|[。！？]["」』）]*(?=\S)/g;

/** True if no code, emphasis or link is still open at the end of the text. */
function isClosed(text: string): boolean {
  const isEven = (mark: RegExp): boolean => (text.match(mark)?.length ?? 0) % 2 === 0;
  const isBalanced = text.split('[').length === text.split(']').length;
  const isOneParagraph = !/\n[ \t]*(?:\n|[-=*+#>|`~]|\d+[.)])/.test(text.trim());
  return (
    isEven(/`/g) &&
    isEven(/\*\*/g) &&
    isEven(/(?<!\*)\*(?!\*)/g) &&
    isEven(/(?<![\w])_|_(?![\w])/g) &&
    isBalanced &&
    isOneParagraph
  );
}
