/** Markdown for the ear: every mark that only looks like something becomes a word or goes; told sentence by sentence. */
import type { Token, Tokens } from 'marked';
import { boundMarkdown } from '../../protocol/text/boundMarkdown.ts';
import { inlineSpans } from '../print/blocks.ts';
import type { MarkdownRenderer } from '../print/markdown.ts';
import { sanitize } from '../print/sanitize.ts';
import { printablePieces, type SplitText, splitFinished } from '../print/streaming.ts';
import { chooseTheme } from '../theme/theme.ts';

// Markdown for the ear: every mark that only looks like something becomes a word or goes. Pure.

/** Without colours; meaning is in the characters. */
export const plainTheme = chooseTheme('plain', { noColor: true });

/** Marked's tokens as lines; an empty line between blocks that do not belong together. */
export function blockWords(tokens: readonly Token[]): string[] {
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
      return ['Quote:', ...blockWords(token.tokens ?? []), 'End of quote.'];
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
    const [head = '', ...rest] = blockWords(item.tokens);
    return [mark + box + head, ...rest.map((line) => (line === '' ? '' : `  ${line}`))];
  });
}

/** The code itself is as written, so that it can be copied. */
function codeWords(code: string, info: string): string[] {
  const language = info.trim().split(/[\s{:,]/)[0] ?? '';
  const text = code.replace(/\n+$/, '');
  if (text.trim() === '') return [];
  return [language === '' ? 'Code:' : `Code, ${language}:`, ...text.split('\n'), 'End of code.'];
}

/** A row at a time, each cell with the name of its column. */
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

/** Loads the Markdown parser; the width does not matter, as whoever shows the lines wraps them. */
export async function loadWords(): Promise<MarkdownRenderer> {
  const { Lexer, Tokenizer } = await import('marked');
  return (text) => {
    const told = printablePieces(sanitize(text)).map((piece) => {
      if (piece.isPlain) return piece.text;
      const lexer = new Lexer({ gfm: true, tokenizer: boundMarkdown(new Tokenizer()) });
      return blockWords(lexer.lex(piece.text)).join('\n');
    });
    return told.join('\n');
  };
}

// Which part of a reply that is still being written can be told for good: whole blocks, and whole sentences. Pure.

/** Characters that are worth a line of their own: a sentence at a time would be a line for every "Yes." */
const LEAST = 80;

export function splitTold(markdown: string): SplitText {
  const { finished, rest } = splitFinished(markdown);
  const end = sentencesEnd(rest);
  return { finished: finished + rest.slice(0, end), rest: rest.slice(end) };
}

/** Where the last whole sentence of a plain paragraph ends; 0 where nothing can be cut. */
function sentencesEnd(text: string): number {
  if (text.length < LEAST || !plainParagraph.test(text)) return 0;
  let end = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    const at = match.index + match[0].length;
    if (at >= LEAST && isClosed(text.slice(0, at))) end = at;
  }
  return end;
}

/** No list, heading, quote, code, table, HTML or indentation: only there do lines mean more than blanks. */
const plainParagraph =
  /^\n*(?![ \t]{2}|[ \t]?(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}\s|>|```|~~~|\||<))[^|]*$/;
const sentenceEnd = /[.!?:]["')\]]*\s+(?=\S)|[。！？]["」』）]*(?=\S)/g;

/** Nothing that began in the text ends behind it: code, emphasis, a link. */
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
